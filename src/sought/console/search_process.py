"""Who searches?  Processes of their own: on any core, and whatever happens to one, the server goes on.

    python -m sought.console.search_process FOLDER

The standard input is a socket to the server (worker.py has its other end).  A message is its length in four bytes, and
so many bytes of msgpack.  First comes a reply to nothing: the process is ready.  Then each question has its reply, in
order.  The process ends when the socket does, so it outlives no server.

States of the index: *missing* (nothing was crawled yet, or it is being built again), *open*.  A commit of the crawl is
seen by the next search; an index that was replaced is opened again.
"""

import gc
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from sought.console.answer_cache import AnswerKey, CachedAnswer
from sought.index import Answer, Index
from sought.index.analysis import reading
from sought.index.snippet import SnippetTerms, snippet
from sought.web.errors import BadInput, CrawlDamaged, SoughtError

LENGTH = struct.Struct("=I")

Question = AnswerKey | None  # None: of how many pages?


class ProcessReply(NamedTuple):
    """What was found, None if there is no index yet; or what went wrong, and whether that is damage."""

    found: CachedAnswer | None = None
    trouble: str = ""
    is_damaged: bool = False


_encode = msgspec.msgpack.Encoder().encode
_decode_question = msgspec.msgpack.Decoder(Question).decode
decode_reply = msgspec.msgpack.Decoder(ProcessReply).decode


def message(content: Question | ProcessReply) -> bytes:
    encoded = _encode(content)
    return LENGTH.pack(len(encoded)) + encoded


def serve(connection: socket.socket, folder: Path) -> None:
    """Answer until the other end is closed."""
    searching = Searching(folder)
    connection.sendall(message(ProcessReply()))
    with connection.makefile("rb") as asked:
        for question in _questions(asked):
            connection.sendall(message(searching.reply(question)))


def _questions(asked: BinaryIO) -> Iterator[Question]:
    while len(head := asked.read(LENGTH.size)) == LENGTH.size:
        (length,) = LENGTH.unpack(head)
        yield _decode_question(asked.read(length))


class Searching:
    """The search index of a crawl, whether it is there or not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index: Index | None = None
        snippet(
            reading("word", ""), SnippetTerms(["word"]), ""
        )  # loads machine code, or makes it: before anybody waits

    def reply(self, question: Question) -> ProcessReply:
        """Whatever goes wrong is for the server to tell: of a panic of the search engine, too."""
        try:
            try:
                return ProcessReply(self._found(question))
            except CrawlDamaged:
                self._index = None
                return ProcessReply(self._found(question))  # replaced meanwhile: the new one, or none until it is there
        except SoughtError as error:
            return ProcessReply(None, str(error), isinstance(error, CrawlDamaged))
        except BaseException:  # noqa: BLE001  Rust's panics are no Exception
            return ProcessReply(trouble=traceback.format_exc())

    def _found(self, question: Question) -> CachedAnswer | None:
        if self._index is None:
            try:
                self._index = Index.open(self._folder, writable=False)
            except BadInput:
                return None
        if question is None:
            self._index.reload()
        answer = self._index.search(*question) if question else Answer()
        return CachedAnswer(answer, len(self._index))


def main(folder: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # who ends a service tells all its processes: we end with the server
    connection = socket.socket(fileno=sys.stdin.fileno())
    gc.freeze()
    try:
        serve(connection, Path(folder))
    except ConnectionError:
        pass  # it is gone


if __name__ == "__main__":
    main(*sys.argv[1:])
