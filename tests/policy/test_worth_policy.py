"""Worth: one currency for pages never fetched, pages that may have changed or gone, and pages that tell of others."""

from dataclasses import replace

import numpy as np
import pytest

from sought.beliefs.edit_loss import EditLoss
from sought.beliefs.entry_value import EntryValue
from sought.beliefs.find_rate import FindRate
from sought.beliefs.first_finds import FirstFinds
from sought.beliefs.folder import Folder
from sought.beliefs.presence import Presence, SearchValue
from sought.beliefs.prospect import MainQuery, MainShare
from sought.lab.replay.conformance import PROMISES
from sought.lab.replay.samples import NOW, extreme_pages, sample_pages
from sought.policy import parse_policy
from sought.policy.ranking import best
from sought.policy.worth.worth import PARTS, Worth
from sought.record.fetches import GONE
from sought.web.errors import BadInput
from sought.web.policy import Purpose, beliefs_of
from tests.testing.fetch_logs import fetches
from tests.testing.worth_pages import DAY, YEAR, crawl, learners, lists

POLICY = Worth(explore="none")  # what is expected is all that counts
ALL = [Worth(), POLICY, Worth(explore="draw"), Worth(explore="bound"), *(Worth(without=each) for each in PARTS)]
BY_DEMAND = (EntryValue(), SearchValue(), Presence(), EditLoss())  # in the unit of gains


def frontier(rows, seed=0):
    """A site half of which was never fetched; two hundred fetches a week."""
    rng = np.random.default_rng(seed)
    last = np.where(np.arange(rows) % 2, NOW - rng.integers(1, 200, rows) * DAY, -np.inf)
    value = {EntryValue(): rng.lognormal(-3, 1.5, rows) * np.isneginf(last), MainQuery(): rng.integers(-1, 40, rows)}
    return crawl(rows, pace=200 / (7 * DAY), last_fetch=last, supplied=value | {MainShare(): rng.random(rows)})


def worth(pages, policy=POLICY, now=NOW):
    with np.errstate(all="raise", under="ignore"):  # what is too small to be a number is nothing
        return policy(pages, now)


# ------------------------------------------------------------------------------------------------------------ numbers


@pytest.mark.parametrize(("name", "kept"), PROMISES)
def test_promises_of_every_policy(name, kept):
    """Those that anybody's policy must keep."""
    kept(Worth())


@pytest.mark.parametrize("policy", [*ALL, Worth(horizon=1.0)], ids=repr)
def test_values_are_numbers(policy):
    """Of pages as they are and at their limits, with and without links; nothing that NumPy would warn of."""
    wanted = beliefs_of(policy)
    tables = [
        make(seed, rows, wanted) for make in (sample_pages, extreme_pages) for seed in (1, 2, 3) for rows in (60, 400)
    ]
    for pages in (*tables, sample_pages(1, 0, wanted), sample_pages(1, 1, wanted), replace(tables[0], links=None)):
        values = worth(pages, policy)
        assert values.shape == (len(pages),)
        assert np.isfinite(values).all()
        parts = policy.parts(pages, NOW)
        assert all((part >= 0.0).all() for part in parts[:-1])
        assert 0.0 <= parts.price < np.inf


def test_what_is_expected_of_a_fetch():
    """Numbers from 0 on, of a page never fetched its EntryValue; what for, and the price; nothing of chances."""
    for make in (sample_pages, extreme_pages):
        for seed in (1, 2, 3):
            pages = make(seed, 300, beliefs_of(POLICY))
            with np.errstate(all="raise", under="ignore"):
                value, gain, chance, price, purpose = POLICY.expects(pages, NOW)
                assert value.tobytes() == POLICY(pages, NOW).tobytes()
                parts = POLICY.parts(pages, NOW)
            assert price == parts.price
            assert purpose is not None
            by_itself = parts.edits + parts.deaths >= parts.links + parts.finds
            of_known = np.where(by_itself, Purpose.STALE, Purpose.HUB)
            assert purpose.tolist() == np.where(pages.is_new, Purpose.NEW, of_known).tolist()
            assert set(purpose.tolist()) == {Purpose.NEW, Purpose.STALE, Purpose.HUB}
            assert np.isfinite(gain).all()
            assert (gain >= 0.0).all()
            assert np.isnan(chance).all()  # nothing is drawn
    pages = sample_pages(1, 300, beliefs_of(POLICY))
    new, floor = pages.is_new, worth_of_nothing(pages)
    entry = np.maximum(pages.belief(EntryValue()), 0.0)
    assert POLICY.expects(pages, NOW).gain[new] == pytest.approx(entry[new], abs=1e-9 * floor)
    assert not POLICY.expects(pages, NOW).gain[~new & ~pages.live].any()


