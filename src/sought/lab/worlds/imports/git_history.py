"""The history of the files in a git repository, read by one long-lived git process."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor
from pathlib import Path
from typing import IO, NamedTuple, cast

from sought.web.errors import BadInput

MAX_FILE = 64 << 20
_FILES = (b"100644", b"100755", b"100664")  # no links, no submodules
# Variables that a hook or another tool set refer to another repository; git must not prompt or fetch.
_QUIET = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
_NOT_OURS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE")


class Snapshot(NamedTuple):
    """The state of all files from a time on; `number` counts the steps of time since the first."""

    number: int
    time: float
    commit: str


class Change(NamedTuple):
    """A file has this content now; none if it is gone."""

    path: bytes
    blob: bytes


@dataclass(frozen=True)
class GitRepository:
    """A repository on disk; `name` is what a person called it."""

    folder: Path
    name: str

    def commits(self) -> list[tuple[float, str]]:
        """The first-parent history of HEAD, oldest first: since when, and which.

        A commit is not there before its parents are, whatever its timestamp.
        """
        lines = self._git("log", "--first-parent", "--reverse", "--format=%H %ct", self._head()).split()
        times = accumulate(map(float, lines[1::2]), max)
        return list(zip(times, lines[::2], strict=True))

    def files(self, commit: str) -> Iterator[Change]:
        """Every file of a commit."""
        for entry in self._bytes("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
            about, _, path = entry.partition(b"\t")
            mode, _, blob = about.split()
            if mode in _FILES:
                yield Change(path, blob)

    def changes(self, before: str, after: str) -> Iterator[Change]:
        """The files that differ between two commits."""
        listed = self._bytes("diff-tree", "-r", "-z", "--raw", "--no-renames", before, after).split(b"\0")
        for about, path in zip(listed[:-1:2], listed[1::2], strict=True):
            _, mode, _, blob, _ = about.split()
            yield Change(path, blob if mode in _FILES else b"")

    @contextmanager
    def blobs(self) -> Iterator["Blobs"]:
        """The contents of files, for as long as the block lasts."""
        process = subprocess.Popen(  # noqa: S603  # git, found by its name as everywhere
            self._command("cat-file", "--batch"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(self.folder),
            start_new_session=True,  # if Ctrl-C ended git first, the repository would look damaged
        )
        with process:
            yield Blobs(cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout), self.name)

    def _head(self) -> str:
        """HEAD, or the only branch: bundles are often made without a HEAD."""
        branches = self._git("for-each-ref", "--format=%(objectname)", "refs/heads").split()
        try:
            return self._git("rev-parse", "--verify", "-q", "HEAD^{commit}").strip()
        except BadInput:
            if len(branches) == 1:
                return branches[0]
            what = f"no HEAD and {len(branches)} branches" if branches else "no commits"
            raise BadInput(f"{self.name}: the repository has {what}") from None

    def _command(self, *arguments: str) -> list[str]:
        return ["git", "-C", str(self.folder), *arguments]

    def _git(self, *arguments: str) -> str:
        return self._bytes(*arguments).decode()

    def _bytes(self, *arguments: str) -> bytes:
        return _run(self._command(*arguments), self.name, self.folder)


@dataclass(frozen=True)
class Blobs:
    """Reads file contents through one `git cat-file --batch` process."""

    questions: IO[bytes]
    answers: IO[bytes]
    name: str

    def read(self, blob: bytes) -> bytes | None:
        """The content; None if it is larger than anything a crawl would take."""
        try:
            self.questions.write(blob + b"\n")
            self.questions.flush()
            _, kind, size = self.answers.readline().split()
        except (OSError, ValueError):  # "… missing", or git has given up
            raise self._damaged(blob) from None
        if kind != b"blob":
            raise self._damaged(blob)
        left = int(size)
        content = self.answers.read(left) if left <= MAX_FILE else None
        while content is None and left:
            left -= len(self.answers.read(min(left, MAX_FILE))) or left
        if self.answers.read(1) != b"\n":
            raise self._damaged(blob)
        return content

    def _damaged(self, blob: bytes) -> BadInput:
        return BadInput(f"{self.name} is damaged: git cannot read the object {blob.decode()} (see git fsck)")


@contextmanager
def opened(source: Path) -> Iterator[GitRepository]:
    """A work tree, a bare repository or a bundle."""
    if source.is_dir():
        yield GitRepository(source.resolve(), str(source))
    elif source.is_file():
        with tempfile.TemporaryDirectory(prefix="sought-git-") as folder:
            clone = Path(folder) / "clone"
            _run(["git", "clone", "-q", "--bare", "--", str(source.resolve()), str(clone)], str(source), clone)
            yield GitRepository(clone, str(source))
    else:
        raise BadInput(f"{source}: no such repository or bundle")


def snapshots(commits: list[tuple[float, str]], every: float) -> list[Snapshot]:
    """The last commit at or before each step of time; each commit if `every` is 0.

    Of the steps at which nothing was committed only the last is listed: it says when the history ends.
    """
    if not every:
        latest = dict(commits)  # of commits of one second the last
        return [Snapshot(number, *each) for number, each in enumerate(latest.items())]
    first = commits[0][0]
    steps = floor((commits[-1][0] - first) / every)
    states = {ceil((time - first) / every): commit for time, commit in commits}
    states = {step: commit for step, commit in states.items() if step <= steps}
    states.setdefault(steps, list(states.values())[-1])
    return [Snapshot(step, first + step * every, commit) for step, commit in states.items()]


def _run(command: list[str], name: str, folder: Path) -> bytes:
    try:
        done = subprocess.run(command, check=False, capture_output=True, env=_environment(folder))  # noqa: S603
    except FileNotFoundError:
        raise BadInput(f"cannot read {name}: git is not installed") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {done.returncode}"]
        reason = next((line for line in lines if line.startswith("fatal: ")), lines[-1]).removeprefix("fatal: ")
        raise BadInput(f"git cannot read {name}: {reason[:300]}")
    return done.stdout


def _environment(folder: Path) -> dict[str, str]:
    """Without the variables of other repositories; a folder that is none must not be read as part of one above it."""
    others = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    return others | _QUIET | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
