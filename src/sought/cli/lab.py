"""`sought lab`: compare policies on recorded webs."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sought.cli import lab_compare, lab_import, lab_make
from sought.cli.lab_show import Bars, Cores, Results, World, day, duration, show_finding, show_rows
from sought.cli.options import Json, console, make_folder, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for polars
    from sought.lab.studies.study import Finding, Study

app = typer.Typer(help="Compare policies on recorded webs.", no_args_is_help=True)
app.add_typer(lab_import.app, name="import")
app.command("generate")(lab_make.generate)
app.add_typer(lab_make.queries, name="queries")
app.command("compare")(lab_compare.compare)

_RESULTS = Path("lab-results")


@app.command()
def show(world: World, json: Json = False) -> None:
    """Show a world: pages, versions, links, queries, changes, origin."""
    from sought.cli.show import show_tree
    from sought.lab.worlds.files import open_world
    from sought.lab.worlds.summary import about

    summary = about(open_world(world))
    if json:
        print_json(summary)
    else:
        times = {"from": day(summary["from"]), "to": day(summary["to"]), "unit": duration(summary["unit"])}
        notes = {name: note for name, note in summary["notes"].items() if note not in ("", [], {})}
        show_tree(summary | times | {"notes": notes})


@app.command()
def run(
    name: Annotated[
        str,
        typer.Argument(
            help="An experiment of 'sought lab experiments', my_study:Mine of a file here, all of a paper "
            "(tan-mitra-2010, …), or all."
        ),
    ],
    world: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A world (repeatable); default: all *.world here.", show_default=False),
    ] = None,
    results: Results = _RESULTS,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer budgets, moments and repetitions.")] = False,
    cores: Cores = 2,
    json: Json = False,
) -> None:
    """Run a named experiment and keep its verdict.  Ctrl-C keeps finished results; the same command resumes."""
    from sought.lab.studies.findings import save_finding
    from sought.lab.studies.marks import code_mark
    from sought.lab.studies.registry import studies_named
    from sought.lab.studies.study import StudyContext

    chosen = studies_named(name)
    make_folder(results, "--results")
    worlds = world or ([] if all(study.worldless for study in chosen) else _worlds_here())
    kept: list[dict[str, Any]] = []
    for study in chosen:
        with Bars(quiet=json) as bars:
            judging = [] if study.worldless else worlds
            finding = study.run(StudyContext(judging, results, cores, bars.report, quick))
        finding = save_finding(finding, results, code_mark(), _now())
        if json:
            kept.append(_as_json(finding, study))
        else:
            show_finding(finding, f"{study.title} ({study.name})")
    if json:
        print_json({"findings": kept})


@app.command()
def report(
    results: Results = _RESULTS,
    to: Annotated[Path, typer.Option(metavar="FILE", help="The page to write.")] = Path("lab-report.html"),
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the figures as SVG files too.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Write all verdicts and comparisons as one self-contained HTML page."""
    from sought.lab.studies.findings import read_findings, read_tables, write_figures
    from sought.lab.studies.report import report_page

    _check_results(results)
    findings, tables = read_findings(results), read_tables(results)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(report_page(findings, tables), encoding="utf-8")
    drawn = write_figures(reversed(findings), figures) if figures else []
    if json:
        print_json({"file": str(to), "findings": len(findings), "tables": len(tables), "figures": len(drawn)})
    else:
        console.print(f"{to}: {len(findings)} verdicts, {len(tables)} comparisons", markup=False)
        if figures:
            console.print(f"{figures}: {len(drawn)} figures", markup=False)


@app.command()
def policies(json: Json = False) -> None:
    """List the policies, with oracles."""
    from sought.lab.replay.oracles import ORACLES
    from sought.policy import POLICIES

    rows = [
        {
            "policy": name,
            "oracle": name in ORACLES,
            "paper": getattr(kind, "paper", ""),
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
    """List the experiments by paper, with the last verdict; full runs before quick ones."""
    from sought.lab.studies.findings import last_verdict, read_findings
    from sought.lab.studies.registry import EXPERIMENTS

    _refuse_file(results)
    findings = read_findings(results)
    rows = [
        {
            "experiment": study.name,
            "aliases": list(study.aliases),
            "paper": study.paper,
            "question": study.question,
            "statements": [asdict(statement) for statement in study.statements],
            "needs": study.needs,
            "verdict": last.verdict if last else "",
            "quick": bool(last and last.quick),
            "worlds": last.worlds if last else [],
        }
        for study in sorted(EXPERIMENTS.values(), key=lambda study: (not study.paper, study.paper, study.name))
        for last in [last_verdict(findings, study.name)]
    ]
    if json:
        print_json({"experiments": rows})
    else:
        marked = [row | {"verdict": f"{row['verdict']}{' (quick)' if row['quick'] else ''}"} for row in rows]
        names = [
            ", ".join((study, *EXPERIMENTS[study].aliases)) for study in (str(row["experiment"]) for row in marked)
        ]
        named = [row | {"experiment": name} for row, name in zip(marked, names, strict=True)]
        show_rows([{name: row[name] for name in ("experiment", "paper", "verdict", "question")} for row in named])


@app.command()
def verdicts(results: Results = _RESULTS, json: Json = False) -> None:
    """List the last verdicts of each experiment with their numbers, newest first; quick runs apart."""
    from sought.lab.studies.findings import read_findings
    from sought.lab.studies.registry import EXPERIMENTS

    _refuse_file(results)
    findings = read_findings(results)
    if json:
        print_json({"verdicts": [_as_json(each, EXPERIMENTS.get(each.study)) for each in findings]})
        return
    if not findings:
        console.print("No experiment has been run yet: sought lab run all")
    for each in findings:
        study = EXPERIMENTS.get(each.study)
        show_finding(each, f"{study.title} ({study.name})" if study else each.study)


def _worlds_here() -> list[Path]:
    worlds = sorted(Path().glob("*.world"))
    if not worlds:
        raise BadInput("no *.world here: name one with --world, or make one with 'sought lab generate'")
    return worlds


def _refuse_file(results: Path) -> None:
    """Refuse a file; a missing folder is one without results."""
    if results.exists() and not results.is_dir():
        raise BadInput(f"{results} is no folder: name one with --results")


def _check_results(results: Path) -> None:
    if not results.is_dir():
        raise BadInput(f"no results in {results}: run 'sought lab run all' or 'sought lab compare' first")


def _as_json(finding: "Finding", study: "Study | None") -> dict[str, Any]:
    """A finding without its figures, which are for the report."""
    from sought.lab.studies.marks import code_mark
    from sought.lab.studies.report import command_of

    fields = asdict(finding)
    del fields["figures"]
    more = {"worlds": finding.worlds, "quick": finding.quick, "date": finding.date}
    paper = {"paper": study.paper if study else ""}
    return fields | more | paper | {"same_code": finding.code == code_mark(), "command": command_of(finding)}


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
