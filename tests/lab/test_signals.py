"""Signals are as true as they are said to be."""

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.fetch.robots import RobotsFetch
from sought.fetch.sitemaps import read_sitemap
from sought.lab.replay.signals import _FALSE_AT, _IS_FALSE, _LISTED, _TAGGED, Signals
from sought.lab.worlds.recorder import WorldRecorder
from sought.web.document import Document
from sought.web.errors import BadInput
from sought.web.message import Request, RequestPurpose, Response

START, WEEK = 1_600_000_000.0, 7 * 86400.0
GONE = "gone"
SITE = "https://a.example"


def world(histories, weeks=52, files=()):
    """From {url: [(week, text)]}."""
    recorder = WorldRecorder()
    for url, history in histories.items():
        for week, text in history:
            status = 404 if text == GONE else 200
            document = None if text == GONE else Document(text=text, content=int(week) + 1)
            body = f"{week} {text}".encode()
            recorder.answer(Response(url, status, raw=body, body=body, time=START + week * WEEK), document)
    for file in files:
        recorder.answer(file)
    return recorder.finish("test", [next(iter(histories))], START, START + weeks * WEEK, WEEK)


def many(pages=1500, hosts=50, changes=6, seed=0):
    """Pages that change in some weeks of a year."""
    rng = np.random.default_rng(seed)
    return {
        f"https://h{page % hosts}.example/p{page}": [
            (int(week), f"version of week {week}") for week in [0, *np.sort(rng.choice(51, changes, replace=False)) + 1]
        ]
        for page in range(pages)
    }


@pytest.fixture(scope="module")
def year():
    return world(many())


def announced(signals, world, week):
    pages, modified = signals.announced(world, START + week * WEEK)
    return {
        world.urls[page]: (time - START) / WEEK for page, time in zip(pages.tolist(), modified.tolist(), strict=True)
    }


SMALL = {
    f"{SITE}/stays": [(0, "a")],
    f"{SITE}/changes": [(0, "a"), (3, "b"), (5, "c")],
    f"{SITE}/goes": [(0, "a"), (4, GONE)],
    f"{SITE}/comes": [(4, "a")],
    f"{SITE}/again": [(0, "a"), (2, GONE), (6, "b"), (8, "c")],
}


def shown(week):
    signals = Signals(sitemap=True)
    return {url.rpartition("/")[2]: time for url, time in announced(signals, world(SMALL), week).items()}


def test_without_faults_a_sitemap_is_true():
    """All pages there are, and no others, with the time of their last change."""
    assert shown(-1) == {}
    assert shown(0) == {"stays": 0, "changes": 0, "goes": 0, "again": 0}
    assert shown(3.5) == {"stays": 0, "changes": 3, "goes": 0}
    assert shown(4) == {"stays": 0, "changes": 3, "comes": 4}
    assert shown(9) == {"stays": 0, "changes": 5, "comes": 4, "again": 8}


def test_what_is_late_is_told_later():
    """A change, and a birth, from its time plus lag on; with its own time."""
    late, small = Signals(sitemap=True, lag=1.5 * WEEK), world(SMALL)
    assert announced(late, small, 1.4) == {}
    assert announced(late, small, 4.4)[f"{SITE}/changes"] == 0
    assert announced(late, small, 4.5)[f"{SITE}/changes"] == 3
    assert f"{SITE}/comes" not in announced(late, small, 5.4)
    assert announced(late, small, 5.5)[f"{SITE}/comes"] == 4
    assert f"{SITE}/goes" not in announced(late, small, 4.1)


def test_a_page_that_comes_back_is_born_again():
    """What was announced before it went does not list it: without recall of its second birth it is not known."""
    history = {f"{SITE}/{i}": [(0, "a"), (2, GONE), (4, "b")] for i in range(400)}
    listed = announced(Signals(sitemap=True, recall=0.5), world(history), 5)
    assert set(listed.values()) == {4}
    assert 140 < len(listed) < 260


@pytest.mark.parametrize("recall", [0.0, 0.3, 0.9])
def test_recall(year, recall):
    """So many changes are announced, each of which has happened; the others never are."""
    signals, v = Signals(sitemap=True, recall=recall), year.versions
    seen = set()
    for week in range(52):
        seen |= set(announced(signals, year, week).items())
    happened = {(year.urls[p], (t - START) / WEEK) for p, t in zip(v.page.tolist(), v.time.tolist(), strict=True)}
    assert seen <= happened
    assert len(seen) == pytest.approx(recall * len(happened), abs=6 * np.sqrt(len(happened) / 4))


