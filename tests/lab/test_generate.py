"""Made-up webs: every knob does what it says, and the same seed gives the same bytes."""

import json
import re
from collections import Counter
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from sought.cli import lab_make
from sought.fetch.robots import read_group as read_robots
from sought.fetch.sitemaps import read_sitemap
from sought.index.vectors import EACH, HEAD
from sought.lab.worlds.files import open_world, save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from sought.web.errors import BadInput
from sought.web.message import RequestPurpose
from sought.web.sketch import SKETCH_SIZE
from sought.web.url import canonical, hostname

SMALL: dict[str, Any] = {
    "hosts": 4,
    "pages": 120,
    "weeks": 6,
    "words": 60.0,
    "vocabulary": 800,
    "topics": 8,
    "queries": 80,
}
STILL: dict[str, Any] = {
    "rate": 0.0,
    "adverts": 0.0,
    "births": 0.0,
    "deletes": 0.0,
    "ephemeral": 0.0,
}  # nothing happens


@lru_cache(maxsize=64)
def _made(knobs):
    recorder = WorldRecorder()
    recorded = generate(recorder, WebShape(**dict(knobs)))
    return recorder.finish("made-up", recorded.seeds, recorded.start, recorded.end, WEEK), recorder


def made(**knobs):
    return _made(tuple(sorted((SMALL | knobs).items())))[0]


def first(world):
    """The versions of the start."""
    return np.flatnonzero((world.versions.time == world.start) & (world.versions.status == 200)).tolist()


def plain(world):
    """Those of them that are no front pages, hubs or calendars."""
    return [v for v in first(world) if re.search(r"/section\d+/", world.urls[world.versions.page[v]])]


def text_links(world):
    """(from, to) of the links in the texts of the start, without those to a page's own hub and front page."""
    pairs = []
    for v in plain(world):
        page = world.urls[world.versions.page[v]]
        pairs += [
            (page, world.links[n].url)
            for n in world.link_lists[v].tolist()
            if re.search(r"/section\d+/", world.links[n].url)
        ]
    return pairs


def crowding(world):
    """How unequally pages are linked to."""
    counts = np.array(list(Counter(to for _, to in text_links(world)).values()))
    return float((counts**2).sum() / counts.sum() ** 2)


def at_home(world):
    return np.mean([hostname(a) == hostname(b) for a, b in text_links(world)])


def terms_of(world, version):
    return {world.terms[n] for n in world.vectors[version][HEAD::EACH].tolist()}


def likeness(world):
    """Of the words of pages."""
    sets = [terms_of(world, v) for v in plain(world)[:40]]
    return np.mean([len(a & b) / len(a | b) for i, a in enumerate(sets) for b in sets[:i]])


def novelty(world):
    """How much of a page is new when it changes."""
    v = world.versions
    both = [i for i in range(1, len(v)) if v.page[i] == v.page[i - 1] and v.status[i] == 200 and len(world.sketches[i])]
    return np.mean([(world.sketches[i] != world.sketches[i - 1]).mean() for i in both])


def changes_of_pages(world):
    """Times of the changes of each page, without hubs."""
    v = world.versions
    spans = [
        v.time[world.first[p] : world.first[p + 1]]
        for p, url in enumerate(world.urls)
        if re.search(r"/section\d+/", url)
    ]
    return [span[1:] for span in spans]


def spread(world):
    counts = np.array([len(times) for times in changes_of_pages(world)])
    return counts.var() / counts.mean()


def alike_on_hosts(world):
    """How much of what pages differ in changes is between hosts."""
    counts = np.log1p([len(times) for times in changes_of_pages(world)])
    hosts = np.array([hostname(url) for url in world.urls if re.search(r"/section\d+/", url)])
    means = np.array([counts[hosts == host].mean() for host in hosts])
    return means.var() / counts.var()


def alike_in_words(world):
    """How near a page is in changes to the page that shares most words with it, if all others count alike."""
    pages = [p for p, url in enumerate(world.urls) if re.search(r"/section\d+/", url)]
    counts = np.log1p([len(times) for times in changes_of_pages(world)])
    held = np.zeros((len(pages), len(world.terms)))
    for row, p in enumerate(pages):
        held[row, world.vectors[world.first[p]][HEAD::EACH]] = 1.0
    shared = held @ held.T
    np.fill_diagonal(shared, -1.0)
    return -np.abs(counts - counts[shared.argmax(axis=1)]).mean() / counts.std()


def irregularity(world):
    gaps = [np.diff(times) for times in changes_of_pages(world) if len(times) > 4]
    return np.mean([each.std() / each.mean() for each in gaps])


