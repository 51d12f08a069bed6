"""Policies and beliefs of one's own: in a file beside sought.toml, in an installed distribution, without a list."""

import pickle
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

import pytest

import sought
from sought.policy import Random, RoundRobin, Split, Worth, parse_policy
from sought.record.config import load_config
from sought.web import registry
from sought.web.errors import BadConfig, BadInput
from sought.web.expression import expression_of
from sought.web.local_modules import load
from sought.web.registry import BELIEFS, POLICIES, Registry
from tests.testing.named_thing import Thing

OWN = """
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Mine:
    power: float = 1.0
    inner: object = None

    def __call__(self, pages, now):
        return np.where(pages.is_new, -np.inf, (now - pages.last_fetch) ** self.power)


def newest(pages, now):
    return -pages.found


class Plain:
    pass


BEST = Mine(9.0)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "my_policy.py").write_text(OWN)
    return tmp_path


# ---- found by module:Name


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("my_policy:Mine(2)", "my_policy:Mine(power=2)"),
        ("my_policy:Mine", "my_policy:Mine()"),
        ("my_policy:newest", "my_policy:newest"),
        ("my_policy:BEST", "my_policy:Mine(power=9.0)"),
        ("Split(known=my_policy:Mine(2), share=0.25)", "Split(known=my_policy:Mine(power=2), share=0.25)"),
        ("my_policy:Mine(inner=Split(new=my_policy:newest))", "my_policy:Mine(inner=Split(new=my_policy:newest))"),
        ("my_policy:Mine(inner='a:b')", "my_policy:Mine(inner='a:b')"),
        ("my_policy:Mine(inner=(Never(), my_policy:Mine()))", "my_policy:Mine(inner=(Never(), my_policy:Mine()))"),
    ],
)
def test_what_is_put_on_record_is_read_back(folder, text, again):
    """Alone, inside of ours, and around ours; a class, a function or a value."""
    policy = parse_policy(text, folder)
    assert expression_of(policy) == again
    assert parse_policy(again, folder) == policy


def test_what_is_ours_is_put_on_record_as_its_repr():
    for policy in (Worth(), Split(Random(3), RoundRobin(new=True)), Worth(explore="none")):
        assert expression_of(policy) == repr(policy)


def test_what_cannot_be_named_is_its_repr():
    """A function inside of another has no name that somebody else could ask for."""

    @dataclass(frozen=True)
    class Local:
        pass

    assert expression_of(Local()) == repr(Local())
    assert expression_of(rule := lambda pages, now: pages.found) == repr(rule)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("my_polcy:Mine()", r"no module called 'my_polcy': there is no my_polcy.py in .*, and none is installed"),
        ("my_policy:Mien()", "my_policy.py has nothing called 'Mien'"),
        ("my_policy:Mine(3, 4, 5)", r"my_policy:Mine: too many.* it takes power=1.0, inner=None"),
        ("my_policy:Plain()", "my_policy:Plain is not a policy"),
        ("my_policy:np", "not a policy"),
        ("my_policy:newest()", "newest takes no parameters"),
        ("os:system('true')", "os is a module of Python itself"),
        ("subprocess:Popen('true')", "a module of Python itself"),
        ("sought.api:Crawl('x')", "is not a policy"),
        ("a.b.c:D()", "no module called 'a.b.c'"),
        ("a" * 300 + ":B()", "at most 200 characters"),
        ("my_policy:", "not a policy"),
    ],
)
def test_what_is_wrong_is_said(folder, text, says):
    """Nothing is called that is no policy and no belief."""
    with pytest.raises(BadInput, match=says) as caught:
        parse_policy(text, folder)
    assert "\n" not in str(caught.value)


def test_a_file_is_found_only_beside_its_own_crawl(folder, tmp_path_factory):
    with pytest.raises(BadInput, match="no module called 'my_policy'"):
        parse_policy("my_policy:Mine()", tmp_path_factory.mktemp("other"))
    with pytest.raises(BadInput, match="no module called 'my_policy'"):
        parse_policy("my_policy:Mine()")


def power(policy: Any) -> float:
    return float(policy.power)


def test_modules_of_one_name_in_two_crawls_are_two(folder, tmp_path_factory):
    """Also while both are in use; and neither can be imported by its plain name."""
    other = tmp_path_factory.mktemp("other")
    (other / "my_policy.py").write_text(OWN.replace("power: float = 1.0", "power: float = 7.0"))
    first, second = (parse_policy("my_policy:Mine()", each) for each in (folder, other))
    assert (power(first), power(second)) == (1.0, 7.0)
    assert parse_policy("my_policy:Mine()", folder) == first != second
    assert "my_policy" not in sys.modules
    assert str(folder) not in sys.path


def test_a_file_shadows_no_other_module(folder):
    """Those of Python and ours are as they were; one that is installed makes the name an error that names both."""
    for name in ("json", "sought", "numpy"):
        (folder / f"{name}.py").write_text(OWN)
    with pytest.raises(BadInput, match="json is a module of Python itself"):
        parse_policy("json:Mine()", folder)
    with pytest.raises(BadInput, match="nothing called 'Mine'"):
        parse_policy("sought:Mine()", folder)
    with pytest.raises(BadInput, match=r"two modules are called 'numpy': .*/numpy.py and .*/numpy/__init__.py"):
        parse_policy("numpy:Mine()", folder)
    assert load("my_policy:np", folder) is sys.modules["numpy"]


def test_neighbours_and_packages(folder):
    (folder / "helper.py").write_text("POWER = 5.0\n")
    (folder / "near.py").write_text("from .helper import POWER\n" + OWN.replace("= 1.0", "= POWER"))
    (folder / "rules").mkdir()
    (folder / "rules/__init__.py").write_text("")
    (folder / "rules/late.py").write_text(OWN)
    assert power(parse_policy("near:Mine()", folder)) == 5.0
    assert expression_of(parse_policy("rules.late:Mine(2)", folder)) == "rules.late:Mine(power=2)"
    assert not list(folder.rglob("__pycache__"))


def test_a_file_that_has_changed_is_loaded_again(folder):
    before = parse_policy("my_policy:Mine()", folder)
    assert type(parse_policy("my_policy:Mine()", folder)) is type(before)
    (folder / "my_policy.py").write_text(OWN.replace("power: float = 1.0", "power: float = 33.0"))
    assert power(parse_policy("my_policy:Mine()", folder)) == 33.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import numpy as np\n\nx = 1 / 0\n", r"{file}:3: ZeroDivisionError: division by zero"),
        ("def f(:\n", r"{file}:1: SyntaxError: invalid syntax"),
        ("import nothing_of_this_name\n", r"{file}:1: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("\nraise SystemExit(0)\n", r"{file}:2: SystemExit"),
        ("\n\nraise ValueError('two\\nlines')\n", r"{file}:3: ValueError: two lines"),
        (
            OWN.replace("    inner: object = None", "    def __post_init__(self):\n        self.nothing"),
            r"{file}:\d+: Attr",
        ),
    ],
)
def test_an_error_in_the_file_is_one_line_that_says_where(tmp_path, text, says):
    file = tmp_path / "my_policy.py"
    file.write_text(text)
    with pytest.raises(BadInput, match=says.replace("{file}", str(file))) as caught:
        parse_policy("my_policy:Mine()", tmp_path)
    assert "\n" not in str(caught.value)


def test_another_process_can_import_what_was_pickled(folder):
    """As the laboratory does with its cells."""
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).power)"
    policy = pickle.dumps(parse_policy("my_policy:Mine(4)", folder))
    done = subprocess.run([sys.executable, "-c", code], input=policy, capture_output=True, timeout=300, check=False)
    assert (done.stdout, done.stderr) == (b"4\n", b"")


# ---- in sought.toml


def test_sought_toml_names_what_lies_beside_it(folder):
    file = folder / "sought.toml"
    file.write_text('[crawl]\npolicy = "my_policy:Mine(2)"\n')
    assert expression_of(load_config(file).policy) == "my_policy:Mine(power=2)"
    (folder / "my_policy.py").write_text("x = 1 / 0\n")
    with pytest.raises(
        BadConfig, match=r"sought.toml: my_policy:Mine cannot be loaded: .*my_policy.py:1: ZeroDivision"
    ):
        load_config(file)
    file.write_text('folder = "/etc"\n')
    with pytest.raises(BadConfig, match="unknown key 'folder'"):
        load_config(file)


# ---- in an installed distribution


@pytest.fixture
def installed(folder, monkeypatch):
    """As if a distribution with `my_policy` were installed; its entry points are given."""
    monkeypatch.syspath_prepend(folder)

    def install(*points):
        made = [EntryPoint(name, value, group) for group, name, value in points]
        monkeypatch.setattr(registry, "entry_points", lambda group: [each for each in made if each.group == group])
        return Registry("policy", "sought.policy", "sought.policies", POLICIES.accepts, functions=True)

    yield install
    sys.modules.pop("my_policy", None)


@pytest.mark.parametrize(
    ("point", "names"),
    [
        ("my_policy:Mine", {"Mine"}),
        ("my_policy", {"Mine"}),  # a module: its classes
        ("my_policy:newest", {"newest"}),
    ],
)
def test_an_entry_point_is_found_by_its_plain_name(installed, point, names):
    policies = installed(("sought.policies", "x", point))
    assert set(policies) - set(POLICIES) == names
    [name] = names
    assert expression_of(policies.read(name)).startswith(f"my_policy:{name}")


def test_two_things_of_the_same_name(installed, folder):
    """Ours and another's, or two others': an error that names both."""
    (folder / "my_policy.py").write_text(OWN + "\n\nclass Worth(Mine):\n    pass\n")
    policies = installed(("sought.policies", "x", "my_policy"))
    with pytest.raises(
        BadInput,
        match=r"'Worth' is the name of more than one policy: sought.policy.worth.worth:Worth "
        r"and my_policy:Worth; rename or remove one",
    ):
        policies.read("Worth()")
    policies = installed(("sought.policies", "x", "my_policy:Mine"), ("sought.policies", "y", "my_policy:Mine"))
    assert "Mine" in policies  # the same thing twice is one


@pytest.mark.parametrize(
    ("point", "says"),
    [
        ("my_policy:Plain", "the entry point 'x' of sought.policies is no policy: my_policy:Plain"),
        ("my_polcy:Mine", r"the entry point 'x' of sought.policies \(my_polcy:Mine\) cannot be loaded: ModuleNotFound"),
    ],
)
def test_an_entry_point_that_leads_nowhere_is_named(installed, point, says):
    with pytest.raises(BadInput, match=says):
        installed(("sought.policies", "x", point)).read("Worth()")


# ---- a registry of values


def test_a_registry_has_classes_and_values(installed, folder):
    """A value has a name, and may have others; a tuple of values counts as each of them."""
    (folder / "things.py").write_text(
        "from tests.testing.named_thing import Thing\n"
        "ONE = Thing('one')\nMORE = (Thing('two', ('zwei',)), Thing('three'))\n_HIDDEN = Thing('four')\nAGAIN = ONE\n"
    )

    def is_thing(value):
        return isinstance(value, Thing) or value is Thing

    def names(value):
        return ["Thing"] if value is Thing else [value.name, *value.also]

    things = Registry("thing", "things", "", is_thing, names)
    assert list(things) == ["one", "two", "three"]
    assert things["zwei"] == things["two"] == things.read("two") == Thing("two", ("zwei",))
    assert (dict(things.classes), len(things.values_named)) == ({}, 3)
    assert "zwei" in things
    assert "four" not in things
    with pytest.raises(BadInput, match="no thing called 'tow'; did you mean two"):
        things.read("tow")
    sys.modules.pop("things")


def test_every_policy_and_belief_is_found_without_a_list():
    """What is defined in a module of these packages can be named; what is imported there is not counted twice."""
    assert {"Worth", "PageRank", "Never"} <= set(POLICIES)
    assert {"BayesRate", "Presence"} <= set(BELIEFS)
    assert not [each for each in POLICIES.values() if not each.__module__.startswith("sought.policy.")]
    assert sought.Worth is POLICIES["Worth"]


# ---- a whole crawl


def test_a_crawl_by_a_policy_of_ones_own(healthy, make_crawl):
    """From the file to the record: fetched by it, and what is on record is read back."""
    crawl = sought.open(make_crawl(healthy, "own"))
    (crawl.path / "my_policy.py").write_text(OWN)
    toml = crawl.path / "sought.toml"
    before = "Split(new=BreadthFirst(), known=RoundRobin(), share=0.5)"
    toml.write_text(toml.read_text().replace(before, "Split(new=my_policy:newest, known=my_policy:Mine(2))"))
    crawl.crawl(fetches=8)
    page = crawl.explain(healthy.seeds[0])
    chosen = page.history[0].chosen_by
    assert chosen == "Split(new=my_policy:newest, known=my_policy:Mine(power=2))"
    assert parse_policy(chosen, crawl.path) == load_config(toml).policy


def test_what_fails_in_the_middle_of_a_crawl_is_one_line_too(healthy, make_crawl):
    path = make_crawl(healthy, "own")
    (path / "my_policy.py").write_text("def broken(pages, now):\n    return pages.nothing\n")
    command = [sys.executable, "-m", "sought", "crawl", str(path), "--fetches", "3", "--policy", "my_policy:broken"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"sought: {path}/my_policy.py:2: AttributeError: 'Pages' object")
