"""Which characters does the Encoding standard have that Python's codecs have not?

Each run of characters comes behind the bytes of its first.
"""

_BIG5 = """
    877a㡵𡵓𣚞𦀡㻬
    87a1𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘
    87c9穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋
    8e69箸
    8e6f簆
    8e7e糎 8eab緒 8eb4縝 8ecd者 8ed0耨 8f57菁 8f69蒨 8f6e萏 8fcb覦覩 8ffe起 906d都 907a銹 90dc靜 90f1響 91bf鼖
    9244蔃 92af兙兛兝兞 92c8鍮 92d1瑹 9447浧 94ca禛 95d9邗 9644靝 96ed瀞 96fc嬨 9b76爁 9b78矗 9b7b纇 9bc6駖
    9bde釔 9bec惞 9bf6澶 9c42輶 9c53侻 9c62營 9c68鄄 9c6b鷰 9c77菏 9cbc尐秣 9cd0婧 9d57輋 9d5a筑 9dc4拐 9ea9恢
    9eef痹 9efd汊 9f60鬮 9f66鼗 9fcb僭 9fd8弌 a063蠏 a077拎 a0d5瑨 a0df煢 a0e4牐 a145‧ a14e﹑ a1c2¯ a1e3～
    a1f2⊕⊙ a241∕﹨ a244￥ a246￠￡ a3c0␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ c6cf廴 c6d3无 c6d5癶 c6d7隶
    c6de〃仝 fa5f倩 fa66偽 fabd包 fac5卄 fad5卿 fb48嘅 fbb8婷 fbf3幵 fbf9廐 fc4f彘 fc6c悤 fcb9撐 fce2晴 fcf1杞
    fdb7沜渝 fdbb港 fdf1煮 fe52猪 fe6f瑜 feaa瓩 fedd砉
"""
# What Python's gb18030 takes for private characters.
_PRIVATE = (
    "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795"
    "\ue796\ue7c7\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864"
)
_PUBLIC = (
    "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18"
    "\ufe19\u1e3f\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb"
)
CHINESE = str.maketrans(_PRIVATE, _PUBLIC)


def _big5() -> dict[bytes, str]:
    found = {}
    for run in _BIG5.split():
        first = int(run[:4], 16)
        for place, character in enumerate(run[4:]):
            found[(first + place).to_bytes(2, "big")] = character
    return found


BIG5 = _big5()
