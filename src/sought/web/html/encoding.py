"""Which encoding does a page have?

In the order of the HTML standard: byte order mark, Content-Type, <meta>, then detection.  A byte order mark always
wins; a label that is plainly wrong gives way to detection; nothing raises.
"""

import re

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

from sought.web.html.legacy_encodings import REPLACED, decode

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_LABEL = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]{0,100}encoding\s*=\s*[\"']([\w.:-]{1,40})")
_META = re.compile(rb"<meta[\s/][^>]{0,400}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.{0,1024}?-->", re.DOTALL)
# Browsers mean larger encodings by these names than Python does.
_LARGER = {"shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs", "iso8859-11": "cp874"}
_MORE_LABELS = {
    "cp949": "cp949",  # names of Korean in labels and detection
    "uhc": "cp949",
    "x-mac-cyrillic": "x-mac-cyrillic",
    "x-mac-ukrainian": "x-mac-cyrillic",
    "x-user-defined": "x-user-defined",
} | dict.fromkeys(REPLACED, "replacement")


Decoded = tuple[str, bytes, str]


def decoded(body: bytes, content_type: str) -> Decoded:
    """The text, the same in UTF-8, and the name of the encoding."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return _with_utf8(decode(body[len(mark) :], name), name)
    name = _labelled(content_type) or _labelled_inside(body)
    if name:
        return _decoded(body, name)
    try:
        if b"\x1b" not in body and not _is_wide(body):
            return body.decode(), body, "utf-8"
    except UnicodeDecodeError:
        pass
    return _decoded(body, _detected(body))


def _labelled(content_type: str) -> str:
    match = _LABEL.search(content_type, 0, 400) if "charset" in content_type.lower() else None
    return _known(match[1]) if match else ""


def _labelled_inside(body: bytes) -> str:
    head = body[:1024]
    declared = _XML.match(head) if head.startswith(b"<?xml") else None
    if declared:
        return _known(declared[1].decode())
    if b"charset" not in head.lower():
        return ""
    own = _META.search(_COMMENT.sub(b"", head))
    if own and own[1].lower().decode() in _MORE_LABELS:
        name = _known(own[1].decode())
        return "cp1252" if name == "x-user-defined" else name
    name = _known(detect_encoding(body, from_html_meta=True) or "")
    # A <meta> that could be read is not in UTF-16, whatever it declares.
    return "utf-8" if name.startswith("utf-16") else name


def _known(label: str) -> str:
    name = map_encoding_to_html5(label, fallback_utf8=False) or _MORE_LABELS.get(label.lower(), "")
    return _LARGER.get(name, name)


def _is_wide(body: bytes) -> bool:
    """Whether this looks like UTF-16: markup is ASCII, so many of the first bytes are zero."""
    return body[:400].count(0) * 8 > min(len(body), 400)


def _detected(body: bytes) -> str:
    if _is_wide(body):
        return "utf-16-be" if body[:1] == b"\0" else "utf-16-le"
    return _known(detect_encoding(body, html5_compatible=False) or "") or "cp1252"


def _decoded(body: bytes, name: str) -> Decoded:
    if name.startswith("utf-16") and not _is_wide(body):
        name = "utf-8"
    if name == "utf-8":
        try:
            return body.decode(), body, name
        except UnicodeDecodeError:
            pass
    text = decode(body, name)
    if "\ufffd" in text and name != "replacement" and _garbled(text):
        name = _detected(body)
        text = decode(body, name)
    return _with_utf8(text, name)


def _with_utf8(text: str, name: str) -> Decoded:
    return text, text.encode("utf-8", "replace"), name


def _garbled(text: str) -> bool:
    """Whether more than a quarter of the non-ASCII characters could not be decoded: it is another encoding."""
    return text.count("\ufffd") * 4 > len(text) - len(text.encode("ascii", "ignore"))