def test_recall_is_independent_of_everything_else(year):
    """Of the page, of the change before, of the seed, and of ETags: what is missed is missed by chance."""
    signals = Signals(recall=0.5)
    keys, times = year.keys[year.versions.page], year.versions.time
    told = signals._are_announced(_LISTED, keys, times).reshape(1500, 7)
    rows = [told, signals._are_announced(_TAGGED, keys, times).reshape(1500, 7)]
    rows.append(Signals(recall=0.5, seed=1)._are_announced(_LISTED, keys, times).reshape(1500, 7))
    correlation = np.corrcoef(np.hstack(rows).T) - np.eye(21)
    assert abs(correlation).max() < 6 / np.sqrt(1500)


def test_noise():
    """On pages that never change, so many dates a unit, at any time of it and at most one; all of them false."""
    still = world({f"{SITE}/{i}": [(0, "a")] for i in range(300)})
    signals = Signals(sitemap=True, recall=0.0, noise=0.25)
    seen = defaultdict(set)
    for week in np.arange(0, 20.01, 0.25):
        for url, time in announced(signals, still, week).items():
            seen[url].add(time)
            assert time <= week
    dates = np.array([time for times in seen.values() for time in times])
    assert len(dates) == pytest.approx(0.25 * 300 * 20, abs=6 * np.sqrt(0.25 * 0.75 * 300 * 20))
    assert all(len({int(time) for time in times}) == len(times) for times in seen.values())
    assert np.histogram(dates % 1.0, 4, (0, 1))[0] == pytest.approx(
        len(dates) / 4, abs=6 * np.sqrt(len(dates) * 3 / 16)
    )


def test_nothing_is_said_of_a_page_before_its_birth():
    """However early the unit's false announcement would have been, or that of a unit before."""
    born = world({f"{SITE}/old": [(0, "a")]} | {f"{SITE}/{i}": [(20.5, "a")] for i in range(400)})
    for noise in (0.05, 1.0):
        listed = announced(Signals(recall=0.0, noise=noise), born, 21.0)
        assert all(time > 20.5 for url, time in listed.items() if not url.endswith("old"))
        assert len(listed) == pytest.approx(noise * 200, abs=60)


def test_noise_comes_late_too():
    """A false announcement takes as long as a true one."""
    still = world({f"{SITE}/{i}": [(0, "a")] for i in range(300)})
    now, late = (Signals(recall=0.0, noise=0.25, lag=lag) for lag in (0.0, 3 * WEEK))
    assert announced(late, still, 10.5) == announced(now, still, 7.5) != announced(now, still, 10.5)


@pytest.mark.parametrize("at_once", [1, 1000, 10**9])
def test_how_units_are_searched_does_not_matter(year, monkeypatch, at_once):
    """However many are looked at together, the last false announcement is the last."""
    signals = Signals(sitemap=True, recall=0.4, noise=0.03, lag=86400.0, liars=0.1)
    expected = announced(signals, year, 47.3)
    monkeypatch.setattr("sought.lab.replay.signals._CASTS_AT_ONCE", at_once)
    assert announced(signals, year, 47.3) == expected


def test_liars(year):
    """So many hosts say of every page, whatever is true, that it has changed just now; others never do."""
    signals = Signals(sitemap=True, recall=0.2, lag=WEEK, liars=0.3)
    said = defaultdict(list)
    for url, time in announced(signals, year, 30.5).items():
        said[url.split("/")[2]].append(time)
    lying = [times for times in said.values() if 30.5 in times]
    assert all(times == [30.5] * 30 for times in lying)
    assert 5 <= len(lying) <= 26
    assert len(announced(Signals(sitemap=True, recall=0.0, liars=1.0), year, 3)) == 1500


def test_another_seed_is_another_web(year):
    """With other liars, other gaps and other noise; and the same seed is the same."""
    one, two, again = (
        announced(Signals(sitemap=True, recall=0.5, noise=0.1, liars=0.2, seed=seed), year, 40) for seed in (1, 2, 1)
    )
    assert one == again
    assert one != two


def test_the_future_is_not_told():
    """What is announced up to now is the same whatever happens later, and whatever happens to other pages."""
    signals = Signals(sitemap=True, etag=True, recall=0.5, noise=0.1, lag=86400.0, liars=0.2)
    whole = many(200, 10)
    past = {url: [(week, text) for week, text in history if week <= 25] for url, history in whole.items()}
    some = {url: history for url, history in reversed(whole.items()) if url.endswith(("1", "4"))}
    worlds = [world(each) for each in (whole, past, some)]
    for week in (0, 7.7, 25.9):
        all_of_it, before, few = (announced(signals, each, week) for each in worlds)
        assert all_of_it == before
        assert few == {url: time for url, time in all_of_it.items() if url in some}
        for url in some:
            tags = {tag(signals, each, url, week) for each in worlds}
            assert len(tags) == 1


times = st.lists(st.integers(0, 30), min_size=1, max_size=6, unique=True).map(sorted)
texts = st.lists(st.sampled_from(["a", "b", "c", GONE]), min_size=6, max_size=6)


