"""What the documents show is run."""

import dataclasses
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer

from benchmarks.__main__ import app as benchmarks_app
from sought.cli.commands import app
from sought.policy import POLICIES
from sought.record.config import check_config
from sought.web.policy import PolicyDefaults
from sought.web.registry import BELIEFS
from tests.testing.commands import run, run_script

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
CONFIGURATION, LABORATORY = DOCS / "reference" / "configuration.md", DOCS / "reference" / "lab.md"
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]


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
    """docs/reference/configuration.md names every key with its default, unless the value is an example."""
    [text] = re.findall(r"```toml\n(.*?)```", CONFIGURATION.read_text(), re.S)
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
    """The table of docs/reference/configuration.md has a line for each policy, with its parameters as they are."""
    table = re.findall(r"^\| `(\w+)\((.*?)\)` \|", CONFIGURATION.read_text(), re.M)
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


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks("python"))
def test_python_examples_run(block, tmp_path):
    """Every Python example runs as it is written."""
    script = tmp_path / "example.py"
    script.write_text(block)
    done = run_script(script)
    assert done.returncode == 0, done.stderr


def commands_of(document):
    return re.findall(r"^\$ (sought .*)$", document.read_text(), re.M)


def run_commands(document, healthy, make_crawl, folder):
    """Run a document's commands in their order; after `init` the directory is pointed at the toy web."""
    tables = re.findall(r"```tsv\n(.*?)```", document.read_text(), re.S)
    for table in tables:
        (folder / "queries.tsv").write_text(table)
    for command in commands_of(document):
        words = shlex.split(command)[1:]
        if words[0] == "explain":
            words[2] = healthy.seeds[0]
        words = ["1s" if word == "1d" else word for word in words]  # of a crawl that lasts seconds, not days
        done = run(*words, cwd=folder)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        if words[0] == "init":
            (folder / "my-crawl" / "sought.toml").unlink()
            make_crawl(healthy, "toy", revisit_after="1s")  # so that later commands fetch something, too
            (folder / "toy" / "sought.toml").rename(folder / "my-crawl" / "sought.toml")
            (folder / "toy").rmdir()
        elif words[0] == "search":
            assert "toy.test" in done.stdout
        elif words[0] == "explain":
            assert "a fetch now" in done.stdout.lower()
        elif words[:2] == ["lab", "compare"] and (shown := printed_after(document, command)):
            assert [line.rstrip() for line in done.stdout.splitlines()] == shown


def printed_after(document, command):
    """The lines of the `text` block that follows the console block in which a command is."""
    [found] = re.findall(
        rf"^\$ {re.escape(command)}\n(?:\$.*\n)*```\n(?:[^`]|`(?!``))*?(?:```text\n(.*?)```|\Z|```|^## )",
        document.read_text(),
        re.M | re.S,
    )
    return found.splitlines()


def test_the_commands_of_the_readme_run(healthy, make_crawl, tmp_path):
    """Crawl, queries and comparison, with the output that is shown."""
    readme = ROOT / "README.md"
    assert len(commands_of(readme)) == 10
    run_commands(readme, healthy, make_crawl, tmp_path)


def test_the_readme_is_short():
    """Everything else is in docs/."""
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


@pytest.mark.slow
def test_the_tutorials_run(healthy, make_crawl, tmp_path):
    """The first crawl, then the comparison, which makes a world of it."""
    crawl, compare = DOCS / "tutorial" / "first-crawl.md", DOCS / "tutorial" / "compare-policies.md"
    assert (len(commands_of(crawl)), len(commands_of(compare))) == (19, 4)
    run_commands(crawl, healthy, make_crawl, tmp_path)
    run_commands(compare, healthy, make_crawl, tmp_path)


