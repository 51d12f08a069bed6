"""What are places, people and kinds of things called?  Data only: English words that anybody can read.

A kind can stand before any noun ("winter telescope", "Portuguese soup").  Each page is about things of one kind, so
that a search for them finds it among all others.  A kind is no word of a subject, nor of the sentences of all pages.
"""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


KINDS = _words("""
    summer autumn winter morning evening midnight weekend holiday birthday wedding Monday Sunday Christmas Easter
    December village city island mountain valley river forest desert garden beach lakeside farm castle palace museum
    market school college library hospital hotel kitchen balcony rooftop cellar attic garage workshop studio theatre
    stadium airport office factory windmill monastery cathedral family student grandmother pocket travel camping
    hiking picnic party gift souvenir budget luxury antique replica model charity emergency practice champion pirate
    royal copper silver golden iron steel bronze marble leather cotton silk paper cardboard plastic rubber bamboo
    oak maple walnut willow birch cherry chocolate ginger vanilla honey red blue yellow purple violet scarlet
    turquoise black white English Scottish Welsh Irish Dutch Belgian French German Danish Swedish Norwegian Finnish
    Icelandic Polish Czech Hungarian Austrian Swiss Italian Spanish Portuguese Greek Turkish Bulgarian Romanian
    Croatian Russian Egyptian Moroccan Tunisian Kenyan Nigerian Ethiopian Persian Indian Nepalese Chinese Mongolian
    Japanese Korean Thai Vietnamese Indonesian Australian Canadian Mexican Cuban Jamaican Brazilian Peruvian Chilean
    Bolivian Alaskan Californian Texan Hawaiian Siberian Nordic Baltic Alpine Arctic tropical medieval Roman Viking
    Victorian Georgian Edwardian futuristic
""")

PLACES = _words("Hill Bridge Street Bay Green Corner Mill Square Lane Gate Fields Park")

FIRST_NAMES = _words("""
    Alice Anna Arthur Barbara Ben Carla Charles Clara Daniel David Diana Edward Elena Emily Eric Eva Frank Fred
    George Grace Hannah Harry Helen Henry Ida Jack James Jane Julia Karen Kevin Laura Leo Linda Lucy Maria Mark
    Martin Mary Max Nina Nora Oliver Oscar Paul Peter Rachel Robert Rosa Ruth Sam Sarah Simon Sophie Thomas Tom
    Victor Walter William
""")

LAST_NAMES = _words("""
    Adams Allen Anderson Bailey Barnes Bell Bennett Brooks Brown Campbell Carter Clark Collins Cooper Cox Davies
    Edwards Evans Fisher Foster Gray Hall Harris Hughes Jackson Johnson Jones Kelly King Lewis Martin Mason Miller
    Mitchell Moore Morgan Morris Murphy Nelson Parker Phillips Price Reed Reynolds Richards Roberts Robinson Ross
    Scott Shaw Smith Stewart Taylor Thompson Turner Walker Ward Watson Williams Wilson Wood Wright Young
""")
