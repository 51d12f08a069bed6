"""Content codings are undone exactly, and never beyond the limit."""

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.web.coding import MAX_MEMBERS, CodingError, decoded
from sought.web.message import Failure
from sought.web.zstd import compress as zstd


def raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate ": raw_deflate,
    "br": brotli.compress,
    "zstd": zstd,
    "identity": bytes,
    "": bytes,
}
REAL = [name for name in CODERS if name not in ("identity", "")]


@given(st.binary(max_size=5000), st.lists(st.sampled_from(list(CODERS)), max_size=3))
def test_what_was_coded_is_decoded(data: bytes, names: list[str]) -> None:
    """Any body, through any list of up to three codings, comes back."""
    raw = data
    for name in names:
        raw = CODERS[name](raw)
    assert decoded(raw, ", ".join(names), 20_000) == data


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("size", [999, 1000, 1001, 300_000, 5_000_000])
def test_the_limit_is_exact(name: str, size: int) -> None:
    """`limit` bytes pass, one more is EXPANSION, and no more than `limit` bytes are ever handed out."""
    raw = CODERS[name](b"a" * size)
    assert len(decoded(raw, name, size)) == size
    with pytest.raises(CodingError) as caught:
        decoded(raw, name, size - 1)
    assert caught.value.failure is Failure.EXPANSION
    assert caught.value.start == b"a" * (size - 1)


@pytest.mark.parametrize("name", REAL)
def test_half_a_body_is_damage(name: str) -> None:
    """Data that ends early is CODING, wherever the cut is; the start that could be read is kept."""
    data = bytes(range(256)) * 40
    raw = CODERS[name](data)
    for cut in range(1, len(raw) - 8):  # the last bytes may be a checksum
        with pytest.raises(CodingError) as caught:
            decoded(raw[:cut], name, 20_000)
        assert caught.value.failure is Failure.CODING
        assert data.startswith(caught.value.start)


def test_a_cut_zstd_frame_of_literals_is_damage() -> None:
    """Incompressible data is stored as it is: what is put behind it must not be taken for its end."""
    data = bytes(hash((i, 7)) % 251 for i in range(5000))
    raw = zstd(data)
    for missing in (1, 10, 30, 2000):
        with pytest.raises(CodingError):
            decoded(raw[:-missing], "zstd", 20_000)


def test_gzip_members_are_concatenated_and_rubbish_behind_them_ignored() -> None:
    """RFC 1952 §2.2; and like every browser, padding after the end is not an error."""
    raw = gzip.compress(b"one ") + gzip.compress(b"two")
    assert decoded(raw, "gzip", 100) == b"one two"
    assert decoded(raw + b"\0" * 100, "gzip", 100) == b"one two"
    assert decoded(gzip.compress(b"x") * 900, "gzip", 1000) == b"x" * 900


def test_members_without_end_are_refused() -> None:
    """Each empty member costs work and yields nothing: their number is bounded."""
    with pytest.raises(CodingError, match=str(MAX_MEMBERS)):
        decoded(gzip.compress(b"") * 100_000, "gzip", 1000)


def test_the_number_of_codings_is_bounded() -> None:
    """Four codings are refused before any work is done."""
    with pytest.raises(CodingError, match="more than 3"):
        decoded(b"x", ",".join(["gzip"] * 100), 1000)


def test_an_empty_body_needs_no_decoding() -> None:
    """Servers name a coding even when there is nothing to code."""
    assert decoded(b"", "gzip, br", 10) == b""


@given(st.binary(max_size=300), st.sampled_from(REAL))
def test_junk_is_damage_and_nothing_else(junk: bytes, name: str) -> None:
    """Any bytes decode within the limit or raise CodingError."""
    try:
        result = decoded(junk, name, 1000)
    except CodingError as error:
        result = error.start
    assert len(result) <= 1000
