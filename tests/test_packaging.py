"""Sought on other people's machines: the plain installation, the Dockerfile, the systemd unit, the wheel."""

import configparser
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import requires
from pathlib import Path

import pytest

from sought.lab.replay.conformance import PROMISES
from sought.policy import Split, Worth
from sought.policy.installed import check_installed
from sought.toyweb import Served
from sought.web.errors import BadInput
from tests.testing.every_policy import EVERY_POLICY

ROOT = Path(__file__).parent.parent
UNIT = ROOT / "packaging/sought@.service"
EXTRAS = ("scipy", "sklearn", "matplotlib")

# ---- the Dockerfile, step by step


@dataclass
class Image:
    """What the Dockerfile makes, in a folder instead of a container: every absolute path of its own lies below it.

    Nothing here is Docker's: if a file is missing, a path is wrong or a command fails, so does the build.
    """

    root: Path
    variables: dict[str, str] = field(default_factory=dict)
    settings: dict[str, list[str]] = field(default_factory=dict)
    stages: int = 0
    own: set[str] = field(default_factory=set)  # paths that its steps have made

    def build(self, dockerfile: str) -> None:
        for line in dockerfile.replace("\\\n", " ").splitlines():
            if line.strip() and not line.startswith("#"):
                instruction, _, rest = line.partition(" ")
                getattr(self, f"_{instruction.lower()}")(rest.strip())

    def mapped(self, text: str) -> str:
        """Paths of the image as they are here; `python` is ours."""
        for path in sorted(self.own, key=len, reverse=True):
            text = text.replace(path, f"{self.root}{path}")
        return text

    def _from(self, rest: str) -> None:
        assert rest.startswith("python:3.")
        self.stages += 1

    def _copy(self, rest: str) -> None:
        *sources, to = rest.split()
        if sources[0].startswith("--from="):
            assert (self.root / sources[1][1:]).is_dir()  # an earlier stage has made it
            return
        allowed = (ROOT / ".dockerignore").read_text().split()
        self.own.add(to.rstrip("/"))
        for source in sources:
            assert f"!{source}" in allowed, f"{source} is not sent to the builder"
            goal = self.root / to[1:] / (source if to.endswith("/") else "")
            goal.parent.mkdir(parents=True, exist_ok=True)
            made = ROOT / source
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(made, goal, ignore=ignored) if made.is_dir() else shutil.copy(made, goal)

    def _run(self, rest: str) -> None:
        for command in rest.split(" && "):
            words = shlex.split(command)
            if words[:3] == ["python", "-m", "venv"] or words[0] == "mkdir":
                self.own.add(words[-1])
                (self.root / words[-1][1:]).parent.mkdir(parents=True, exist_ok=True)
            words = shlex.split(self.mapped(command))
            words[0] = sys.executable if words[0] == "python" else words[0]
            done = subprocess.run(words, capture_output=True, text=True)
            assert done.returncode == 0, f"{command}: {done.stderr}"

    def _env(self, rest: str) -> None:
        self.variables |= dict(each.split("=", 1) for each in shlex.split(self.mapped(rest)))

    def _setting(self, name: str, rest: str) -> None:
        words = rest.strip('[]"').split('", "') if rest.startswith("[") else [rest]
        self.settings[name] = words

    def __getattr__(self, name: str) -> object:
        if name in ("_user", "_volume", "_workdir", "_expose", "_stopsignal", "_entrypoint", "_cmd"):
            return lambda rest: self._setting(name[1:], rest)
        raise AttributeError(f"no such instruction is known here: {name}")

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """The entry point, as the image's user, with nothing of our environment."""
        [program] = self.settings["entrypoint"]
        found = shutil.which(program, path=self.variables["PATH"])
        assert found is not None
        assert found.startswith(str(self.root))
        user = int(self.settings["user"][0].partition(":")[0])
        return subprocess.Popen(
            [found, *map(self.mapped, arguments)],
            env=self.variables,
            cwd=self.mapped(self.settings["workdir"][0]),
            user=user if is_open_to_all(Path(sys.base_prefix)) else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> str:
        running = self.start(*arguments)
        out, err = running.communicate(timeout=600)
        assert running.returncode == 0, err
        return out


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """Below a folder that every user can enter: pytest's own are private."""
    if os.geteuid() != 0:
        pytest.skip("SKIPPED: only root can take the steps of the Dockerfile")
    with tempfile.TemporaryDirectory(prefix="sought-image-") as folder:
        Path(folder).chmod(0o755)
        made = Image(Path(folder))
        made.build((ROOT / "Dockerfile").read_text())
        yield made


def is_open_to_all(folder: Path) -> bool:
    """Whether another user can run what lies there; the Python of this machine may be somebody's own."""
    return all(each.stat().st_mode & 0o001 for each in (folder, *folder.parents))


def has_docker() -> bool:
    return shutil.which("docker") is not None and not subprocess.run(["docker", "info"], capture_output=True).returncode


@pytest.mark.skipif(not has_docker(), reason="SKIPPED: no container engine runs here; the steps are tested without one")
def test_the_image_is_built_and_runs() -> None:
    subprocess.run(["docker", "build", "--quiet", "--tag", "sought-test", ROOT], check=True)
    said = subprocess.run(["docker", "run", "--rm", "sought-test"], check=True, capture_output=True, text=True).stdout
    assert "Usage: sought" in said


@pytest.mark.slow
def test_the_image_crawls_searches_and_serves(image: Image, healthy: Served) -> None:
    """With the plain installation alone; as a user without rights, if that user can reach our Python."""
    assert image.stages == 2
    assert "Usage: sought" in image.run(*image.settings["cmd"])
    image.run("init", "/crawl/main", "https://docs.example.org/", "--contact", "you@example.org")
    config = Path(image.mapped("/crawl/main/sought.toml"))
    written = config.read_text()
    config.write_text(f'{healthy.toml()}\n[agent]\ncontact = "you@example.org"\n[politeness]\ndelay = 0.0\n')
    assert "Worth()" in written
    image.run("crawl", "/crawl/main", "--fetches", "30")
    assert "searchable" in image.run("status", "/crawl/main")
    assert image.run("search", "/crawl/main", "the", "--json").startswith("{")
    serving = image.start("serve", "/crawl/main", "--port", "0", "--json")
    assert serving.stdout is not None
    with serving:
        address = serving.stdout.readline().split('"')[3]
        for page in ("", "console", "api/search?q=the", "metrics"):
            with urllib.request.urlopen(f"{address}{page}") as answer:
                assert answer.status == 200
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(90) == 0
    packages = next(image.root.glob("opt/sought/lib/python3*/site-packages"))
    assert not [name for name in EXTRAS if (packages / name).exists()]
    assert Path(image.mapped("/crawl/.numba")).is_dir()  # a new container does not compile again


def test_what_is_installed_is_what_is_in_the_source_tree(image: Image) -> None:
    """Templates, scripts, pictures, words: whatever lies beside the modules."""
    packages = next(image.root.glob("opt/sought/lib/python3*/site-packages"))
    wanted = {file.relative_to(ROOT / "src") for file in (ROOT / "src/sought").rglob("*") if file.is_file()}
    wanted = {file for file in wanted if "__pycache__" not in file.parts}
    assert not [str(file) for file in wanted if not (packages / file).is_file()]
    pip = [str(image.root / "opt/sought/bin/python"), "-m", "pip", "check"]
    assert subprocess.run(pip, capture_output=True, check=False).returncode == 0
    module = [str(image.root / "opt/sought/bin/python"), "-m", "sought", "--help"]
    assert "Usage: sought" in subprocess.run(module, capture_output=True, check=True, text=True).stdout


# ---- the systemd unit


def unit() -> dict[str, str]:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as configparser documents it
    parser.read_string(UNIT.read_text())
    return dict(parser["Service"])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="SKIPPED: there is no systemd-analyze")