def worth_of_nothing(pages):
    """What a page is taken to be worth that nobody has asked for."""
    return POLICY._page_state(pages, NOW).floor


def test_what_is_expected_of_a_page_known():
    """The more, the longer it was not seen and the more attention it has; of one that surely went what it hid."""
    pages = crawl(
        4,
        last_fetch=NOW - np.array([1, 300, 300, 300]) * DAY,
        linked=[-np.inf, -np.inf, NOW, -np.inf],
        unlinked=[-np.inf, -np.inf, -np.inf, NOW],
    )
    gain = POLICY.expects(pages, NOW).gain
    assert gain[0] < gain[2] < gain[1] < gain[3] <= 1.0


# ------------------------------------------------------------------------------------------------ what is worth more


def test_a_page_whose_link_vanished_is_worth_more_than_its_twin():
    doubted, twin = worth(crawl(2, unlinked=[NOW - DAY, -np.inf]))
    assert doubted > twin > 0.0


def test_a_page_seen_by_a_link_is_worth_less():
    """Yesterday less than a month ago, and that less than one nobody has seen for a year."""
    yesterday, month, never = worth(crawl(3, last_fetch=NOW - YEAR, linked=[NOW - DAY, NOW - 30 * DAY, -np.inf]))
    assert yesterday < month < never


def test_more_search_value_is_worth_more():
    """Known pages by what attention finds in them, new ones by what they are expected to bring."""
    value = np.array([0.0, 1.0, 2.0, 8.0])
    known = worth(crawl(4, supplied={SearchValue(): value, Presence(): value / 2}))
    new = worth(crawl(5, last_fetch=[NOW - DAY] + [-np.inf] * 4, supplied={EntryValue(): [0.0, *value]}))[1:]
    for values in (known, new):
        assert (np.diff(values) > 0.0).all()
        assert values[0] > 0.0


def test_age_is_worth_something():
    """Of pages alike the one that was fetched longer ago; also of those that went."""
    days = np.array([1, 10, 100, 1000]) * DAY
    for live in (True, False):
        assert (
            np.diff(worth(crawl(5, last_fetch=NOW - np.append(days, 0.0), live=[live] * 4 + [True]))[:4]) > 0.0
        ).all()


def test_a_sibling_of_a_page_found_gone_is_worth_more():
    """By what it learned from the log of fetches, not from the table alone."""
    last = NOW - np.array([1, 100, 100]) * DAY
    died = fetches([0], [NOW - DAY], [99 * DAY], [True], fate=[GONE], seen_gap=[99 * DAY])
    pages = crawl(3, [died], last_fetch=last, live=[False, True, True], supplied={Folder(): [0, 0, 1]})
    gone, sibling, other = worth(pages)
    assert sibling > other > gone


def test_a_page_that_a_sitemap_says_was_edited_is_worth_more():
    """Where such signals were true; where they never were, hardly more; and nothing if it was fetched since."""
    rows, days = np.repeat(np.arange(20), 20), np.tile(np.arange(20), 20)
    half = days % 2 == 0

    def learned(changed):
        return [fetches(rows, NOW - YEAR + days * DAY, np.full(400, DAY), changed, signalled=half)]

    signal = np.full(23, -np.inf)
    signal[20:22] = NOW - 0.5 * DAY
    last = np.append(np.full(20, NOW - 10 * DAY), NOW - np.array([1.0, 0.4, 1.0]) * DAY)
    true, lying = (worth(crawl(23, learned(bits), last_fetch=last, signal=signal)) for bits in (half, days % 4 == 1))
    for signalled, since, twin in (true[20:], lying[20:]):
        assert since < twin <= signalled
    assert true[20] / true[22] > lying[20] / lying[22]
    assert true[20] > true[22]