@settings(deadline=None, max_examples=60)
@given(
    pages=st.lists(st.tuples(times, texts), min_size=1, max_size=5),
    recall=st.sampled_from([0.0, 0.5, 1.0]),
    noise=st.sampled_from([0.0, 0.2, 1.0]),
    lag=st.sampled_from([0.0, 0.5, 4.0]),
    week=st.floats(-2, 40),
)
def test_the_last_announcement_by_the_book(pages, recall, noise, lag, week):
    """The vectorised answer is what one finds by going through each page's life, version by version, unit by unit."""
    histories = {f"{SITE}/{i}": list(zip(weeks, texts, strict=False)) for i, (weeks, texts) in enumerate(pages)}
    signals, now = Signals(recall=recall, noise=noise, lag=lag * WEEK), START + week * WEEK
    one = world(histories)
    expected = {}
    for page, url in enumerate(one.urls):
        key, born = one.keys[page : page + 1], np.inf
        dates: list[float] = []
        for version in range(one.first[page], one.first[page + 1]):
            time = one.versions.time[version : version + 1]
            if time[0] > now:
                break
            if not one.is_page[version]:
                dates, born = [], np.inf
                continue
            born = min(born, time[0])
            if time[0] + signals.lag <= now and signals._are_announced(_LISTED, key, time)[0]:
                dates.append(time[0])
        for unit in range(int(max(0, week)) + 1):
            event = np.array([unit], np.uint64)
            when = START + WEEK * (unit + signals._cast(_FALSE_AT, _LISTED, key, event)[0])
            if signals._cast(_IS_FALSE, _LISTED, key, event)[0] < noise and born < when <= now - signals.lag:
                dates.append(when)
        if dates:
            expected[url] = max(dates)
    listed, modified = signals.announced(one, now)
    assert {one.urls[p]: t for p, t in zip(listed.tolist(), modified.tolist(), strict=True)} == expected


# ---- files


def fetched(signals, world, url, week=10.0, purpose=RequestPurpose.SITEMAP):
    response = signals.file(world, Request(url, purpose=purpose), START + week * WEEK)
    assert response is None or response.status == 200
    return response


def test_a_sitemap_can_be_read(year):
    """By the crawler's own reader: the pages of this origin, their dates to the second, in no telling order."""
    signals = Signals(sitemap=True, recall=0.8, noise=0.05)
    site = "https://h7.example"
    sitemap = read_sitemap(fetched(signals, year, f"{site}/sitemap.xml").body, f"{site}/sitemap.xml")
    expected = {u: START + t * WEEK for u, t in announced(signals, year, 10.0).items() if u.startswith(site + "/")}
    assert not sitemap.problem
    assert not sitemap.children
    assert {url: pytest.approx(time, abs=1.01) for url, time in sitemap.pages} == expected
    assert [url for url, _ in sitemap.pages] not in (sorted(expected), list(expected))


def test_addresses_are_escaped():
    """An ampersand in an address does not damage the file."""
    url = f"{SITE}/?a=1&b=%3C"
    body = fetched(Signals(sitemap=True), world({url: [(0, "a")]}), f"{SITE}/sitemap.xml").body
    assert [page for page, _ in read_sitemap(body, SITE + "/").pages] == [url]


def test_a_long_sitemap_comes_in_parts(monkeypatch):
    """An index names the parts, which together list every page once; after the last part there is nothing."""
    monkeypatch.setattr("sought.lab.replay.signals.MAX_ENTRIES", 40)
    signals, long = Signals(sitemap=True), world({f"{SITE}/{i}": [(0, "a")] for i in range(100)})
    index = read_sitemap(fetched(signals, long, f"{SITE}/sitemap.xml").body, SITE + "/")
    assert index.children == [f"{SITE}/sitemap-{n}.xml" for n in (1, 2, 3)]
    assert not index.pages
    parts = [read_sitemap(fetched(signals, long, url).body, SITE + "/") for url in index.children]
    assert [len(part.pages) for part in parts] == [40, 40, 20]
    assert {url for part in parts for url, _ in part.pages} == set(long.urls)
    empty = read_sitemap(fetched(signals, long, f"{SITE}/sitemap-4.xml").body, SITE + "/")
    assert (empty.pages, empty.problem) == ([], "")


def test_robots_txt_names_the_sitemap():
    """And forbids what it forbade when it was recorded, nothing else."""
    url = f"{SITE}/robots.txt"
    bodies = [
        (1.0, 200, b"User-agent: *\nDisallow: /private"),
        (5.0, 200, b""),
        (7.0, 500, b"User-agent: *\nDisallow: /"),
    ]
    files = [
        Response(url, status, raw=body, body=body, time=START + week * WEEK, purpose=RequestPurpose.ROBOTS)
        for week, status, body in bodies
    ]
    signals, one = Signals(sitemap=True), world(SMALL, files=files)
    for week in (0.5, 3.0, 6.0, 8.0):
        rules = RobotsFetch.from_response(fetched(signals, one, url, week, RequestPurpose.ROBOTS)).robots("sought")
        assert list(rules.sitemaps) == [f"{SITE}/sitemap.xml"]
        assert rules.allows(f"{SITE}/private") == (week != 3.0)
        assert rules.allows(f"{SITE}/public")


