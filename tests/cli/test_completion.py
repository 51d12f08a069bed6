"""Shells complete commands, directories and policies; `python -m sought` is `sought`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.commands import ENVIRONMENT, printed
from tests.testing.terminal import in_bash

_COMPLETE = '_sought_completion sought; printf "%s\\n" "${COMPREPLY[@]}"; echo --; '


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a crawl, another folder, a hidden one and a file."""
    path = tmp_path_factory.mktemp("completion")
    for name in ("my-crawl", "my-folder", ".mine"):
        (path / name).mkdir()
    (path / "my-crawl" / "sought.toml").write_text("")
    (path / "my-file").write_text("")
    return path


def test_bash_completes(folder: Path) -> None:
    """The script that is printed makes bash offer commands, crawls, policies and the names of orders."""
    lines = (
        ("cra", "crawl"),
        ("queries ne", "needy"),
        ("crawl my", "my-crawl my-folder/"),
        ("order my-crawl blo", "block"),
        ("crawl my-crawl --policy Breadth", "BreadthFirst()"),
    )
    script = f'cd "{folder}"; source <(sought --show-completion); '
    for line, _ in lines:
        words = ["sought", *line.split()]
        script += f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; {_COMPLETE}"
    found = in_bash(script, folder).split("--\n")
    for (line, offered), got in zip(lines, found, strict=False):
        assert got.split() == offered.split(), line


def test_bash_completion_is_installed(tmp_path: Path) -> None:
    """In the user's home, and read by the shell from then on."""
    in_bash("sought --install-completion; true", tmp_path)  # the shell must wait for it, or it is not the one detected
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any("_sought_completion" in file.read_text() for file in files)
    assert any(file.name == ".bashrc" for file in files)


def test_zsh_completes() -> None:
    """The script is zsh's, and what it asks is answered."""

    def asked(**more: str) -> str:
        command = [sys.executable, "-m", "sought"]
        environment = {**ENVIRONMENT, **more}
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment).stdout

    script = asked(_SOUGHT_COMPLETE="source_zsh")
    assert script.lstrip().startswith("#compdef sought")
    assert "_SOUGHT_COMPLETE=complete_zsh" in script
    assert '"crawl"' in asked(_SOUGHT_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS="sought cra")


def test_the_module_calls_itself_by_the_name_of_the_command() -> None:
    """However it was started."""
    command = [sys.executable, "-m", "sought", "queries", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=dict(os.environ))
    assert done.stdout.lstrip().startswith("Usage: sought queries [OPTIONS] COMMAND")
    assert printed("queries", "--help").lstrip().startswith("Usage: sought queries [OPTIONS] COMMAND")
