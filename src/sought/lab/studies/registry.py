"""Which studies there are: every `Study` in a module of this package, or under an entry point `sought.studies`."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from sought.lab.studies.papers import NUMBERS
from sought.lab.studies.study import Study
from sought.web.errors import BadInput
from sought.web.registry import Registry

EXPERIMENTS = Registry(
    "study",
    "sought.lab.studies",
    "sought.studies",
    lambda value: isinstance(value, Study),
    lambda study: [study.name, *study.aliases],
)


def studies_named(name: str) -> Sequence[Study]:
    """One by its name or alias, all of a paper, or all; `my_study:Mine` is of a file in the current directory."""
    if name == "all":
        return list(EXPERIMENTS.values())
    if name and (of_paper := [study for study in EXPERIMENTS.values() if study.paper == NUMBERS.get(name, name)]):
        return of_paper
    if ":" in name:
        return [EXPERIMENTS.read(name, Path.cwd())]
    names = {each.lower(): study for study in EXPERIMENTS.values() for each in (study.name, *study.aliases)}
    if name.lower() in names:
        return [names[name.lower()]]
    near = get_close_matches(name, EXPERIMENTS, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(EXPERIMENTS)}, and all"
    raise BadInput(f"no experiment {name!r}; {hint}")


def current_name(study: str) -> str:
    """The present name of a study; an unknown name is returned as it is."""
    return EXPERIMENTS[study].name if study in EXPERIMENTS else study