def test_other_files_are_not_ours():
    """Nor is anything, if there is no sitemap to simulate, nor on hosts that are not of this world."""
    small = world(SMALL)
    signals = Signals(sitemap=True)
    for url in (f"{SITE}/other.xml", f"{SITE}/sitemap-0.xml", f"{SITE}/a/sitemap.xml", "https://b.example/sitemap.xml"):
        assert fetched(signals, small, url) is None
    assert fetched(signals, small, "https://b.example/robots.txt", purpose=RequestPurpose.ROBOTS) is None
    assert fetched(Signals(), small, f"{SITE}/sitemap.xml") is None
    assert fetched(Signals(etag=True), small, f"{SITE}/robots.txt", purpose=RequestPurpose.ROBOTS) is None


# ---- ETags


def tag(signals, world, url, week):
    time = START + week * WEEK
    return signals.etag_of(world, world.version(world.pages[url], time), time)


def test_without_faults_an_etag_stands_for_a_version(year):
    """The same as long as the version is, and never again."""
    signals = Signals(etag=True)
    tags = {
        (version, signals.etag_of(year, version, time))
        for version in range(700)
        for time in (year.versions.time[version], year.until[version].clip(max=year.end) - 1.0)
    }
    assert len(tags) == 700
    assert len({each for _, each in tags}) == 700
    assert all(each[0] == each[-1] == '"' and each[1:-1].isalnum() for _, each in tags)


@pytest.mark.parametrize("recall", [0.0, 0.4])
def test_a_missed_change_keeps_the_etag(year, recall):
    """So many changes give another tag: the rest would be answered with a wrong 304."""
    signals = Signals(etag=True, recall=recall)
    tags = np.array([signals.etag_of(year, v, float(year.versions.time[v])) for v in range(len(year.versions))])
    told = (tags[1:] != tags[:-1])[year.versions.page[1:] == year.versions.page[:-1]]
    assert told.mean() == pytest.approx(recall, abs=6 * np.sqrt(0.25 / len(told)))


def test_a_page_that_comes_back_has_another_etag():
    """Even if no change is ever told."""
    signals, small = Signals(etag=True, recall=0.0), world(SMALL)
    before, after, later = (tag(signals, small, f"{SITE}/again", week) for week in (1, 6, 9))
    assert before != after == later


def test_etags_change_for_nothing():
    """So often a unit, on a page that stays as it is."""
    still = world({f"{SITE}/{i}": [(0, "a")] for i in range(40)})
    signals = Signals(etag=True, noise=0.3)
    tags = [[tag(signals, still, url, week) for week in range(41)] for url in still.urls]
    changes = sum(one != two for row in tags for one, two in pairwise(row))
    assert changes == pytest.approx(0.3 * 40 * 40, abs=6 * np.sqrt(0.21 * 40 * 40))


def test_a_liar_has_a_new_etag_each_time():
    """No copy is ever confirmed."""
    small, signals = world(SMALL), Signals(etag=True, liars=1.0)
    tags = [tag(signals, small, f"{SITE}/stays", week) for week in np.arange(0, 3, 0.1)]
    assert len(set(tags)) == len(tags)
    assert tag(signals, small, f"{SITE}/stays", 0.0) == tags[0]


# ---- parameters


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"recall": 1.5}, "recall is a number from 0 to 1, not 1.5"),
        ({"recall": True}, "recall"),
        ({"noise": -0.1}, "noise is a number from 0 to 1"),
        ({"noise": float("nan")}, "noise"),
        ({"liars": "half"}, "liars is a number from 0 to 1, not 'half'"),
        ({"lag": -1}, "lag is a number from 0, not -1"),
        ({"lag": float("inf")}, "lag"),
        ({"seed": 1.0}, "seed is a whole number"),
        ({"sitemap": 1}, "sitemap is True or False, not 1"),
        ({"etag": "yes"}, "etag is True or False"),
    ],
)
def test_a_wrong_parameter_is_refused(wrong, says):
    """With one line that says which, and what it may be."""
    with pytest.raises(BadInput, match=says):
        Signals(**wrong)


def test_signals_are_a_value():
    """What they print as is what they are."""
    signals = Signals(True, True, 0.6, 0.1, 3600.0, 0.2, 7)
    assert eval(repr(signals)) == signals
    assert hash(signals) == hash(eval(repr(signals)))