def test_a_hub_of_pages_not_seen_is_worth_more_than_its_twin():
    """Whose links lead to pages seen today; and the more valuable the pages, the more."""
    size = 14
    last = NOW - np.array([30, 30, 30] + [400] * 4 + [0] * 4 + [400] * 3) * DAY
    value = np.array([1.0] * 3 + [4.0] * 8 + [1.0] * 3)
    links = lists(r0=[3, 4, 5, 6], r1=[7, 8, 9, 10], r2=[])
    pages = crawl(
        size, links=links, pace=1 / YEAR, last_fetch=last, supplied={SearchValue(): value, Presence(): value / 2}
    )
    policy = replace(POLICY, without="finds")  # else the old pages themselves come first, and there is no news left
    hub, twin, none = worth(pages, policy)[:3]
    assert hub > twin >= none
    poor = {SearchValue(): np.ones(size), Presence(): np.full(size, 0.5)}
    assert hub / worth(crawl(size, links=links, pace=1 / YEAR, last_fetch=last, supplied=poor), policy)[0] > 1.0
    assert worth(replace(pages, links=None), policy)[0] == pytest.approx(none)


def test_hubs_that_tell_the_same_are_not_all_fetched():
    """Of two pages with the same links the second is worth what it is without them."""
    last = NOW - np.array([30, 31] + [400] * 4 + [30, 31]) * DAY
    links = lists(r0=[2, 3, 4, 5], r1=[2, 3, 4, 5])
    pages = crawl(8, links=links, pace=1 / YEAR, last_fetch=last)
    policy = replace(POLICY, without="finds")
    first, second = sorted(worth(pages, policy)[:2])[::-1]
    plain = policy.parts(pages, NOW).total
    assert first == pytest.approx(plain[:2].max())
    assert second == pytest.approx(plain[6:].min(), rel=0.1)
    assert (worth(pages, policy) <= plain).all()


def test_a_page_that_went_tells_nothing():
    """Its links stay on record: they are no news, and hide none of those of others."""
    last = NOW - np.array([30, 31] + [400] * 4 + [30, 31]) * DAY
    links = lists(r0=[2, 3, 4, 5], r1=[2, 3, 4, 5])
    policy = replace(POLICY, without="finds")
    alive = crawl(8, links=links, pace=1 / YEAR, last_fetch=last)
    one_gone = replace(alive, live=np.arange(8) != 1)
    assert worth(one_gone, policy)[0] == pytest.approx(policy.parts(one_gone, NOW).total[0])
    assert (worth(one_gone, policy) >= 0.0).all()


def test_pages_that_lead_to_new_ones_are_worth_more():
    """A page that brought links nobody knew, and a first fetch on a host where these bring many."""
    found = [fetches([0] * 20, NOW - YEAR + np.arange(20) * DAY, [DAY] * 20, [True] * 20, found=[5] * 20)]
    fruitful, twin = worth(crawl(3, found, pace=2 / YEAR))[:2]
    assert fruitful > twin
    host = np.array([0] * 20 + [1] * 20 + [0, 1])
    first = fetches(range(40), NOW - YEAR + np.arange(40), [np.inf] * 40, [True] * 40, found=np.where(host[:40], 0, 9))
    last = np.where(np.arange(42) < 40, NOW - DAY, -np.inf)
    many, few = worth(crawl(42, [first], host=host, last_fetch=last, pace=1 / YEAR))[40:]
    assert many > few


def test_a_hub_leads_to_pages_like_those_it_links_to():
    """Of two pages that bring new links as often, the one whose links lead to pages that are needed is worth more."""
    found = [fetches([0, 1] * 20, NOW - YEAR + np.arange(40) * DAY, [DAY] * 40, [True] * 40, found=[2] * 40)]
    needed = np.array([0.5, 0.5, *[1.0] * 9, *[0.0] * 9])
    links = lists(r0=list(range(2, 11)), r1=list(range(11, 20)))
    pages = crawl(20, found, links, pace=2 / YEAR, supplied={Presence(): needed, SearchValue(): 1.0})
    good, poor = POLICY.parts(pages, NOW).finds[:2]
    assert good > 1.5 * poor > 0.0


# --------------------------------------------------------------------------------------------------- price and scale


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_the_price_falls_when_the_pace_grows(seed):
    """Who can fetch more takes what is worth less; who can fetch all pays nothing."""
    pages, weekly = frontier(2000, seed), (1, 2, 5, 20, 50, 100, 200, 300, 400, 1000, 1999, 2000)
    prices = [POLICY.parts(replace(pages, pace=each / (7 * DAY)), NOW).price for each in weekly]
    assert (np.diff(prices) < 0.0).all()
    assert prices[-1] == 0.0


