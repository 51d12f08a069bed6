"""`sought lab`: recorded webs, and which policy does best on them."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sought.cli import lab_compare, lab_import, lab_make
from sought.cli.lab_show import Bars, Cores, Results, World, show_finding, show_rows
from sought.cli.options import Json, console, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for polars
    from sought.lab.study import Finding, Study

app = typer.Typer(help="Recorded webs, and which policy does best on them.", no_args_is_help=True)
lab_import.app.command("graph")(lab_make.graph)
lab_import.app.command("wiki")(lab_make.wiki)
app.add_typer(lab_import.app, name="import")
app.command("generate")(lab_make.generate)
app.add_typer(lab_make.queries, name="queries")
app.command("compare")(lab_compare.compare)

_RESULTS = Path("lab-results")


@app.command()
def show(world: World, json: Json = False) -> None:
    """What a world holds: pages, versions, links, queries, changes, and where it is from."""
    from sought.cli.show import show_tree
    from sought.lab.about import about
    from sought.lab.files import open_world

    found = about(open_world(world))
    if json:
        print_json(found)
    else:
        days = {"from": _day(found["from"]), "to": _day(found["to"]), "unit": f"{found['unit'] / 86400:g} days"}
        show_tree(found | days)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="An experiment of 'sought lab experiments', or all.")],
    world: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A world (again for more); default: all *.world here.", show_default=False),
    ] = None,
    results: Results = _RESULTS,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer budgets, moments and repetitions.")] = False,
    cores: Cores = 2,
    json: Json = False,
) -> None:
    """Run a named experiment and keep its verdict.  Ctrl-C keeps what is finished; the same command goes on."""
    from sought.lab.cells import code_mark
    from sought.lab.findings import save_finding
    from sought.lab.study import Bench

    chosen, worlds = _studies(name), world or _worlds_here()
    kept: list[dict[str, Any]] = []
    for study in chosen:
        with Bars(quiet=json) as bars:
            found = study.run(Bench(worlds, results, cores, bars.report, quick))
        found = save_finding(found, results, code_mark(), _day(time.time()))
        if json:
            kept.append(_told(found, study))
        else:
            show_finding(found, f"{study.title} ({study.name})")
    if json:
        print_json({"findings": kept})


@app.command()
def report(
    results: Results = _RESULTS,
    to: Annotated[Path, typer.Option(metavar="FILE", help="The page to write.")] = Path("lab-report.html"),
    json: Json = False,
) -> None:
    """Write all verdicts and comparisons as one HTML page that needs nothing but itself."""
    from sought.lab.findings import read_findings, read_tables
    from sought.lab.report import report_page

    _check_results(results)
    findings, tables = list(read_findings(results).values()), read_tables(results)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(report_page(findings, tables), encoding="utf-8")
    if json:
        print_json({"file": str(to), "findings": len(findings), "tables": len(tables)})
    else:
        console.print(f"{to}: {len(findings)} verdicts, {len(tables)} comparisons", markup=False)


@app.command()
def policies(json: Json = False) -> None:
    """Which policies there are, oracles among them."""
    from sought.lab.compare import SEEDS
    from sought.lab.oracles import ORACLES
    from sought.policy import POLICIES

    rows = [
        {
            "policy": name,
            "oracle": name in ORACLES,
            "seed": SEEDS.get(name, ""),
            "what": (kind.__doc__ or "").strip().splitlines()[0],
        }
        for name, kind in sorted((POLICIES | ORACLES).items(), key=lambda item: (item[0] in ORACLES, item[0]))
    ]
    if json:
        print_json({"policies": rows})
    else:
        show_rows([row | {"oracle": "oracle" if row["oracle"] else ""} for row in rows])


@app.command()
def experiments(results: Results = _RESULTS, json: Json = False) -> None:
    """Which experiments there are, by paper, with the last verdict."""
    from sought.lab.experiments import EXPERIMENTS
    from sought.lab.findings import read_findings

    last = read_findings(results)
    rows = [
        {
            "experiment": study.name,
            "seed": study.seed,
            "question": study.question,
            "expects": study.expects,
            "needs": study.needs,
            "verdict": last[study.name].verdict if study.name in last else "",
        }
        for study in sorted(EXPERIMENTS.values(), key=lambda study: (study.seed, study.name))
    ]
    if json:
        print_json({"experiments": rows})
    else:
        show_rows([{name: row[name] for name in ("experiment", "seed", "verdict", "question")} for row in rows])


@app.command()
def verdicts(results: Results = _RESULTS, json: Json = False) -> None:
    """The last verdict of each experiment, with its numbers."""
    from sought.lab.experiments import EXPERIMENTS
    from sought.lab.findings import read_findings

    found = read_findings(results)
    if json:
        print_json({"verdicts": [_told(each, EXPERIMENTS.get(each.study)) for each in found.values()]})
        return
    if not found:
        console.print("No experiment has been run yet: sought lab run all")
    for each in found.values():
        study = EXPERIMENTS.get(each.study)
        show_finding(each, f"{study.title} ({study.name})" if study else each.study)


def _studies(name: str) -> "list[Study]":
    from difflib import get_close_matches

    from sought.lab.experiments import EXPERIMENTS

    if name == "all":
        return list(EXPERIMENTS.values())
    if name in EXPERIMENTS:
        return [EXPERIMENTS[name]]
    near = get_close_matches(name, EXPERIMENTS, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(EXPERIMENTS)}, and all"
    raise BadInput(f"no experiment {name!r}; {hint}")


def _worlds_here() -> list[Path]:
    found = sorted(Path().glob("*.world"))
    if not found:
        raise BadInput("no *.world here: name one with --world, or make one with 'sought lab generate'")
    return found


def _check_results(results: Path) -> None:
    if not results.is_dir():
        raise BadInput(f"no results in {results}: run 'sought lab run all' or 'sought lab compare' first")


def _told(found: "Finding", study: "Study | None") -> dict[str, Any]:
    """A finding without its figures, which are for the report."""
    from sought.lab.cells import code_mark
    from sought.lab.report import command_of

    told = asdict(found)
    del told["figures"]
    seed = study.seed if study else ""
    return told | {"seed": seed, "same_code": found.code == code_mark(), "command": command_of(found)}


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))