def versions(world):
    return len(world.versions)


def status(code):
    return lambda world: int((world.versions.status == code).sum())


def redirect_share(world):
    return status(301)(world) / (status(301)(world) + status(404)(world))


def born_later(world):
    return int((world.versions.time[world.first[:-1]] > world.start).sum())


def near_duplicates(world):
    sketches = np.array([world.sketches[v] for v in plain(world) if len(world.sketches[v]) == SKETCH_SIZE])
    return sum(int(((sketches[:i] == s).mean(axis=1) > 0.5).sum()) for i, s in enumerate(sketches))


def stuffed(world):
    asked = {word for query in world.tallies.query for word in query.split()}
    return np.mean([len(terms_of(world, v) & asked) / len(terms_of(world, v)) for v in plain(world)])


def calendars(world):
    return sum("/calendar/" in url for url in world.urls)


def sitemaps(world):
    """(time, entries) of all sitemaps."""
    files = [f for f in world.files if f.purpose is RequestPurpose.SITEMAP]
    return [(f.time, read_sitemap(f.body, f.url).pages) for f in files]


def hosts_with_sitemap(world):
    return sum(b"Sitemap:" in f.body for f in world.files if f.purpose is RequestPurpose.ROBOTS)


def listed(world):
    return sum(len(pages) for time, pages in sitemaps(world) if time == world.start)


def made_up_dates(world):
    """Entries whose date is not that of any version."""
    v = world.versions
    true = {(world.urls[page], time) for page, time in zip(v.page.tolist(), v.time.tolist(), strict=True)}
    return sum((url, lastmod) not in true for _, pages in sitemaps(world) for url, lastmod in pages)


def lateness(world):
    """How old the last change is that a sitemap of the end tells of."""
    return np.mean([world.end - max(date for _, date in pages) for time, pages in sitemaps(world)[-1:]])


def just_now(world):
    return np.mean([date == time for time, pages in sitemaps(world) for _, date in pages if time > world.start])


def top_share(world):
    return float(world.tallies.count.max() / world.tallies.count.sum())


def asked_later(world):
    return float((world.tallies.since > world.start).mean())


def asked_words(world):
    """How unequally often words are asked for."""
    counts = np.array(list(Counter(word for query in world.tallies.query for word in query.split()).values()))
    return float((counts**2).sum() / counts.sum() ** 2)


