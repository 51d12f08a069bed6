"""sought.toml: what is right is read, what is wrong is one line that says what to change."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sought
from sought.record.config import Config, check_config, load_config, rate, seconds
from sought.web.errors import BadConfig, BadInput

DEFAULTS = {key: value for key, value in msgspec.to_builtins(Config()).items() if key != "folder"}
SECTIONS = [name for name, value in DEFAULTS.items() if isinstance(value, dict)]


def test_defaults_survive_a_round_trip(tmp_path: Path) -> None:
    """An empty file is the default configuration, and the defaults written out are read as themselves."""
    (tmp_path / "sought.toml").write_text("")
    assert msgspec.structs.replace(load_config(tmp_path / "sought.toml"), folder="") == Config()
    assert check_config(DEFAULTS, "test") == Config()


def test_what_init_writes_is_read_back(tmp_path: Path) -> None:
    """The file `sought init` makes holds the defaults, the seeds in canonical form, the contact and the domains."""
    sought.init(tmp_path / "c", ["HTTP://Example.ORG:80/a?utm_source=x#y"], "me@example.org", ["Example.org"])
    config = load_config(tmp_path / "c" / "sought.toml")
    assert config.seeds == ("http://example.org/a",)
    assert config.agent.contact == "me@example.org"
    assert config.scope.domains == ("example.org",)
    assert (config.crawl, config.politeness) == (Config().crawl, Config().politeness)


@pytest.mark.parametrize(
    ("data", "nearest"),
    [
        ({"seed": []}, "'seeds'"),
        ({"politenes": {}}, "'politeness'"),
        ({"crawl": {"budgets": "1 per day"}}, "'budget'"),
        ({"scope": {"domain": []}}, "'domains'"),
        ({"traps": {"page_per_host": 3}}, "'pages_per_host'"),
        ({"agent": {"xyzzy": 3}}, "known keys: contact, name"),
    ],
)
def test_unknown_keys_name_the_nearest(data: dict[str, Any], nearest: str) -> None:
    """A key nobody knows is refused, wherever it stands, with the key that was probably meant."""
    with pytest.raises(BadConfig, match="unknown key") as refusal:
        check_config(data, "here/sought.toml")
    assert nearest in str(refusal.value)
    assert str(refusal.value).startswith("here/sought.toml: ")


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_of_every_section_minds_its_spelling(section: str) -> None:
    """Each key with one letter too many is refused and named."""
    for key in DEFAULTS[section]:
        with pytest.raises(BadConfig, match=f"did you mean '{key}'"):
            check_config({section: {key + "x": 1}}, "test")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"seeds": "http://a.org/"}, "array"),
    ({"seeds": [1]}, "seeds"),
    ({"seeds": ["not a url"]}, "not a URL"),
    ({"seeds": ["ftp://a.org/"]}, "http"),
    ({"agent": 3}, "agent"),
    ({"agent": {"name": "Mozilla/5.0"}}, "name"),
    ({"crawl": {"budget": "many per day"}}, "not a budget"),
    ({"crawl": {"budget": "0 per day"}}, "not a budget"),
    ({"crawl": {"budget": "10 per fortnight"}}, "not a budget"),
    ({"crawl": {"budget": "1__0 per day"}}, "not a budget"),
    ({"crawl": {"budget": "9" * 5000 + " per day"}}, "not a budget"),
    ({"crawl": {"revisit_after": "soon"}}, "not a duration"),
    ({"crawl": {"revisit_after": "-1d"}}, "not a duration"),
    ({"crawl": {"revisit_after": "9" * 400 + "d"}}, "not a duration"),
    ({"crawl": {"policy": "Breadthfirst()"}}, "did you mean BreadthFirst"),
    ({"crawl": {"policy": "Split(share=2)"}}, "0 to 1"),
    ({"crawl": {"policy": "__import__('os').abort()"}}, "not allowed"),
    ({"crawl": {"policy": "1 +"}}, "not a policy"),
    ({"crawl": {"sitemaps": "yes"}}, "bool"),
    ({"politeness": {"delay": -1}}, "delay"),
    ({"politeness": {"delay": float("nan")}}, "delay"),
    ({"politeness": {"delay": float("inf")}}, "delay"),
    ({"politeness": {"per_host": 0}}, "per_host"),
    ({"fetch": {"timeout": 0}}, "timeout"),
    ({"fetch": {"timeout": float("inf")}}, "timeout"),
    ({"fetch": {"max_body": 10**30}}, "max_body"),
    ({"fetch": {"allow_networks": ["10.0.0.1/8"]}}, "10.0.0.1/8"),
    ({"fetch": {"allow_networks": ["everything"]}}, "everything"),
    ({"fetch": {"resolve": {"a.org": "b.org"}}}, "b.org"),
    ({"scope": {"exclude": ["("]}}, "unterminated"),
    ({"scope": {"exclude": ["a{99999999999}"]}}, "too large"),
    ({"scope": {"domains": ["https://example.org/"]}}, "https://example.org/"),
    ({"scope": {"hosts": ["Example.org"]}}, "lower case"),
    ({"scope": {"max_depth": 70000}}, "max_depth"),
    ({"traps": {"pages_per_host": 0}}, "pages_per_host"),
]


@pytest.mark.parametrize(("data", "said"), BAD)
def test_wrong_values_are_refused_and_named(data: dict[str, Any], said: str) -> None:
    """Types, ranges, budgets, durations, policies, networks, addresses, patterns and names are checked at the door."""
    with pytest.raises(BadConfig) as refusal:
        check_config(data, "here/sought.toml")
    assert said in str(refusal.value)
    assert str(refusal.value).startswith("here/sought.toml: ")


@pytest.mark.parametrize(
    ("text", "value"),
    [("90s", 90.0), ("15m", 900.0), ("12h", 43200.0), ("1d", 86400.0), ("2w", 1209600.0), (" 1.5 d ", 129600.0)],
)
def test_durations(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("10 per hour", (10, 3600.0)), ("100_000 per day", (100_000, 86400.0)), ("1 per week", (1, 604800.0))],
)
def test_budgets(text: str, value: tuple[int, float]) -> None:
    assert rate(text) == value


def test_seeds_are_canonical_and_distinct() -> None:
    """Two spellings of an address are one seed; the order is kept."""
    seeds = ["http://b.org", "HTTP://A.org:80/x/../y#z", "http://b.org/", "http://a.org/y?utm_medium=m"]
    assert check_config({"seeds": seeds}, "test").seeds == ("http://b.org/", "http://a.org/y")


@pytest.mark.parametrize("agent", ["", '[agent]\ncontact = ""', '[agent]\ncontact = "nobody"'])
def test_no_contact_no_crawl(tmp_path: Path, agent: str) -> None:
    """Without a way to reach its owner the crawler does not start, and says what to write where."""
    (tmp_path / "sought.toml").write_text(f'seeds = ["http://127.0.0.1:9/"]\n{agent}\n')
    with pytest.raises(BadConfig, match=r'contact = "you@example.org" under \[agent\] in sought.toml'):
        sought.open(tmp_path).crawl(fetches=1)
    assert not (tmp_path / "store").exists()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """Missing, not TOML, not UTF-8, a directory: each is one BadConfig that names the file or what to do."""
    file = tmp_path / "sought.toml"
    with pytest.raises(BadConfig, match="sought init"):
        load_config(file)
    for content in (b"seeds = [", b"\xff\xfe", b"a = " + b"[" * 5000):
        file.write_bytes(content)
        with pytest.raises(BadConfig, match=r"sought\.toml"):
            load_config(file)
    file.unlink()
    file.mkdir()
    with pytest.raises(BadConfig, match=r"sought\.toml"):
        load_config(file)


names = st.sampled_from(sorted({*DEFAULTS, *(key for s in SECTIONS for key in DEFAULTS[s])})) | st.text(max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.dates() | st.datetimes()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=8
)


@given(st.dictionaries(names, values, max_size=4))
def test_any_table_is_a_config_or_a_bad_config(data: dict[str, Any]) -> None:
    """No value, however odd, gets through as anything else."""
    try:
        config = check_config(data, "test")
    except BadConfig:
        return
    written = {key: value for key, value in msgspec.to_builtins(config).items() if key != "folder"}
    assert check_config(written, "test") == config


toml_pieces = st.sampled_from(
    ["[agent]", "[scope]", "seeds", "contact", "domains", "exclude", " = ", '"x"', "[", "]", "\n", "1", "1979-05-27"]
)


@given(st.text(max_size=80) | st.lists(toml_pieces, max_size=12).map("".join))
@example("a.b.c = 1")
@example("seeds = [" * 3)
def test_any_text_is_a_config_or_a_bad_config(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Whatever stands in the file, reading it ends in a Config or in BadConfig."""
    file = tmp_path_factory.getbasetemp() / "fuzz.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        load_config(file)
    except BadConfig:
        return
    tomllib.loads(file.read_text())


@given(st.text(max_size=30))
def test_any_duration_or_budget_is_a_number_or_bad_input(text: str) -> None:
    for read in (seconds, rate):
        try:
            read(text)
        except BadInput:
            continue