def test_systemd_takes_the_unit_for_sound(tmp_path: Path) -> None:
    """With our own program in the place of the one that is installed, which is not here."""
    copy = tmp_path / "sought@main.service"
    copy.write_text(UNIT.read_text().replace("/opt/sought/bin/sought", str(Path(sys.executable).parent / "sought")))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True, check=False)
    ours = [line for line in (done.stdout + done.stderr).splitlines() if copy.name in line]
    assert not ours


@pytest.mark.slow
def test_what_the_unit_starts_serves_and_ends_in_time(healthy: Served, tmp_path: Path) -> None:
    """Its command line and its signal; the crawl that it begins has ended, too, when it ends."""
    settings, path = unit(), tmp_path / "main"
    path.mkdir()
    (path / "sought.toml").write_text(f'{healthy.toml()}\n[agent]\ncontact = "you@example.org"\n')
    [program, *words] = shlex.split(settings["ExecStart"].replace("/var/lib/sought/%i", str(path)))
    assert program == "/opt/sought/bin/sought"
    command = [sys.executable, "-m", "sought", *words, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        address = running.stdout.readline().split('"')[3]
        with urllib.request.urlopen(address) as answer:
            assert answer.status == 200
        running.send_signal(getattr(signal, settings["KillSignal"]))
        assert running.wait(float(settings["TimeoutStopSec"])) == 0
    assert not [file for file in Path("/proc").glob("[0-9]*/cmdline") if str(path) in _text(file)]


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


# ---- extras


def test_the_plain_installation_names_no_extra() -> None:
    plain = [each for each in requires("sought") or () if "extra" not in each]
    assert not [each for each in plain if each.startswith(("scipy", "scikit-learn", "matplotlib"))]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extras had not been installed."""
    for name in [each for each in sys.modules if each.split(".")[0] in EXTRAS]:
        monkeypatch.delitem(sys.modules, name)
    for name in EXTRAS:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.slow
@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("policy", EVERY_POLICY, ids=repr)
def test_a_policy_works_without_extras_or_says_what_it_needs(policy) -> None:
    """What is not refused keeps its promises; nobody learns of a missing library in the middle of a crawl."""
    try:
        check_installed(policy)
    except BadInput as error:
        assert "pip install 'sought[lab]'" in str(error)
        return
    for _, kept in PROMISES:
        kept(policy)


@pytest.mark.usefixtures("plain")
def test_parts_are_asked_too() -> None:
    """A policy within a policy, and a parameter that makes the difference."""
    check_installed(Worth())
    with pytest.raises(BadInput, match="Worth"):
        check_installed(Worth(explore="draw"))
    with pytest.raises(BadInput, match="needs"):
        check_installed(Split(Worth(), Split(Worth(explore="draw"), Worth())))
