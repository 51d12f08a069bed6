"""What the documents show is run."""

import dataclasses
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from sought.policy import POLICIES
from sought.record.config import check_config
from sought.web.registry import BELIEFS
from tests.testing.commands import run, run_script

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language):
    return [
        pytest.param(block, id=f"{document.stem}-{number}")
        for document in DOCUMENTS
        for number, block in enumerate(re.findall(rf"```{language}\n(.*?)```", document.read_text(), re.S))
    ]


@pytest.mark.parametrize("block", blocks("toml"))
def test_configurations_are_valid(block):
    """Every sought.toml in the documents is one."""
    check_config(tomllib.loads(block), "docs")


def test_the_documented_configuration_is_complete_and_has_the_defaults():
    """docs/configuration.md names every key, and the value it shows is the default unless it is an example."""
    [text] = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "configuration.md").read_text(), re.S)
    shown, defaults = tomllib.loads(text), check_config({}, "defaults")
    examples = {"seeds", "agent.contact", "scope.domains", "scope.hosts", "scope.exclude", "fetch.resolve"}
    for section in ("agent", "scope", "crawl", "demand", "politeness", "fetch", "traps"):
        default = getattr(defaults, section)
        assert set(shown[section]) == set(default.__struct_fields__)
        for key, value in shown[section].items():
            if f"{section}.{key}" not in examples:
                expected = getattr(default, key)
                assert value == (list(expected) if isinstance(expected, tuple) else expected), key


def test_every_policy_is_documented_with_its_defaults():
    """The table of docs/configuration.md has a line for each policy, with its parameters as they are."""
    table = re.findall(r"^\| `(\w+)\((.*?)\)` \|", (ROOT / "docs" / "configuration.md").read_text(), re.M)
    shown, classes = dict(table), POLICIES | BELIEFS
    assert set(shown) == set(classes)
    for name in set(shown) - {"Split", "Random", "RoundRobin"}:  # whose line says it in words
        assert shown[name].replace('"', "'") == _signature(classes[name])


def _signature(policy):
    fields = dataclasses.fields(policy)
    return ", ".join(f.name if _default(f) is None else f"{f.name}={_default(f)!r}" for f in fields)


def _default(field):
    """None if there is none: no policy has that as a default."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if field.default is dataclasses.MISSING else field.default


@pytest.mark.parametrize("block", blocks("python"))
def test_python_examples_run(block, tmp_path):
    """Every Python example runs as it is written."""
    script = tmp_path / "example.py"
    script.write_text(block)
    done = run_script(script)
    assert done.returncode == 0, done.stderr


def test_commands_run(healthy, make_crawl, tmp_path):
    """The README's commands run in their order; after `init` the directory is pointed at the toy web."""
    readme = (ROOT / "README.md").read_text()
    commands = re.findall(r"^\$ (sought .*)$", readme, re.M)
    assert len(commands) >= 14
    (tmp_path / "queries.tsv").write_text(re.findall(r"```tsv\n(.*?)```", readme, re.S)[0])
    for command in commands:
        words = shlex.split(command)[1:]
        if words[0] == "explain":
            words[2] = healthy.seeds[0]
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        if words[0] == "init":
            (tmp_path / "my-crawl" / "sought.toml").unlink()
            make_crawl(healthy, "toy")
            (tmp_path / "toy" / "sought.toml").rename(tmp_path / "my-crawl" / "sought.toml")
        elif words[0] == "search":
            assert "toy.test" in done.stdout
        elif words[0] == "explain":
            assert "a fetch now" in done.stdout


def test_the_commands_of_the_laboratory_run(tmp_path):
    """Those of docs/lab.md, in their order, with nothing but what they make themselves."""
    commands = re.findall(r"^\$ (sought .*)$", (ROOT / "docs" / "lab.md").read_text(), re.M)
    assert len(commands) == 6
    for command in commands:
        done = run(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{command}: {done.stderr}"
    assert (tmp_path / "lab-report.html").exists()
    assert (tmp_path / "fetches.parquet").exists()


def test_links_between_documents_lead_somewhere():
    """No dead links inside the repository."""
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", document.read_text()):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name}: {target}"
