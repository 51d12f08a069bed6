"""What is believed of pages that may go, and of what a fetch would tell: every estimator of its worth."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from sought.beliefs.death_rate import DeathLog, DeathRate, LinkDoubt, MoveShare, first_of_their_kind
from sought.beliefs.edit_loss import EditLoss
from sought.beliefs.find_rate import FindRate
from sought.beliefs.first_finds import FirstFinds
from sought.beliefs.folder import Folder
from sought.beliefs.gone_by_signs import GoneBySigns
from sought.beliefs.presence import SearchValue
from sought.policy.worth.hubs import linked_news, marginal_worth
from sought.policy.worth.index import expected_lifetime, refresh_index
from sought.record.fetches import GONE, MOVED, PAGE
from sought.web.errors import BadInput
from sought.web.pages import Links, Pages
from tests.testing.fetch_logs import fetches

DAY = 86400.0
WEEK, YEAR = 7 * DAY, 365.25 * DAY
START = 1.6e9
ROWS = 12
ESTIMATORS = [
    *(DeathRate(), MoveShare(), LinkDoubt(), GoneBySigns()),
    *(FindRate(), FindRate("shape"), FirstFinds(), EditLoss()),
]


def known(rows, host=0, folder=0.0, value=1.0, links=None, **columns):
    """Live pages found at START and fetched at once, but for what is said of them."""

    def column(value, kind=np.float64):
        return np.broadcast_to(np.asarray(value, kind), rows).copy()

    plain = {
        "key": np.arange(rows, dtype=np.uint64),
        "host": column(host, np.uint32),
        "depth": column(0, np.uint16),
        "found": column(START),
        "last_fetch": column(START),
        "last_change": column(-np.inf),
        "fetches": column(1, np.uint16),
        "changes": column(0, np.uint16),
        "inlinks": column(0, np.uint32),
        "signal": column(-np.inf),
        "live": column(True, np.bool_),
        "linked": column(-np.inf),
        "unlinked": column(-np.inf),
    }
    given = {name: column(each, plain[name].dtype) for name, each in columns.items()}
    return Pages(**plain | given, beliefs={Folder(): column(folder), SearchValue(): column(value)}, links=links)


def linking(*lists):
    """The first row links to the first list, and so on."""
    bounds = np.append(0, np.cumsum([len(each) for each in lists])).astype(np.int64)
    targets = np.array([target for each in lists for target in each], np.uint32)
    return Links(np.arange(len(lists), dtype=np.uint32), bounds, targets)


def batch(log):
    """From (row, time, gap, share of the gap since it was seen, changed, fate, doubted, gain, found)."""
    row, time, gap, unseen, changed, fate, doubted, gain, found = zip(*log, strict=True) if log else [()] * 9
    seen_gap = [each * share if math.isfinite(each) else math.inf for each, share in zip(gap, unseen, strict=True)]
    return fetches(row, time, gap, changed, gain, fate=fate, doubted=doubted, found=found, seen_gap=seen_gap)


def learned(estimator, *logs):
    learner = estimator.learner()
    for log in logs:
        learner.learn(batch(log) if isinstance(log, list) else log)
    return learner


def deaths_of(rows, time, seen, fate=GONE, doubted=False):
    """These pages are found gone at a time, having been seen at another."""
    count = len(rows)
    time, seen = (np.broadcast_to(each, count) for each in (time, seen))
    fate, doubted = (np.broadcast_to(each, count) for each in (fate, doubted))
    return fetches(rows, time, time - seen, [True] * count, fate=fate, doubted=doubted, seen_gap=time - seen)


logs = st.lists(
    st.tuples(
        st.integers(0, ROWS - 1),
        st.floats(START, START + YEAR),  # not in order: what is applied later may have been fetched before
        st.one_of(st.just(math.inf), st.sampled_from([0.0, 1e-7]), st.floats(1.0, 300 * DAY)),
        st.sampled_from([0.0, 0.3, 1.0]),
        st.booleans(),
        st.sampled_from([PAGE, GONE, MOVED]),
        st.booleans(),
        st.one_of(st.just(math.nan), st.just(0.0), st.floats(-1e-3, 1.0)),
        st.integers(0, 40),
    ),
    max_size=60,
)
per_row = st.lists(st.integers(0, 4), min_size=ROWS, max_size=ROWS)


def table(hosts, folders, seed=0):
    """Rows of which all that matters to some estimator differs."""
    rng, size = np.random.default_rng(seed), len(hosts)

    def some(share, most=400):
        return np.where(rng.random(size) < share, START + rng.integers(0, most, size) * DAY, -np.inf)

    last_fetch, linked, unlinked = some(0.8), some(0.5), some(0.5)
    live = (last_fetch > -np.inf) & (rng.random(size) < 0.8)
    links = linking(*(rng.choice(size, min(size, 3), replace=False) for _ in range(size // 2)))
    seen = {"last_fetch": last_fetch, "linked": linked, "unlinked": unlinked, "live": live}
    return known(size, hosts, folders, rng.lognormal(-5, 2, size).round(4), links, **seen)


# ---------------------------------------------------------------------------------- how long what a fetch brings lasts

ages = st.one_of(st.just(0.0), st.floats(1e-6, 100 * YEAR))
rates = st.one_of(st.just(0.0), st.floats(1e-15, 1.0))


@settings(max_examples=300)
@given(age=st.floats(1.0, 50 * YEAR), rate=st.floats(1e-12, 1e-3))
def test_looking_is_what_the_paper_says(age, rate):
    """U(t) = t·D(t) − ∫ D from 0 to t, where D = 1 − e^{−λt}."""

    def staleness(x):
        return -math.expm1(-x)

    x = rate * age  # U is a function of λt over λ; ∫ λs e^{−λs} ds is U without a difference of nearly equal numbers
    expected, _ = quad(lambda s: s * math.exp(-s), 0.0, min(x, 60.0), limit=200)
    assert refresh_index(np.array([age]), np.array([rate]))[0] == pytest.approx(expected / rate, rel=1e-6)
    if 0.1 < x < 60.0:
        whole = age * staleness(x) - quad(lambda s: staleness(rate * s), 0.0, age)[0]
        assert refresh_index(np.array([age]), np.array([rate]))[0] == pytest.approx(whole, rel=1e-5)


@settings(max_examples=300)
@given(age=ages, later=ages, rate=rates)
def test_looking_grows_with_the_age_up_to_the_mean_time_between_changes(age, later, rate):
    """Increasing in t (but for rounding), between 0 and 1/λ, which it reaches."""
    first, second = sorted((age, later))
    early, late, last = refresh_index(np.array([first, second, 1e6 / rate if rate else 0.0]), np.full(3, rate))
    assert 0.0 <= early <= late * (1 + 1e-7)
    if rate:
        assert late <= (1.0 + 1e-7) / rate
        assert last == pytest.approx(1.0 / rate)
    else:
        assert late == last == 0.0


@settings(max_examples=300)
@given(rate=st.floats(0.0, 1e-3), horizon=st.floats(1.0, 20 * YEAR))
def test_lasting_is_the_time_that_a_page_lives(rate, horizon):
    """∫ e^{−ds} ds up to the horizon."""
    unit = max(rate, 1.0 / horizon)
    expected, _ = quad(lambda s: math.exp(-rate / unit * s), 0.0, min(horizon * unit, 60.0), limit=200)
    assert expected_lifetime(np.array([rate]), horizon)[0] == pytest.approx(expected / unit, rel=1e-6)


def test_durations_need_no_care():
    """0, the least, tiny and huge: numbers from 0 on, and nothing that NumPy would warn of but numbers too small."""
    sizes = np.array([0.0, 5e-324, 1e-300, 1e-12, 1e-4, 1.0, 1e4, 1e12])
    age, rate = (each.ravel() for each in np.meshgrid(sizes, sizes))
    with np.errstate(all="raise", under="ignore"):
        worth, lives = refresh_index(age, rate), expected_lifetime(rate, YEAR)
        assert np.isfinite(worth).all()
        assert (worth >= 0.0).all()
        assert (lives > 0.0).all()
        assert (lives <= YEAR).all()
        assert expected_lifetime(np.zeros(1), YEAR)[0] == YEAR
        assert refresh_index(np.zeros(0), np.zeros(0)).shape == expected_lifetime(np.zeros(0), YEAR).shape == (0,)


# ------------------------------------------------------------------------------------------------------ every learner


@settings(max_examples=250)
@given(
    estimator=st.sampled_from(ESTIMATORS),
    log=logs,
    hosts=per_row,
    folders=per_row,
    cuts=st.lists(st.integers(0, 60), max_size=5),
)
def test_batches_do_not_matter(estimator, log, hosts, folders, cuts):
    """Wherever the log is cut, and if one looks in between: the same bits, and finite ones from 0 on."""
    pages = table(hosts, folders)
    whole = learned(estimator, log).column(pages)
    learner = estimator.learner()
    for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), len(log)], strict=True):
        learner.learn(batch(log[start:stop]))
        learner.column(pages)
    assert learner.column(pages).tobytes() == whole.tobytes()
    assert whole.dtype == np.float64
    assert np.isfinite(whole).all()
    assert (whole >= 0.0).all()
    if isinstance(estimator, MoveShare | GoneBySigns):
        assert (whole <= 1.0).all()


@settings(max_examples=150)
@given(estimator=st.sampled_from(ESTIMATORS), log=logs, hosts=per_row, folders=per_row)
def test_a_log_may_come_page_by_page(estimator, log, hosts, folders):
    """As a crawl that starts again tells it: the same, but for the rounding of sums."""
    pages = table(hosts, folders)
    whole = learned(estimator, log).column(pages)
    page_by_page = sorted(log, key=lambda fetch: fetch[0])
    assert learned(estimator, page_by_page).column(pages) == pytest.approx(whole, rel=1e-9)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    estimator=st.sampled_from(ESTIMATORS),
    log=logs,
    hosts=per_row,
    folders=per_row,
    seed=st.integers(0, 2**32 - 1),
)
def test_the_order_of_rows_does_not_matter(estimator, log, hosts, folders, seed):
    """The same pages at other rows: the same, but for the rounding of sums over rows."""
    pages, at = table(hosts, folders), np.random.default_rng(seed).permutation(ROWS)
    pages = replace(pages, links=None)
    whole = learned(estimator, log).column(pages)
    order = np.argsort(at)  # the page that is at row i now was at row order[i]
    columns = {name: getattr(pages, name)[order] for name in Pages.column_names()}
    moved = replace(pages, **columns, beliefs={name: each[order] for name, each in pages.beliefs.items()})
    elsewhere = learned(estimator, [(int(at[row]), *more) for row, *more in log]).column(moved)
    times = [time for _, time, *_ in log]
    if len(set(times)) == len(times):  # of deaths at the same instant that of the lower row is the earlier
        assert elsewhere[at] == pytest.approx(whole, rel=1e-9)


@settings(max_examples=200)
@given(estimator=st.sampled_from(ESTIMATORS), log=logs, hosts=per_row, folders=per_row, size=st.integers(0, ROWS))
def test_the_table_may_grow(estimator, log, hosts, folders, size):
    """Rows, hosts and directories that come later are as if they had always been there."""
    pages = table(hosts, folders)
    early = [fetch for fetch in log if fetch[0] < size]
    late = [fetch for fetch in log if fetch[0] >= size]
    learner = learned(estimator, early)
    small = learner.column(table(hosts[:size], folders[:size]))
    assert small.shape == (size,)
    assert np.isfinite(small).all()
    learner.learn(batch(late))
    assert learner.column(pages).tobytes() == learned(estimator, early + late).column(pages).tobytes()


@pytest.mark.parametrize("estimator", [each for each in ESTIMATORS if each != LinkDoubt()], ids=repr)
def test_a_long_log(estimator):
    """Tables that grow and lists that are joined: cut into batches the same bits, page by page but for rounding."""
    rng, count, rows = np.random.default_rng(0), 6000, 700
    row, gap = rng.integers(0, rows - 100, count), rng.exponential(20 * DAY, count)
    gap[rng.random(count) < 0.3] = np.inf
    time = START + np.arange(count) * 3600.0
    fate = rng.choice([PAGE, GONE, MOVED], count, p=[0.8, 0.1, 0.1])
    more = {
        "gain": rng.exponential(1e-3, count),
        "fate": fate,
        "doubted": rng.random(count) < 0.2,
        "seen_gap": gap * rng.random(count),
        "found": rng.poisson(0.5, count),
    }
    changed = (fate != PAGE) | (rng.random(count) < 0.3)
    pages = table(np.arange(rows) % 9, np.arange(rows) % 40)

    def part(which):
        return fetches(row[which], time[which], gap[which], changed[which], **{n: v[which] for n, v in more.items()})

    whole = learned(estimator, part(slice(None))).column(pages)
    learner = estimator.learner()
    for start in range(0, count, 97):
        learner.learn(part(slice(start, start + 97)))
        if start % 3 == 0:
            learner.column(pages)
    assert learner.column(pages).tobytes() == whole.tobytes()
    assert len(np.unique(whole)) > 3
    page_by_page = np.argsort(row, kind="stable")
    assert learned(estimator, part(page_by_page)).column(pages) == pytest.approx(whole, rel=1e-9)
    assert pages.belief(Folder()).flags.writeable  # nothing was done to what was handed over
    assert table(np.arange(rows) % 9, np.arange(rows) % 40).belief(SearchValue()).tobytes() == (
        pages.belief(SearchValue()).tobytes()
    )


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_values(estimator):
    """An estimator is a value whose repr is its name, and says what it is made of in words that JSON has."""
    assert eval(repr(estimator), {type(estimator).__name__: type(estimator)}) == estimator
    assert hash(estimator) == hash(replace(estimator))
    learner = learned(estimator, [(0, START + DAY, DAY, 1.0, True, GONE, True, 0.5, 3)])
    learner.column(table([0] * ROWS, [0] * ROWS))
    for row in (0, 1, ROWS - 1):
        terms = learner.terms(row) if hasattr(learner, "terms") else {}
        assert json.loads(json.dumps(terms)) == terms


def test_a_wrong_parameter_is_refused():
    with pytest.raises(BadInput, match="what"):
        FindRate("median")  # type: ignore[arg-type]  # that is the point


# --------------------------------------------------------------------------------------------------------- which went


def test_a_page_that_is_still_gone_did_not_go_again():
    """A death is a change; a first fetch that finds nothing is none, for nobody knows when it went."""
    log = DeathLog()
    first = fetches([1], [START], [np.inf], [True], fate=[GONE], seen_gap=[np.inf])
    again = fetches([0], [START + 2 * DAY], [DAY], [False], fate=[GONE], seen_gap=[DAY])
    for each in (first, deaths_of([0], START + DAY, START), again):
        log.learn(each)
    assert [each.tolist() for each in log.all()] == [[0], [START + DAY], [START], [False]]
    assert not len(log.all().since(START + DAY).row)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60)), max_size=30))
def test_the_first_of_their_kind(pairs):
    """One that goes within eight weeks of another of its directory, which went before it, is not."""
    folder, weeks = (np.array(each, float) for each in (zip(*pairs, strict=True) if pairs else ((), ())))
    log = DeathLog()
    log.learn(deaths_of(np.arange(len(pairs)), START + weeks * WEEK, START - 1.0))
    deaths = log.all()
    first = first_of_their_kind(deaths, folder[deaths.row])
    for directory in range(4):
        times = sorted(week for each, week in pairs if each == directory)
        starts = [week for at, week in enumerate(times) if at == 0 or week - times[at - 1] >= 8]
        assert np.count_nonzero(first & (folder[deaths.row] == directory)) == len(starts)


def simulated_deaths(rate, pages, rng, years=2.0):
    """Pages that are looked at every thirty days until they are found gone; when each was last fetched, and the log."""
    died = rng.exponential(1.0 / rate, pages) if rate else np.full(pages, np.inf)
    looks = np.arange(30 * DAY, years * YEAR, 30 * DAY)
    at = np.searchsorted(looks, died)
    gone = at < len(looks)
    found = looks[np.minimum(at, len(looks) - 1)]
    return START + np.where(gone, found, looks[-1]), np.flatnonzero(gone)


def test_the_rate_of_death_is_found():
    """Two hosts whose pages die apart from each other, each in a directory of its own: the rates, within noise."""
    rng, pages = np.random.default_rng(3), 1500
    true = np.array([0.4, 0.05]) / YEAR
    host = np.repeat([0, 1], pages)
    results = [simulated_deaths(rate, pages, rng) for rate in true]
    last = np.concatenate([each for each, _ in results])
    dead = np.concatenate([results[0][1], results[1][1] + pages])
    live = np.ones(2 * pages, bool)
    live[dead] = False
    table = known(2 * pages + 1, [*host, 2], np.arange(2 * pages + 1), last_fetch=[*last, START], live=[*live, True])
    log = deaths_of(dead, last[dead], last[dead] - 30 * DAY)
    rate = learned(DeathRate(), log).column(table)
    assert rate[0] == pytest.approx(true[0], rel=0.15)
    assert rate[pages] == pytest.approx(true[1], rel=0.3)
    assert rate[pages] < rate[-1] < rate[0]  # a host of which nothing is known
    assert (rate[:pages] == rate[0]).all()


def test_pages_seen_by_links_have_been_watched():
    """A page that others have linked to since lives for longer than one that nobody has looked at; new ones tell 0."""
    rates = [
        learned(DeathRate()).column(known(50, **columns))[0]
        for columns in ({}, {"linked": START + 5 * YEAR}, {"last_fetch": START + 5 * YEAR})
    ]
    assert rates[0] > rates[1] == rates[2]
    assert learned(DeathRate()).column(known(50, last_fetch=-np.inf, linked=START + 5 * YEAR))[0] == rates[0]


def test_what_goes_together_counts_once():
    """A directory of fifty pages that goes at once says as much of the others' rate as one page; two say more."""
    table = known(200, folder=np.arange(200) // 50, last_fetch=START + YEAR)
    one, fifty, two, later = (
        learned(DeathRate(), deaths_of(rows, times, START)).column(table)[199]
        for rows, times in (
            ([0], START + WEEK),
            (np.arange(50), START + WEEK + np.arange(50) * DAY / 2),
            ([0, 50], START + WEEK),
            ([0, 1], [START + WEEK, START + 40 * WEEK]),
        )
    )
    assert one == fifty < two == later


def test_nothing_known_of_deaths():
    """Before anything is known a page lives for some years, and as many move as go."""
    lives = 1.0 / learned(DeathRate()).column(known(3, last_fetch=-np.inf)) / YEAR
    assert (lives[0] == lives).all()
    assert 0.5 < lives[0] < 10.0
    assert learned(MoveShare()).column(known(3)).tolist() == [0.5] * 3
    assert learned(GoneBySigns()).column(known(3)).tolist() == [0.0] * 3
    for estimator in ESTIMATORS:
        assert learned(estimator).column(known(0)).shape == (0,)


def test_moves_are_those_of_the_host():
    """Where nearly all that go have moved the share is near 1, where none has near 0, elsewhere that of all."""
    rows = np.arange(120)
    fate = np.where(rows < 40, MOVED, GONE)
    host = np.append(np.where(rows < 40, 0, 1), 2)
    learner = learned(MoveShare(), deaths_of(rows, START + DAY, START, fate=fate))
    moves, goes, other = learner.column(known(121, host))[[0, 40, 120]]
    assert moves > 0.85
    assert goes < 0.1
    assert other == pytest.approx(40 / 120, abs=0.03)
    alive = fetches(rows, START + rows, [DAY] * 120, [True] * 120)
    learner.learn(alive)  # pages that live on say nothing of where others went
    assert learner.column(known(121, host))[0] == moves


# ----------------------------------------------------------------------------------------------------- gone, by signs


def test_links_are_trusted_as_far_as_they_were_right():
    """Where half of the pages went, linked or not, they say nothing; where no linked one did, much."""
    rows, years = np.arange(400), np.full(400, YEAR)
    linked = rows % 2 == 0
    died = np.where(rows < 200, rows % 4 < 2, ~linked & (rows % 4 == 1))
    fate = np.where(died, GONE, PAGE)
    log = fetches(rows, START + YEAR + rows, years, died, fate=fate, seen_gap=np.where(linked, DAY, YEAR))
    lying, true, unknown = learned(LinkDoubt(), log).column(known(401, np.append(rows // 200, 2)))[[0, 200, 400]]
    assert lying > 0.9
    assert true < 0.02
    assert unknown == pytest.approx(0.1)


def doubted_fetches(host_of_gone, host_of_alive):
    """Pages that were doubted and turned out to be gone, then such as were still there."""
    gone, alive = len(host_of_gone), len(host_of_alive)
    rows, count = np.arange(gone + alive), gone + alive
    fate = np.where(rows < gone, GONE, PAGE)
    time = START + YEAR + rows
    return fetches(rows, time, [DAY] * count, fate == GONE, fate=fate, doubted=[True] * count)


def test_a_page_whose_link_vanished_is_gone_as_often_as_others_of_its_host():
    """The share of doubted pages found gone, by host; 0 if it was seen since, was never fetched, or has no copy."""
    hosts = np.array([0] * 160 + [1] * 20 + [0] * 40 + [1] * 180 + [0, 1, 2, 0, 0, 0, 0])
    size, last = len(hosts), 400
    since, unlinked = np.full(size, START + 2 * YEAR), np.full(size, -np.inf)
    since[last:] = START
    unlinked[last:] = START + DAY
    linked, live = np.full(size, -np.inf), np.ones(size, bool)
    linked[last + 3] = START + 2 * DAY
    since[last + 4] = START + DAY
    since[last + 5] = -np.inf
    live[last + 6] = False
    more = {"last_fetch": since, "unlinked": unlinked, "linked": linked, "live": live}
    pages = known(size, hosts, np.arange(size), **more)
    learner = learned(GoneBySigns(), doubted_fetches(hosts[:180], hosts[180:400]))
    column = learner.column(pages)
    assert column[last] == pytest.approx(0.8, abs=0.05)
    assert column[last + 1] == pytest.approx(0.1, abs=0.05)
    assert column[last + 2] == pytest.approx(180 / 400, abs=0.05)
    assert column[last + 3 :].tolist() == [0.0] * 4
    assert not column[:last].any()
    assert learner.terms(last)["links_vanished"] == column[last]


def test_nothing_is_learnt_from_first_fetches_of_doubted_pages():
    """A page never fetched was not there before; whether it is there now says nothing of pages that were."""
    pages = known(2, folder=[0, 1], unlinked=START + DAY)
    first = fetches([1] * 9, START + np.arange(9), [np.inf] * 9, [True] * 9, fate=[GONE] * 9, doubted=[True] * 9)
    assert learned(GoneBySigns(), first).column(pages)[0] == learned(GoneBySigns()).column(pages)[0] > 0.0


def company(rows, dead, seen, found_gone=START + 100 * DAY, last_seen=START, **more):
    """The column where `dead` are found gone, and the others were last fetched at `seen`."""
    live = ~np.isin(np.arange(rows), dead)
    fetched = np.where(live, seen, found_gone)
    pages = known(rows, last_fetch=fetched, live=live, **more)
    return learned(GoneBySigns(), deaths_of(dead, found_gone, last_seen)).column(pages)


def test_siblings_of_a_page_found_gone_are_suspect():
    """As far as the time in which it went lies behind when they were last seen; not once they were seen after."""
    days = np.array([0, -50, 0, 50, 90, 100, 120, 0])
    column = company(8, [0], START + days * DAY, folder=[0] * 7 + [1])
    assert column[0] == 0.0  # it has gone, and is known to have
    assert column[1] == column[2] > 0.0
    assert column[2] > column[3] > column[4] > 0.0
    assert column[3] == pytest.approx(column[2] / 2)
    assert column[5:].tolist() == [0.0, 0.0, 0.0]
    assert (column < 1.0).all()


def test_those_who_live_on_make_others_less_suspect_and_those_who_went_more():
    """Ten siblings: the more that were found gone, and the fewer seen since, the likelier the last one has gone."""

    def chance(gone, alive):
        seen = np.full(12, START)
        seen[gone : gone + alive] = START + 150 * DAY
        return company(12, np.arange(gone), seen)[-1]

    assert chance(1, 9) < chance(1, 3) < chance(1, 0) < chance(3, 0) < chance(9, 0) < 1.0
    assert chance(3, 6) < chance(3, 0)
    assert chance(9, 0) > 0.6


def test_by_link_after_all():
    """A sibling that a page fetched later still links to is as good as seen."""
    links = np.array([-np.inf, -np.inf, START + 150 * DAY])
    suspect, seen = company(3, [0], START, linked=links)[1:]
    assert suspect > 0.0 == seen


def test_pages_that_link_to_each_other_go_together():
    """Those that the page linked to, and that link to it, are suspect, also in other directories; others are not."""
    links = linking([1], [], [0], [1, 4], [])
    column = company(5, [0], START, folder=np.arange(5), links=links)
    assert column[1] == column[2] > 0.0
    assert column[[3, 4]].tolist() == [0.0, 0.0]
    seen = company(5, [0], START + 150 * DAY, folder=np.arange(5), links=links)
    assert not seen.any()
    both = company(5, [0], START, folder=[0, 0, 1, 2, 3], links=links)
    assert both[1] > max(both[2], column[1])  # two signs are more than one


def test_old_news_is_no_news():
    """Long after a page was found gone its siblings are no longer suspect for that."""
    seen = np.array([0.0, START, START + 5 * YEAR])
    assert company(3, [0], seen, folder=[0, 0, 1])[1] == 0.0
    assert company(3, [0], START, folder=[0, 0, 1])[1] > 0.0


def moved_in_a_week(rng, folders, size, hit, share, looks):
    """A site all seen at START; in week 20 a share of some directories moves; then pages are looked at, as they come.

    Gives the table after that, the log, and which pages have gone without having been looked at.
    """
    count = folders * size
    folder = np.arange(count) // size
    gone = (folder < hit) & (rng.random(count) < share)
    rows = rng.permutation(count)[:looks]
    time = START + 20 * WEEK + (1 + np.arange(looks)) * (4 * WEEK / looks)
    last, live = np.full(count, START), np.ones(count, bool)
    last[rows], live[rows] = time, ~gone[rows]
    fate = np.where(gone[rows], MOVED, PAGE)
    log = fetches(rows, time, time - START, gone[rows], fate=fate, seen_gap=time - START)
    unknown = gone.copy()
    unknown[rows] = False
    return known(count, folder=folder, last_fetch=last, live=live), log, unknown


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("looks", [100, 400])
def test_chances_are_those_of_a_site_whose_directories_move(share, looks):
    """Part of some directories moves in one week: of those said to have gone with a chance, about so many have."""
    said, true, suspects = 0.0, 0.0, 0.0
    for seed in range(20):
        pages, log, unknown = moved_in_a_week(np.random.default_rng(seed), 50, 24, 10, share, looks)
        chance = learned(GoneBySigns(), log).column(pages)
        suspect = chance > 0.0
        said, true, suspects = said + chance.sum(), true + np.count_nonzero(unknown[suspect]), suspects + suspect.sum()
        assert chance[unknown].mean() > 2 * chance[~unknown].mean() or not suspect.any()
    assert suspects > 500
    assert 0.5 < said / true < 2.0


# -------------------------------------------------------------------------------------------- what links tell and bring


@st.composite
def link_lists(draw, most=24):
    """Who links to whom, each once, and what the news of each is worth, in numbers that add up without rounding."""
    size = draw(st.integers(1, most))
    rows = st.lists(st.integers(0, size - 1), max_size=size, unique=True)
    lists = draw(st.dictionaries(st.integers(0, size - 1), rows))
    most_news, most_own = draw(st.sampled_from([(1, 0), (2, 1), (12, 8)]))  # few numbers: many are worth the same
    news = draw(st.lists(st.integers(0, most_news), min_size=size, max_size=size))
    own = draw(st.lists(st.integers(0, most_own), min_size=size, max_size=size))
    return lists, np.array(news) / 4.0, np.array(own) / 4.0


def links_of(lists):
    sources = sorted(lists)
    bounds = np.append(0, np.cumsum([len(lists[each]) for each in sources])).astype(np.int64)
    return Links(
        np.array(sources, np.uint32), bounds, np.array([t for each in sources for t in lists[each]], np.uint32)
    )


@given(link_lists())
def test_what_links_tell_is_a_sum(drawn):
    """Of every row, over the pages that it links to; 0 for those without links."""
    lists, news, _ = drawn
    expected = [sum(news[t] for t in lists.get(row, ())) for row in range(len(news))]
    assert linked_news(links_of(lists), news).tolist() == expected


def plain_greedy(lists, news, worth, rows):
    """Take the best, say what it tells, and look at all the others again; of equals the first in `rows`."""
    known: set[int] = set()
    left, found = list(rows), {}
    while left:
        now = {row: worth[row] - sum(news[t] for t in lists.get(row, ()) if t in known) for row in left}
        best = max(left, key=now.__getitem__)
        found[best] = now[best]
        left.remove(best)
        known.update((best, *lists.get(best, ())))
    return [found[row] for row in rows]


@settings(max_examples=500)
@given(drawn=link_lists(), seed=st.integers(0, 2**32 - 1), count=st.integers(0, 24))
def test_news_is_told_once(drawn, seed, count):
    """As if all were looked at again each time one is taken, whatever the order of equals; never more than before."""
    lists, news, own = drawn
    lists = {
        row: [t for t in targets if t % 2] for row, targets in lists.items() if row % 2 == 0
    }  # nobody tells of one
    worth = own + linked_news(links_of(lists), news)  # that tells
    shuffled = np.random.default_rng(seed).permutation(len(worth))
    rows = shuffled[np.argsort(-worth[shuffled], kind="stable")][:count]
    before = worth.copy()
    found = marginal_worth(links_of(lists), news, worth, rows, np.ones(len(worth), np.bool_), len(rows))
    assert found.tolist() == plain_greedy(lists, news, worth, rows.tolist())
    assert (found <= worth[rows]).all()
    assert (found >= own[rows]).all()
    assert worth.tobytes() == before.tobytes()
    heard = {t for row in rows.tolist() for t in lists.get(row, ())}
    assert found.sum() - own[rows].sum() <= sum(news[t] for t in heard)  # less, where a page came before its hub


def test_of_equals_the_first_is_taken():
    """Six hubs worth the same, which tell the same in threes: of each three the first in the list tells it."""
    lists = {row: [10, 11] if row < 3 else [12, 13] for row in range(6)}
    news, rows, all_tell = np.ones(14), np.array([4, 0, 1, 5, 3, 2]), np.ones(14, np.bool_)
    links, other = links_of(lists), rows[[1, 2, 4, 0, 3, 5]]
    worth = linked_news(links, news)
    assert marginal_worth(links, news, worth, rows, all_tell, 6).tolist() == [2.0, 2.0, 0.0, 0.0, 0.0, 0.0]
    assert marginal_worth(links, news, worth, other, all_tell, 6).tolist() == [2.0, 0.0, 2.0, 0.0, 0.0, 0.0]
    assert marginal_worth(links, news, worth, rows, all_tell, 1).tolist() == [
        2.0,
        2.0,
        2.0,
        0.0,
        0.0,
        2.0,
    ]  # only one is


def test_many_hubs_that_tell_the_same():
    """Rounding does no harm: of three hundred hubs, each page's news is counted once, and the first keeps its worth."""
    rng, size = np.random.default_rng(0), 3000
    lists = {row: rng.choice(2000, 20, replace=False) + 1000 for row in range(300)}
    links, news = links_of(lists), rng.lognormal(0, 3, size)
    worth = linked_news(links, news) + rng.random(size)
    rows = np.argsort(-worth[:300], kind="stable")
    found = marginal_worth(links, news, worth, rows, np.ones(len(worth), np.bool_), len(rows))
    assert found[0] == worth[rows[0]]
    assert (found <= worth[rows]).all()
    own = worth - linked_news(links, news)
    heard = np.unique(links.targets)
    assert found.sum() == pytest.approx(own[rows].sum() + news[heard].sum(), rel=1e-6)
    assert found == pytest.approx(plain_greedy(lists, news, worth, rows.tolist()), rel=1e-6, abs=1e-6)


def watched(rows, found, gap):
    count = len(rows)
    return fetches(rows, START + np.arange(count), [gap] * count, [True] * count, found=found)


def test_how_many_unknown_pages_appear():
    """A page has its own rate once it was watched for long; one that was not is as those of its host, then as all."""
    rng, rows = np.random.default_rng(1), np.repeat(np.arange(40), 50)
    true = np.where(np.arange(40) < 20, 2.0, 0.1)  # a week
    host = np.append(np.where(np.arange(40) < 20, 0, 1), [0, 1, 2])
    learner = learned(FindRate(), watched(rows, rng.poisson(true[rows]), WEEK))
    rate = learner.column(known(43, host)) * WEEK
    assert rate[:20] == pytest.approx(np.full(20, 2.0), rel=0.4)
    assert rate[20:40] == pytest.approx(np.full(20, 0.1), abs=0.15)
    assert rate[40] == pytest.approx(2.0, rel=0.2)
    assert rate[41] < rate[42] < rate[40]
    assert learner.terms(0)["watched_for_weeks"] == pytest.approx(50.0)
    assert learner.terms(40) == {}


def test_a_page_that_brings_news_is_expected_to_bring_more():
    """The mean rises with what was found and falls with time; a first fetch says nothing; the shape counts finds."""
    first = fetches([0], [START], [np.inf], [True], found=[100])
    plain, unmoved, fruitful, barren = (
        learned(FindRate(), log).column(known(2))[0]
        for log in (
            watched([1], [1], WEEK),
            first,
            watched([1, 0], [1, 3], WEEK),
            watched([1, *[0] * 30], [1, *[0] * 30], WEEK),
        )
    )
    assert unmoved == learned(FindRate()).column(known(2))[0]
    assert barren < plain < fruitful
    few, many = (learned(FindRate("shape"), watched([0], [n], WEEK)).column(known(2)) for n in (0, 7))
    assert many[0] - few[0] > 7.0 > many[1]


def test_pages_with_many_links_lead_to_more():
    """In proportion to their links, until they were watched themselves."""
    links = Links(np.arange(4, dtype=np.uint32), np.array([0, 29, 58, 61, 61]), np.arange(61, dtype=np.uint32) % 4)
    learner = learned(FindRate(), watched([0] * 50, [3] * 50, WEEK))
    watched_one, large, small, none = learner.column(known(4, links=links)) * WEEK
    assert watched_one == pytest.approx(3.0, rel=0.1)
    assert large == pytest.approx(7.5 * small)
    assert small == pytest.approx(4.0 * none)


def test_first_fetches_lately():
    """Of the host, drawn to all; what was found when everything was new is forgotten, in whatever order it comes."""
    host, rows = np.arange(4000) % 2, np.arange(4000)
    found = np.where(rows < 2000, 500, np.where(host == 0, 10, 0))
    time, never = START + rows * 60.0, [np.inf] * 4000

    def learn(order):
        log = fetches(rows[order], time[order], never, [True] * 4000, found=found[order])
        again = fetches(rows, time + YEAR, [YEAR] * 4000, [True] * 4000, found=[7] * 4000)
        return learned(FirstFinds(), log, again).column(known(4001, [*host, 2]))

    many, few, other = learn(rows)[[0, 1, 4000]]
    assert many == pytest.approx(10.0, rel=0.05)
    assert few == pytest.approx(0.0, abs=0.2)
    assert other == pytest.approx(5.0, rel=0.05)
    assert learn(rows[::-1]).tobytes() == learn(rows).tobytes()
    assert learned(FirstFinds()).column(known(2)).tolist() == [0.0, 0.0]


# ------------------------------------------------------------------------------------------------------ what edits cost


def edits(rows, gain, **more):
    count = len(rows)
    plain = {"changed": [True] * count, "gain": gain} | more
    return fetches(rows, START + np.arange(count), [DAY] * count, **plain)


def test_an_edit_costs_a_share_of_what_is_found_in_a_page():
    """While none was measured: in proportion to its search value; nothing where there is none."""
    loss = learned(EditLoss()).column(known(3, value=[0.0, 1.0, 4.0]))
    assert loss[0] == 0.0 < loss[1] < 1.0
    assert loss[2] == pytest.approx(4 * loss[1])
    assert EditLoss().beliefs == (SearchValue(), Folder())


def test_edits_measured_tell_of_the_host_and_of_the_page():
    """Where edits cost a half of the search value the host's other pages are expected to, and other hosts' less."""
    host = np.append(np.arange(200) % 2, [0, 1, 2])
    gain = np.where(np.arange(200) % 2 == 0, 0.5, 0.0)
    pages = known(203, host, folder=host.astype(float))
    loss = learned(EditLoss(), edits(np.repeat(np.arange(200), 3), np.repeat(gain, 3))).column(pages)
    assert loss[200] == pytest.approx(0.5, rel=0.1)
    assert loss[201] < loss[202] < loss[200]
    one = learned(EditLoss(), edits([0] * 20, [0.9] * 20)).column(known(40))
    assert one[1] < one[0] < 0.9


def test_edits_measured_tell_most_of_their_directory():
    """Where edits of one directory cost much the others of it are expected to, more than those beside it."""
    folder = np.append(np.arange(200) % 2, [0.0, 1.0, 2.0])
    gain = np.where(np.arange(200) % 2 == 0, 0.5, 0.0)
    learner = learned(EditLoss(), edits(np.repeat(np.arange(200), 3), np.repeat(gain, 3)))
    costly, cheap, unknown = learner.column(known(203, folder=folder))[200:]
    assert cheap < 0.05 < 0.2 < unknown < 0.3 < 0.4 < costly < 0.5


def test_a_page_that_is_back_was_not_edited():
    """Its text is another because it was not there in between."""
    plain = learned(EditLoss(), edits([1], [0.1]))
    gone = fetches([0], [START], [DAY], [True], fate=[GONE])
    back = learned(EditLoss(), edits([1], [0.1]), gone, edits([0], [0.9]))
    assert back.column(known(3)).tobytes() == plain.column(known(3)).tobytes()
    again = learned(EditLoss(), edits([1], [0.1]), gone, edits([0], [0.9]), edits([0], [0.9]))
    assert again.column(known(3))[0] > plain.column(known(3))[0]


@pytest.mark.parametrize(
    "nothing",
    [
        {"changed": [False]},
        {"fate": [GONE]},
        {"fate": [MOVED]},
        {"gain": [np.nan]},
        {"gap": [np.inf]},
        {"gap": [0.0]},
    ],
    ids=str,
)
def test_what_is_no_edit_measured_is_not_counted(nothing):
    """A page as before, one that has gone or moved, that nobody measured, or that was fetched for the first time."""
    columns = {"changed": [True], "gain": [0.5], "gap": [DAY]} | nothing
    log = fetches([0], [START], columns.pop("gap"), **columns)
    pages = known(4, [0, 0, 1, 1], value=[1.0, 2.0, 3.0, 0.0])
    assert learned(EditLoss(), log).column(pages).tobytes() == learned(EditLoss()).column(pages).tobytes()
    assert learned(EditLoss(), edits([0], [0.5])).column(pages)[0] > learned(EditLoss()).column(pages)[0]


def test_an_edit_that_did_harm_cost_nothing():
    """A fetch after which answers are worse shows that nothing was lost before."""
    pages = known(2)
    harm, none = (learned(EditLoss(), edits([0], [gain])).column(pages) for gain in (-5.0, 0.0))
    assert harm.tobytes() == none.tobytes()


def test_no_search_value_at_all():
    """Without queries nothing is at stake but what was measured when there were some."""
    loss = learned(EditLoss(), edits([0], [0.5])).column(known(3, value=0.0))
    assert loss[0] > 0.0 == loss[1] == loss[2]