@pytest.mark.parametrize("policy", ALL, ids=repr)
def test_the_unit_of_gains_does_not_matter(policy):
    """Twice as many of every query: everything is worth twice as much, and the order is the same."""
    for seed in (1, 2, 3):
        pages = sample_pages(seed, 400, beliefs_of(policy))
        for times in (2.0, 1024.0, 2.0**-20):
            scaled = {each: times * pages.belief(each) for each in BY_DEMAND}
            values = worth(replace(pages, beliefs={**pages.beliefs, **scaled}), policy)
            assert values == pytest.approx(times * worth(pages, policy), rel=1e-12, abs=1e-250)


def test_each_part_is_for_something():
    """A table on which leaving any part out changes values, and all do so differently."""
    pages = sample_pages(1, 400, beliefs_of(POLICY))
    finds = {FindRate(): np.full(400, 1.0 / DAY), FirstFinds(): np.full(400, 2.0)}
    pages = replace(pages, beliefs={**pages.beliefs, **finds}, pace=20 / (7 * DAY))
    policies = [POLICY, *(replace(POLICY, without=each) for each in PARTS)]
    assert len({worth(pages, each).tobytes() for each in policies}) == len(policies)


@pytest.mark.parametrize("changes", [0, 1], ids=["never there", "gone"])
def test_a_host_whose_pages_are_not_there_leads_to_less(changes):
    """Its pages in hand are as good as those of another host, but most of what was found on it brought nothing."""
    rows = 26  # two good pages and one new page of each of two hosts; the others are of the second one, and not there
    host = np.where(np.arange(rows) % 2, 1, 0)
    host[6:] = 1
    pages = crawl(
        rows,
        host=host,
        live=np.arange(rows) < 6,
        last_fetch=np.where((np.arange(rows) == 4) | (np.arange(rows) == 5), -np.inf, NOW - DAY),
        changes=np.where(np.arange(rows) < 6, 1, changes),
    )
    pages = replace(pages, beliefs={**pages.beliefs, FirstFinds(): np.full(rows, 10.0)})
    entry = POLICY.parts(pages, NOW).entry
    assert entry[4] > 3.0 * entry[5] > 0.0


def test_a_short_horizon_makes_new_pages_worth_less():
    """What is gained for a day only is worth a day's gain."""
    pages = crawl(2, last_fetch=[NOW - YEAR, -np.inf], supplied={EntryValue(): 1.0})
    (_, year), (_, day) = (worth(pages, replace(POLICY, horizon=each)) for each in (YEAR, DAY))
    assert year > 100 * day > 0.0


def test_importance_is_what_answers_would_lose():
    """And of new pages, what they are expected to gain."""
    pages = crawl(2, last_fetch=[NOW, -np.inf], supplied={EntryValue(): [0.0, 0.25]})
    assert POLICY.importance(pages).tolist() == [0.5, 0.25]


# ------------------------------------------------------------------------------------------------------- nobody starves


@pytest.mark.parametrize(
    "links", [None, lists(r0=list(range(1, 40)), r5=[0, 6, 7, 8], r30=[31, 32])], ids=["alone", "linked"]
)
def test_without_queries_new_pages_come_first_and_all_are_fetched_again(links):
    """A closed site that nobody asks for, 300 days at two fetches a day: first what is new, then everything in turn.

    Some pages have gone and stay so; some links tell of others, which are then seen.
    """
    size, new, gone = 40, np.arange(10, 20), np.arange(36, 40)
    last = NOW - np.random.default_rng(2).integers(1, 60, size) * DAY
    last[new] = -np.inf
    linked, count, order = np.full(size, -np.inf), np.zeros(size, int), []
    live = ~np.isin(np.arange(size), gone)
    log: list = []
    learned = learners()
    for day in range(300):
        now = NOW + day * DAY
        supplied = {SearchValue(): 0.0, Presence(): 0.0}
        more = {"last_fetch": last, "live": live, "linked": linked, "host": np.arange(size) % 3}
        pages = crawl(size, log, links, 2 / DAY, supplied, learned, **more)
        rows = best(worth(pages, now=now), pages.key, 2)
        fate = np.where(live[rows], 0, GONE)
        gap = now - last[rows]
        log = [fetches(rows, [now] * 2, gap, np.isinf(gap) | (rows % 7 == 0), fate=fate, seen_gap=gap)]
        last[rows] = now
        for row in rows.tolist():
            if links is not None and live[row] and row in links.sources:
                at = int(np.searchsorted(links.sources, row))
                linked[links.targets[links.bounds[at] : links.bounds[at + 1]]] = now
        count[rows] += 1
        order += rows.tolist()
    assert set(order[: len(new)]) == set(new.tolist())
    assert count[live].min() >= 2
    assert count[gone].min() >= 1
    assert count.max() < 150