@pytest.mark.slow
def test_the_guide_to_policies_runs(healthy, make_crawl):
    """Its files lie beside sought.toml; its commands and checks run there, in their order, as they are written."""
    guide, folder = DOCS / "how-to" / "write-a-policy-or-a-belief.md", make_crawl(healthy, "own")
    files = re.findall(r"Save this as `(\w+\.py)`(?:[^`]|`(?!``))*```python\n(.*?)```", guide.read_text(), re.S)
    assert [name for name, _ in files] == ["my_policy.py", "my_belief.py"]
    for name, text in files:
        (folder / name).write_text(text)
    assert len(commands_of(guide)) == 6
    for command in commands_of(guide):
        done = run(*shlex.split(command)[1:], cwd=folder)
        assert done.returncode == 0, f"{command}: {done.stderr}"
    checks = re.findall(r"```py\n(.*?)```", guide.read_text(), re.S)
    assert len(checks) == 2
    for text in checks:
        (folder / "check.py").write_text(text)
        alone = [sys.executable, "check.py"]
        checked = subprocess.run(alone, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        assert checked.returncode == 0, checked.stderr
    [line] = re.findall(r"^policy = .*$", guide.read_text(), re.M)
    toml = folder / "sought.toml"
    toml.write_text(re.sub(r"^policy = .*$", line, toml.read_text(), flags=re.M))
    assert json.loads(run("crawl", ".", "--fetches", "3", "--json", cwd=folder).stdout)["fetched"] == 3


def test_every_attribute_of_a_policy_is_documented():
    """The table of the guide names what `PolicyDefaults` has, but for what only oracles have."""
    guide = (DOCS / "how-to" / "write-a-policy-or-a-belief.md").read_text()
    shown = set(re.findall(r"^\| `(\w+)[(`]", guide, re.M)) | {"known"}
    assert shown | {"is_oracle", "knows_all"} == set(PolicyDefaults.__annotations__)


@pytest.mark.slow
def test_the_commands_of_the_laboratory_run(tmp_path):
    """Those of docs/reference/lab.md, in their order, with nothing but what they make themselves."""
    commands = commands_of(LABORATORY)
    assert len(commands) == 6
    for command in commands:
        done = run(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{command}: {done.stderr}"
    assert (tmp_path / "lab-report.html").exists()
    assert (tmp_path / "fetches.parquet").exists()


def commands_in_documents():
    """Every command in a code block of a document: (program, words, where)."""
    for document in DOCUMENTS:
        for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", document.read_text(), re.M | re.S):
            if language not in ("console", "sh", ""):
                continue
            for line in re.findall(r"(?:^[$#] |\| )\S*?((?:sought|python -m benchmarks) .*?)(?: #.*)?$", block, re.M):
                words = shlex.split(line)
                skip = 3 if words[0] == "python" else 1
                yield words[0], words[skip:], f"{document.name}: {line}"


@pytest.mark.parametrize("name", ["sought", "python"])
def test_every_command_that_is_shown_exists(name):
    """Also those that a test cannot run: commands, options and the number of arguments are as they are written."""
    root = typer.main.get_command(app if name == "sought" else benchmarks_app)
    shown = [(words, where) for program, words, where in commands_in_documents() if program == name]
    assert len(shown) > 5
    for words, where in shown:
        command, context, rest = root, root.make_context(name, list(words), resilient_parsing=True), list(words)
        while hasattr(command, "get_command") and rest and not rest[0].startswith("-"):
            command = command.get_command(context, rest.pop(0))
            assert command is not None, where
            context = type(context)(command, parent=context, info_name=command.name)
        try:
            command.make_parser(context).parse_args(rest)
        except Exception as error:  # noqa: BLE001  of typer's own click, whose name cannot be imported
            pytest.fail(f"{where}: {error}")


def test_links_between_documents_lead_somewhere():
    """No dead links inside the repository."""
    for document in DOCUMENTS:
        for target in re.findall(r"(?:\]\(|src=\")([^)#\"]+?)(?:#[^)]*)?[)\"]", document.read_text()):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_files_that_the_architecture_names_exist():
    """Each `room/`, `room/file.py`, `benchmarks/` or `tests/file.py`; DIR/ is a crawl directory, not ours."""
    named = re.findall(r"`([^`\s]+(?:\.py|/))`", (DOCS / "explanation" / "architecture.md").read_text())
    ours = [each for each in named if not each.startswith("DIR/")]
    missing = [each for each in ours if not any((place / each).exists() for place in (ROOT / "src" / "sought", ROOT))]
    assert len(ours) > 50
    assert not missing


def test_the_architecture_has_a_section_for_every_room():
    """In the order of the floors, except that what lies beside src comes last."""
    text = (DOCS / "explanation" / "architecture.md").read_text()
    rooms = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["house"]["rooms"]
    there = [each for each in rooms if (ROOT / "src" / "sought" / each).exists() or each in ("api", "cli")]
    assert re.findall(r"^### `?(\w+)", text, re.M) == [*there, "benchmarks", "tests"]


def test_papers_are_called_by_their_authors():
    """No document calls a paper by a number."""
    for document in DOCUMENTS:
        found = re.findall(r"\bseeds? 00\d|seed-00\d|\[00[0-4]\]|\bseed papers?\b", document.read_text(), re.I)
        assert not found, f"{document.name}: {found}"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The documents as a site; every warning, such as a dead link or anchor, fails the build."""
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed: pip install --group docs")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(
        build, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_site_has_every_document(site):
    """And every figure and picture."""
    assert {each.relative_to(DOCS).with_suffix("") for each in DOCS.rglob("*.md")} <= {
        each.relative_to(site).with_suffix("") for each in site.rglob("*.html")
    }
    pictures = {each.relative_to(DOCS) for kind in ("*.svg", "*.png") for each in DOCS.rglob(kind)}
    assert pictures <= {each.relative_to(site) for each in site.rglob("*.*")}


def test_the_site_loads_nothing_from_elsewhere(site):
    """No font, script, style or picture: it can be read without a network."""
    for page in site.rglob("*.html"):
        tags = re.findall(r"<(?:link|script|img|iframe|source)\b[^>]*>", page.read_text())
        loaded = [
            each for each in tags if "canonical" not in each and re.search(r"(?:src|href)=\"?(?:https?:)?//", each)
        ]
        assert not loaded, f"{page.name}: {loaded}"
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import )[\"']?(?:https?:)?//", style.read_text()), style.name