LIVELY: dict[str, Any] = {"rate": 1.0, "rate_sigma": 0.0, "adverts": 0.0}
VARIED: dict[str, Any] = {"rate": 1.0, "rate_sigma": 2.0, "weeks": 9}
# knob: (less, more, what is more then, what else is chosen)
KNOBS: dict[str, Any] = {
    "hosts": (2, 8, lambda w: len({hostname(u) for u in w.urls}), {}),
    "pages": (80, 120, lambda w: len(first(w)), STILL | {"traps": 0.0}),
    "weeks": (3, 9, lambda w: w.end - w.start, {}),
    "out_links": (2.0, 6.0, lambda w: len(text_links(w)), {}),
    "copying": (0.0, 0.95, crowding, {"out_links": 10.0, "local": 0.0, "pages": 250}),
    "local": (0.0, 1.0, at_home, {"copying": 0.0}),
    "hubs": (1, 5, lambda w: sum(bool(re.search(r"/section\d+$", u)) for u in w.urls), {}),
    "topics": (20, 1, likeness, {"vocabulary": 4000}),
    "vocabulary": (200, 5000, lambda w: len(w.terms), {}),
    "words": (40.0, 200.0, lambda w: w.versions.counts[plain(w), 2].mean(), {}),
    "churn": (0.05, 0.7, novelty, STILL | LIVELY | {"scroll": 0.1}),
    "scroll": (0.0, 0.5, versions, STILL | LIVELY | {"churn": 0.0}),
    "rate": (0.1, 1.0, versions, {}),
    "rate_sigma": (0.0, 2.0, spread, STILL | {"rate": 1.0, "weeks": 9}),
    "by_host": (0.0, 1.0, alike_on_hosts, STILL | VARIED),
    "by_topic": (0.0, 1.0, alike_in_words, STILL | VARIED | {"vocabulary": 4000}),
    "periodic": (1.0, 0.0, irregularity, STILL | LIVELY | {"weeks": 9, "duplicates": 0.0}),
    "adverts": (0.0, 0.8, versions, STILL | {"advert_rate": 1.0}),
    "advert_rate": (0.1, 1.0, versions, STILL | {"adverts": 1.0}),
    "births": (0.0, 0.05, born_later, STILL),
    "deletes": (0.0, 0.05, lambda w: status(404)(w) + status(301)(w), STILL),
    "moves": (0.1, 0.9, redirect_share, STILL | {"deletes": 0.1}),
    "ephemeral": (0.0, 0.3, status(404), STILL),
    "lifetime": (3.0, 0.5, born_later, STILL | {"ephemeral": 0.2}),
    "duplicates": (0.0, 0.3, near_duplicates, {}),
    "spam": (0.0, 0.5, stuffed, {"vocabulary": 4000, "queries": 40}),
    "traps": (0.0, 0.5, calendars, {}),
    "trap_pages": (5, 20, calendars, {"traps": 0.5}),
    "sitemaps": (0.25, 1.0, hosts_with_sitemap, {}),
    "sitemap_recall": (0.3, 1.0, listed, {"sitemaps": 1.0}),
    "sitemap_noise": (0.0, 0.5, made_up_dates, {"sitemaps": 1.0, "liars": 0.0}),
    "sitemap_lag": (0.0, 4.0, lateness, LIVELY | {"sitemaps": 1.0, "liars": 0.0, "sitemap_noise": 0.0, "hosts": 1}),
    "liars": (0.0, 0.5, just_now, {"sitemaps": 1.0}),
    "queries": (20, 100, lambda w: len(w.tallies), {}),
    "zipf": (0.0, 1.5, top_share, {}),
    "drift": (0.0, 0.5, asked_later, {}),
    "skew": (0.0, 2.0, asked_words, {"queries": 200, "pages": 400}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("knob", KNOBS)
def test_every_knob_does_what_it_says(knob):
    """More of it is more of what its help promises."""
    less, more, figure, others = KNOBS[knob]
    assert figure(made(**others | {knob: less})) < figure(made(**others | {knob: more}))


def test_every_knob_is_tested():
    """A knob nobody measured might do nothing."""
    assert {each.name for each in fields(WebShape)} == set(KNOBS) | {"seed"}


def test_shares_are_met():
    """Counts that can be exact are."""
    world = made(traps=0.25, trap_pages=7, drift=0.25, sitemaps=0.5, **STILL)
    assert len(first(world)) == 120 + 7
    assert len(world.tallies) == 80
    assert asked_later(world) == 0.25
    assert hosts_with_sitemap(world) == 2
    assert world.tallies.count.sum() == pytest.approx(1e6)


def test_adverts_have_no_word_that_is_asked_for():
    """Their changes change a page, and no answer."""
    world = made(**STILL | {"adverts": 1.0, "advert_rate": 1.0})
    asked = {word for query in world.tallies.query for word in query.split()}
    v = world.versions
    changed = [i for i in range(1, len(v)) if v.page[i] == v.page[i - 1]]
    assert len(changed) > 20
    for i in changed:
        assert v.content[i] != v.content[i - 1]
        assert terms_of(world, i) & asked == terms_of(world, i - 1) & asked


def test_same_seed_same_bytes(tmp_path):
    """All files of a world, byte for byte; another seed gives another web."""
    folders = []
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        recorder = WorldRecorder()
        recorded = generate(recorder, WebShape(**SMALL, seed=seed))
        world = recorder.finish("made-up", recorded.seeds, recorded.start, recorded.end, WEEK)
        save_world(world, tmp_path / name, recorder.texts)
        folders.append({file.name: file.read_bytes() for file in sorted((tmp_path / name).iterdir())})
    assert folders[0] == folders[1]
    assert folders[0]["versions.parquet"] != folders[2]["versions.parquet"]


def test_all_pages_can_be_reached():
    """At the start, from the front pages of the hosts."""
    world = made(traps=0.25)
    now = world.at(world.start)
    reached, todo = set(world.seeds), list(world.seeds)
    while todo:
        for number in world.link_lists[now[world.pages[todo.pop()]]].tolist():
            url = world.links[number].url
            if url not in reached and url in world.pages and now[world.pages[url]] >= 0:
                reached.add(url)
                todo.append(url)
    assert reached == {world.urls[world.versions.page[v]] for v in first(world)}


def test_robots_and_sitemaps_can_be_read():
    """As our own crawler reads them; the first sitemap of an honest host knows pages that are there."""
    world = made(sitemaps=1.0, liars=0.0, sitemap_noise=0.0)
    robots = [f for f in world.files if f.purpose is RequestPurpose.ROBOTS]
    assert {read_robots(f.body, "sought")[1] for f in robots} == {
        (f"https://site{n}.example/sitemap.xml",) for n in range(4)
    }
    live = world.at(world.start)
    for time, pages in sitemaps(world):
        assert pages
        assert all(date is not None and date <= time for _, date in pages)
        if time == world.start:
            assert all(live[world.pages[url]] >= 0 for url, _ in pages)


def check(world):
    """What holds of every made-up web."""
    v = world.versions
    same = v.page[1:] == v.page[:-1]
    assert (np.diff(v.time)[same] > 0).all()
    assert (v.time >= world.start).all()
    assert (v.time <= world.end).all()
    assert all(canonical(url) == url for url in world.urls)
    assert not any(v.refused)
    assert set(world.seeds) <= set(world.urls)
    for version in np.flatnonzero(v.status == 301).tolist():
        time = v.time[version]
        target = world.version(world.pages[world.answer(version, time).header("location")], time)
        assert v.status[target] == 200
        assert v.title[target] == v.title[version - 1]
        assert v.time[target] == time
    assert (world.tallies.count > 0).all()
    assert ((world.tallies.since >= world.start) & (world.tallies.since <= world.end)).all()
    assert len(set(world.tallies.query)) == len(world.tallies)


def test_moves_lead_to_live_pages():
    """A redirect points at a page that is there, with the words of the old one; a year of the default kind holds."""
    world = made(deletes=0.05, moves=0.8, weeks=12)
    assert status(301)(world) > 20
    check(world)


SHARE = st.sampled_from([0.0, 0.1, 0.5, 1.0])


@settings(max_examples=12, deadline=None)
@given(
    hosts=st.integers(1, 3), hubs=st.integers(1, 3), pages=st.integers(15, 30), weeks=st.integers(1, 3),
    out_links=st.sampled_from([0.0, 3.0]), copying=SHARE, local=SHARE, topics=st.integers(1, 5),
    vocabulary=st.integers(50, 100), words=st.sampled_from([20.0, 60.0]), churn=st.sampled_from([0.0, 0.5]),
    scroll=st.sampled_from([0.0, 0.5]), rate=st.sampled_from([0.0, 1.0, 3.0]), rate_sigma=st.sampled_from([0.0, 2.0]),
    periodic=SHARE, adverts=SHARE, advert_rate=SHARE, births=SHARE, deletes=SHARE, moves=SHARE,
    ephemeral=st.sampled_from([0.0, 0.4]), lifetime=st.sampled_from([0.05, 1.0]),
    duplicates=st.sampled_from([0.0, 0.3]), spam=st.sampled_from([0.0, 0.3]), traps=SHARE, trap_pages=st.just(13),
    sitemaps=SHARE, sitemap_recall=SHARE, sitemap_noise=SHARE, sitemap_lag=st.sampled_from([0.0, 2.0]), liars=SHARE,
    queries=st.integers(0, 40), zipf=SHARE, drift=SHARE, skew=st.sampled_from([0.0, 5.0]), seed=st.integers(0, 9),
)  # fmt: skip
def test_any_shape_makes_a_sound_web(**knobs):
    """Whatever is chosen within the bounds."""
    check(_made.__wrapped__(tuple(knobs.items()))[0])


@pytest.mark.parametrize(
    "bad",
    [
        {"churn": 0.7, "scroll": 0.7}, {"moves": 1.5}, {"pages": 10}, {"hosts": 0}, {"spam": 0.6, "ephemeral": 0.6},
        {"rate": -1.0}, {"zipf": float("nan")}, {"by_host": 0.6, "by_topic": 0.6},
    ],
)  # fmt: skip
def test_impossible_shapes_are_refused(bad):
    """By name, before anything is made."""
    with pytest.raises(BadInput, match=next(iter(bad)) if len(bad) == 1 else r"\+"):
        WebShape(**bad)


def test_command_makes_a_world(tmp_path):
    """Every knob is an option, and the world's notes say how it was made."""
    app = typer.Typer()
    app.command()(lab_make.generate)
    folder = tmp_path / "w"
    knobs = ["--hosts", "2", "--pages", "30", "--weeks", "2", "--rate-sigma", "0.5", "--queries", "10", "--seed", "5"]
    run = CliRunner().invoke(app, ["--to", str(folder), "--name", "mine", "--json", *knobs])
    assert run.exit_code == 0, run.output
    world = open_world(folder)
    told = json.loads(run.stdout)
    assert (told["pages"], told["versions"], told["queries"]) == (len(world.urls), len(world.versions), 10)
    assert world.name == "mine"
    assert WebShape(**world.notes["shape"]) == WebShape(hosts=2, pages=30, weeks=2, rate_sigma=0.5, queries=10, seed=5)
    assert CliRunner().invoke(app, ["--hosts", "0"]).exit_code == 2
    assert isinstance(CliRunner().invoke(app, ["--pages", "9"]).exception, BadInput)