# ---------------------------------------------------------------------------------------------------------- exploration


def test_a_few_fetches_are_for_finding_out():
    """2 % of those of a week, drawn among pages that would not be chosen; they come before the last that would be."""
    pages, weeks, few = frontier(4000), 40, 0.0
    for week in range(weeks):
        now = NOW + week * 7 * DAY
        plain, explored = worth(pages, POLICY, now), worth(pages, Worth(), now)
        price, changed = POLICY.parts(pages, now).price, plain != explored
        few += np.count_nonzero(changed)
        assert (plain[changed] < price).all()
        assert (explored[changed] > price).all()
    assert few / weeks == pytest.approx(0.02 * 200, rel=0.3)


@pytest.mark.parametrize("explore", ["share", "draw"])
def test_the_dice_are_thrown_once_a_week(explore):
    """Within a week the same are drawn, by the hash of their address; the next week others."""
    pages, policy = frontier(4000), Worth(explore=explore)
    monday = np.ceil(NOW / (7 * DAY)) * 7 * DAY

    def is_drawn(now):
        return worth(pages, policy, now) > 1.05 * worth(pages, POLICY, now)

    first = is_drawn(monday)
    assert first.any()
    assert np.count_nonzero(first & is_drawn(monday + 6 * DAY)) > 0.8 * np.count_nonzero(first)
    assert np.count_nonzero(first & is_drawn(monday + 8 * DAY)) < 0.7 * np.count_nonzero(first)


@pytest.mark.parametrize("explore", ["share", "draw"])
def test_chances_are_those_with_which_pages_are_chosen(explore):
    """Over many weeks each is chosen as often as was said of it: the sums agree, and of groups alike too."""
    pages, policy = frontier(3000), Worth(explore=explore)
    said, came = np.zeros(3000), np.zeros(3000)
    weeks = 40
    for week in range(weeks):
        now = NOW + week * 7 * DAY
        chance = policy.expects(pages, now).chance
        assert ((chance >= 0.0) & (chance <= 1.0)).all()
        said += chance / weeks
        came += (worth(pages, policy, now) >= POLICY.parts(pages, now).price) / weeks
    low = said < 0.9
    assert came[low].sum() == pytest.approx(said[low].sum(), rel=0.3)
    assert came[~low].mean() > 0.8


def test_hope_makes_no_page_worth_less():
    """With an upper bound a new page is worth at least about what is expected, and uncertain ones more."""
    pages = frontier(500)
    new = pages.is_new
    assert (worth(pages, Worth(explore="bound"))[new] > worth(pages)[new]).all()


def test_pages_that_would_serve_the_same_query_are_not_all_needed():
    """The best keeps its worth; the next is worth less than alone, and those of other queries are as they were."""
    value = np.array([5.0, 4.0, 3.0, 4.0, 4.0, 1.0])
    supplied = {EntryValue(): value, MainQuery(): [7, 7, 7, 8, -1, -1], MainShare(): [1, 1, 0.5, 1, 1, 1]}
    pages = crawl(6, last_fetch=[-np.inf] * 5 + [NOW - DAY], supplied=supplied)
    alone, beside = worth(pages, replace(POLICY, without="turns")), worth(pages)
    assert beside[[0, 3, 4]] == pytest.approx(alone[[0, 3, 4]])
    assert beside[1] < 0.6 * alone[1]
    assert 0.5 * alone[2] < beside[2] < alone[2]


# ----------------------------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    "wrong",
    [
        {"horizon": 0.0},
        {"horizon": -1.0},
        {"horizon": np.inf},
        {"horizon": "year"},
        {"without": "pages"},
        {"explore": "much"},
    ],
    ids=str,
)
def test_a_wrong_parameter_is_refused(wrong):
    """The message names the parameter."""
    with pytest.raises(BadInput, match=next(iter(wrong))):
        Worth(**wrong)


@pytest.mark.parametrize("policy", [*ALL, Worth(horizon=3e6)], ids=repr)
def test_its_repr_is_its_line_in_sought_toml(policy):
    """And reads as the same policy."""
    assert parse_policy(repr(policy)) == policy
    assert hash(policy) == hash(replace(policy))
    assert policy.reads_links
