"""What the first fetch of a page is worth."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from sought.beliefs.columns import Beliefs
from sought.beliefs.entry_model import (
    CLIPPED,
    FELLOWS,
    FOLDER,
    GUESSED,
    HERITAGE,
    LEAST,
    OF_HEIRS,
    TYPICAL,
    WEIGHTS,
    EntryFeatures,
    EntryModel,
    fit,
    prior,
)
from sought.beliefs.entry_signs import fellows
from sought.beliefs.entry_value import EntryValue, EntryValueSupplier, FirstFetches
from sought.beliefs.heritage import Heritage
from sought.beliefs.learned import LearnedSupplier
from sought.beliefs.presence import Values
from sought.beliefs.prospect import Prospect
from sought.crawl.cycle import beliefs_in
from sought.graph.links import links_of
from sought.lab.replay.setting import Setting
from sought.lab.replay.wall import first_leak
from sought.operate.check import check
from sought.operate.view import View
from sought.policy import Learned
from sought.record.directory import Directory
from sought.record.recovery import open_directory
from tests.testing.counted_anew import ask, opened
from tests.testing.demand_site import QUERIES, WORDS, answer
from tests.testing.linked_site import LinkedSite, column_of, stored_column, watched
from tests.testing.wall_world import made, middle

ENTRY = EntryValue()


@dataclass(frozen=True)
class _ByEntry:
    """New pages by what their first fetches are worth."""

    beliefs = (ENTRY,)

    def __call__(self, pages, now):
        return np.where(pages.is_new, pages.belief(ENTRY), -np.inf)


class _Reads:
    """A policy that reads several beliefs."""

    def __init__(self, beliefs):
        self.beliefs = beliefs

    def __call__(self, pages, now):
        return np.zeros(len(pages))


READS = _Reads((ENTRY,))


# ---- the model


def known(prospect: np.ndarray, **more: np.ndarray) -> EntryFeatures:
    """Pages of which nothing but their prospects is known, or a little more."""
    nothing, ones = np.zeros(len(prospect)), np.ones(len(prospect))
    names = ("heritage", "guessed", "fellows", "folder", "depth")
    columns = dict.fromkeys(names, nothing) | {"prospect": prospect, "typical": ones, "host": ones, "inlinks": ones}
    return EntryFeatures(**columns | more)


def drawn(pages: int, seed: int = 0) -> tuple[EntryFeatures, np.random.Generator]:
    """Pages of all kinds."""
    dice = np.random.default_rng(seed)
    prospect = dice.gamma(0.3, 1.0, pages)
    heritage = np.where(dice.random(pages) < 0.2, dice.gamma(1.0, 5.0, pages), 0.0)
    more = {"heritage": heritage, "fellows": dice.gamma(3.0, 0.3, pages), "host": dice.gamma(5.0, 0.2, pages)}
    more |= {"folder": dice.gamma(3.0, 0.3, pages), "depth": dice.integers(0, 5, pages).astype(float)}
    return known(prospect, **more, inlinks=dice.integers(1, 9, pages).astype(float)), dice


def test_before_anything_is_learnt_pages_come_by_their_prospects():
    """If nothing else is known; nothing is divided by a typical page that is not there."""
    some = known(np.array([0.0, 0.5, 2.0]), typical=np.zeros(3))
    assert EntryModel().expected(some).tolist() == [0.0, 0.5, 2.0]
    few = known(np.ones(LEAST - 1))
    assert fit(few, np.ones(LEAST - 1), np.ones(LEAST - 1)) == EntryModel()
    nothing = known(np.zeros(50), typical=np.zeros(50))
    assert fit(nothing, np.ones(50), np.ones(50)) == EntryModel()  # nothing was expected of any


def test_heirs_are_worth_what_they_were_left():
    """If that is for sure; else by guess.  All else tells less of them than of others."""
    three = {"heritage": np.array([0.0, 4.0, 0.0]), "guessed": np.array([0.0, 8.0, 8.0]), "fellows": np.full(3, 2.0)}
    of_any = 1.0 + FELLOWS * 2.0 + FOLDER * 3.0 + TYPICAL
    expected = [of_any, OF_HEIRS * of_any + HERITAGE * 4.0, OF_HEIRS * of_any + GUESSED * 8.0]
    assert prior(known(np.ones(3), **three, folder=np.full(3, 3.0))).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_it_learns_that_too_much_or_too_little_is_expected(factor):
    """What is expected of pages like those that were fetched comes to add up to what they bring."""
    off = {20: 0.0, 2000: 0.0}  # after so many fetches, the mean of ten times
    for seed in range(10):
        some, dice = drawn(3000, seed)
        gain = prior(some) * factor * dice.gamma(0.5, 2.0, 3000)
        for count in off:
            model = fit(EntryFeatures(*(column[:count] for column in some)), gain[:count], np.full(count, np.nan))
            assert model.learnt_from == count
            off[count] += abs(np.log(model.expected(some).sum() / gain.sum())) / 10
    assert off[20] < 0.7 * abs(np.log(factor))
    assert off[2000] < 0.1


def test_it_learns_which_signs_tell():
    """Here only hosts do; the order of pages comes to be that of their gains."""
    some, dice = drawn(40_000)
    truth = some.host**2 * prior(some)
    gain = truth * dice.gamma(0.5, 2.0, 40_000)
    model = fit(some, gain, np.full(40_000, np.nan))
    weights = dict(zip(WEIGHTS, model.weights, strict=True))
    assert weights["host"] == pytest.approx(2.0, abs=0.3)
    assert max(abs(weight) for name, weight in weights.items() if name != "host") < 0.3


def test_chances_undo_a_selection():
    """Pages that are better than they look were fetched ten times as often; the sum over all comes out nevertheless."""
    some, dice = drawn(80_000)
    better = dice.random(80_000) < 0.5
    gain = prior(some) * np.where(better, 1.8, 0.2) * dice.gamma(0.5, 2.0, 80_000)
    chance = np.where(better, 0.5, 0.05)
    fetched = dice.random(80_000) < chance
    those = EntryFeatures(*(column[fetched] for column in some))
    fair, naive = (fit(those, gain[fetched], each) for each in (chance[fetched], np.full(fetched.sum(), np.nan)))
    ratio = {model: model.expected(some).sum() / gain.sum() for model in (fair, naive)}
    assert ratio[naive] > 1.4
    assert 0.9 < ratio[fair] < 1.1


def test_no_fetch_counts_for_more_than_twenty():
    """However unlikely it was, also if it was told to be impossible."""
    some, dice = drawn(100)
    gain = dice.random(100)
    chance = np.where(np.arange(100) < 50, 1.0, 1.0 / CLIPPED)
    for smaller in (1e-9, 0.0):
        assert fit(some, gain, np.minimum(chance, np.where(chance < 1.0, smaller, 1.0))) == fit(some, gain, chance)


def test_the_model_stays_near_its_prior():
    """Also where a sign is far beyond all that it has learned from, or one gain beyond all others."""
    some, _ = drawn(50)
    gain = np.append(np.zeros(49), 1e9)
    model = fit(some, gain, np.full(50, np.nan))
    strange = known(np.array([0.0, 1e12]), heritage=np.array([1e15, 0.0]), host=np.array([0.0, 1e9]))
    found = model.expected(strange) / prior(strange)
    assert np.all((found > 0.049) & (found < 20.1))
    assert fit(some, np.zeros(50), np.full(50, np.nan)).expected(some).sum() < prior(some).sum()


def test_fits_are_the_same_to_the_last_bit():
    """From the same fetches."""
    some, dice = drawn(20_000)
    gain, chance = dice.random(20_000), dice.random(20_000)
    assert fit(some, gain, chance) == fit(some, gain, chance)


# ---- the crawl


@pytest.fixture
def site(tmp_path: Path) -> LinkedSite:
    site = LinkedSite(tmp_path / "crawl", 200)
    ask(site.path, *QUERIES)
    return site


def grown(site: LinkedSite, directory: Directory, beliefs: Beliefs, commits: int) -> None:
    """A crawl whose policy looks at the table before every commit."""
    for _ in range(commits):
        beliefs.pages()
        site.fetch(directory, site.new(directory)[:8] or [0])


def entry(beliefs: Beliefs) -> EntryValueSupplier:
    found = beliefs.suppliers[ENTRY]
    assert isinstance(found, EntryValueSupplier)
    return found


def begin_anew(supplier: EntryValueSupplier) -> None:
    """Work out everything again, as whoever starts does."""
    supplier.growth.fetched = -1
    supplier.signs.basis, supplier.signs.values.basis = (), (None, None, None)
    supplier.signs.prospects.judged_for = (None, None)


def row_of(site: LinkedSite, directory: Directory, page: int) -> int:
    return directory.repository.discovery.row(site.url(page))


def move(site: LinkedSite, directory: Directory, page: int, target: int) -> None:
    """A page is found to redirect."""
    site.clock += 1.0
    response = answer(site.url(page), "", 301, time=site.clock, Location=site.url(target))
    directory.writer.record(row_of(site, directory, page), response)
    directory.writer.commit()


def test_at_first_new_pages_rank_by_prospect(site: LinkedSite):
    """Pages that one home links to have the same fellows."""
    site.links[0] = list(range(1, 40))
    with site.open() as directory:
        site.fetch(directory, [0])
        beliefs = watched(directory, READS)
        value = column_of(beliefs, ENTRY)
        prospect = column_of(beliefs_in(directory, _Reads((Prospect(),))), Prospect())
        new = np.isneginf(directory.repository.table["last_fetch"])
        assert np.argsort(value[new], kind="stable").tolist() == np.argsort(prospect[new], kind="stable").tolist()
        assert len(np.unique(value[new])) > 2
        assert np.all(value[new] >= prospect[new])
        assert not value[~new].any()


def test_fellows_are_what_parents_link_to():
    """Means of means, drawn to the typical page; nobody's fellow is typical, and pages nobody finds do not count."""
    presence, searchable = np.array([1.0, 5.0, 9.0, 9.0, 0.0, 0.0]), np.array([True, True, True, False, False, False])
    links = links_of(np.array([0, 0, 0, 1, 1]), np.array([2, 3, 4, 0, 4]), 6)
    first, second = (9.0 + 3 * 5.0) / 4, (1.0 + 3 * 5.0) / 4
    found = fellows(presence, searchable, 5.0, links)
    assert found.tolist() == [second, 5.0, first, first, (first + second) / 2, 5.0]


def test_what_is_learnt_survives_a_restart(site: LinkedSite):
    """First fetches are on record with what was known before, and so the model is the same; Learned's record stays."""
    learned = Learned()
    with site.open() as directory:
        beliefs = watched(directory, _Reads((learned, ENTRY)))
        grown(site, directory, beliefs, 12)
        begin_anew(entry(beliefs))
        live, model = column_of(beliefs, ENTRY), entry(beliefs).model
        assert model.learnt_from == entry(beliefs).fetched.count - 1 > 50  # of the home nothing was expected
        count = _records(beliefs, learned)
        new = np.isneginf(directory.repository.table["last_fetch"])
        assert len(np.unique(live[new])) > 1
    with opened(site.path) as directory:
        assert not check(directory, lambda _: None)
        again = beliefs_in(directory, _Reads((learned, ENTRY)))
        found = column_of(again, ENTRY)
        assert entry(again).model == model
        assert _records(again, learned) == count > 50
    assert found == pytest.approx(live, rel=1e-9)
    assert stored_column(site.path, ENTRY) == pytest.approx(live, rel=1e-9)


def _records(beliefs: Beliefs, learned: Learned) -> int:
    found = beliefs.suppliers[learned]
    assert isinstance(found, LearnedSupplier)
    return len(found.training)


def test_pages_are_learnt_from_as_they_were_seen_before(site: LinkedSite):
    """Their features are of the last look before the fetch, their gain is what was measured; each counts once."""
    with site.open() as directory:
        beliefs = watched(directory, READS)
        grown(site, directory, beliefs, 4)
        beliefs.pages()
        page, supplier = site.new(directory)[0], entry(beliefs)
        row = row_of(site, directory, page)
        before = [float(column[0]) for column in supplier.signs.of(np.array([row]))]
        site.fetch(directory, [page])
        site.fetch(directory, [page])
        rows, gains, chances, found = supplier.fetched.latest()
        at = rows.tolist().index(row)
        assert rows.tolist().count(row) == 1
        assert [float(column[at]) for column in found] == pytest.approx(before)
        with View(site.path) as view:
            assert gains[at] == min(view.history(row), key=lambda each: each.time).gain
        assert np.isnan(chances).all()  # this policy says nothing


def test_gains_in_another_unit_teach_nothing(site: LinkedSite):
    """Those up to the moment when the scorer changed."""
    with site.open() as directory:
        beliefs = watched(directory, READS)
        grown(site, directory, beliefs, 4)
        count = entry(beliefs).fetched.count
        directory.writer.commit()
        times = sorted(each.time for row in range(len(directory.repository.table)) for each in _history(site, row))
        assert FirstFetches(directory.store, -np.inf).count == count
        assert FirstFetches(directory.store, times[-1]).count == 0
        assert 0 < FirstFetches(directory.store, times[-4]).count <= 3


def test_what_was_left_in_another_unit_is_nothing(site: LinkedSite):
    """Pages were worth so much by another scorer."""
    with site.open() as directory:
        beliefs, _, best = settled(site, directory)
        move(site, directory, best[0], 500)
        holdings = entry(beliefs).signs.holdings
        assert Heritage(holdings).left
        directory.measuring.since = site.clock
        assert not Heritage(holdings).left


def _history(site: LinkedSite, row: int) -> list:
    with View(site.path) as view:
        return list(view.history(row))


def settled(site: LinkedSite, directory: Directory) -> tuple[Beliefs, Values, list[int]]:
    """A crawl of some pages; those of them that are worth something, the best first, and what they are worth."""
    beliefs = watched(directory, READS)
    site.fetch(directory, range(30))
    beliefs.pages()
    values = entry(beliefs).signs.values
    worth = {page: values.gross[row_of(site, directory, page)] for page in range(1, 30)}
    return beliefs, values, sorted((page for page in worth if worth[page] > 0), key=lambda page: -worth[page])


def test_a_page_leaves_its_worth_to_where_it_moved(site: LinkedSite):
    """At once, and after the end of the process, which is killed before anything else is committed."""
    with site.open() as directory:
        beliefs, values, best = settled(site, directory)
        worth = [values.gross[row_of(site, directory, page)] for page in best[:2]]
        for page in best[:2]:
            move(site, directory, page, 500)
        heir = row_of(site, directory, 500)
        begin_anew(entry(beliefs))
        live = column_of(beliefs, ENTRY)
        assert entry(beliefs).signs.heirs[heir] == max(worth) > min(worth)  # of all who moved there
        assert live[heir] >= HERITAGE * max(worth) > 0.0
        assert np.count_nonzero(entry(beliefs).signs.heirs) == 1
        with View(site.path) as view:  # whoever comes next: nothing is written for them
            assert view.believed(ENTRY)[heir] == pytest.approx(live[heir])
            again = view.beliefs((ENTRY,))
            again.pages()
            told = again.terms(heir)[repr(ENTRY)]["left_by"]
        assert [(each["page"], each["worth"]) for each in told] == sorted(
            (site.url(page), value) for page, value in zip(best[:2], worth, strict=True)
        )


def left_to_one(site: LinkedSite, directory: Directory) -> tuple[Beliefs, float, int]:
    """The best page of a site is found to have moved to 500: beliefs, what it was worth, and the row of its heir."""
    beliefs, values, best = settled(site, directory)
    worth = values.gross[row_of(site, directory, best[0])]
    move(site, directory, best[0], 500)
    return beliefs, worth, row_of(site, directory, 500)


def test_heritage_survives_a_kill(site: LinkedSite):
    """The process ends right after the commit that found a page moved."""
    with site.open() as directory:
        site.fetch(directory, range(30))
    directory = open_directory(site.path)
    try:
        _, worth, heir = left_to_one(site, directory)
    finally:
        directory.abandon()
    with opened(site.path) as directory:
        beliefs = watched(directory, READS)
        beliefs.pages()
        assert entry(beliefs).signs.heirs[heir] == worth > 0.0
        site.fetch(directory, [0])
        move(site, directory, 500, 501)  # which has moved on
        beliefs.pages()
        assert entry(beliefs).signs.heirs[row_of(site, directory, 501)] == worth
        site.texts[501], site.links[501] = "boats", []
        site.fetch(directory, [501])
        directory.writer.commit()
        assert not list(directory.store.scan(b"i"))  # it has been fetched: it need not be kept


def test_an_heir_that_was_not_there_passes_on_what_it_was_left(site: LinkedSite):
    """It is kept until the heir leads on; then it is with the next, also after a kill before it was forgotten."""
    with site.open() as directory:
        site.fetch(directory, range(30))
    directory = open_directory(site.path)
    try:
        beliefs, worth, heir = left_to_one(site, directory)
        directory.writer.record(heir, answer(site.url(500), "", 404, time=site.clock + 1.0))
        site.fetch(directory, [0])
        beliefs.pages()
        assert entry(beliefs).signs.heirs[heir] == worth > 0.0
        site.clock += 1.0
        move(site, directory, 500, 501)
        beliefs.pages()
        next_heir = row_of(site, directory, 501)
        assert entry(beliefs).signs.heirs[[heir, next_heir]].tolist() == [0.0, worth]
    finally:
        directory.abandon()
    with opened(site.path) as directory:
        beliefs = watched(directory, READS)
        beliefs.pages()
        assert entry(beliefs).signs.heirs[[heir, next_heir]].tolist() == [0.0, worth]


def test_a_new_link_in_the_place_of_another_is_guessed_to_be_its_heir(site: LinkedSite):
    """Same name, or called the same, on a page that lost one link and got the other; until the first is seen again."""
    with site.open() as directory:
        beliefs, values, best = settled(site, directory)
        old = next(page for page in best if page in site.links[best[0]] or page in site.links[best[1]])
        hub = next(page for page in range(30) if old in site.links[page])
        renamed = f"http://a.example/elsewhere/p{old}"
        called, other = "http://a.example/elsewhere/called", "http://a.example/elsewhere/unlike"
        site.links = {page: [each for each in links if each != old] for page, links in site.links.items()}
        body = site.body(hub).replace("</p>", f"</p><a href={renamed}>it</a><a href={other}>other</a>")
        body = body.replace("</p>", f"</p><a href={called}>{WORDS[old % 10].upper()} page</a>")
        site.clock += 1.0
        directory.writer.record(row_of(site, directory, hub), answer(site.url(hub), body, time=site.clock))
        directory.writer.commit()
        worth = values.gross[row_of(site, directory, old)]
        heir, called_so, stranger = (directory.repository.discovery.row(url) for url in (renamed, called, other))
        beliefs.pages()
        guessed = entry(beliefs).signs.guessed
        assert guessed[heir] == guessed[called_so] == worth > 0.0
        assert guessed[stranger] == 0.0
        assert not entry(beliefs).signs.heirs.any()
        with View(site.path) as view:
            again = view.beliefs((ENTRY,))
            again.pages()
            assert entry(again).signs.guessed[heir] == worth
        site.fetch(directory, [old])  # it is still there
        beliefs.pages()
        assert entry(beliefs).signs.guessed[heir] == 0.0


def test_it_can_be_explained(site: LinkedSite):
    """What is known, what that is before learning, the weights, and from how many fetches they are."""
    with site.open() as directory:
        beliefs = watched(directory, READS)
        grown(site, directory, beliefs, 4)
        value, page = column_of(beliefs, ENTRY), site.new(directory)[0]
        row = row_of(site, directory, page)
        terms = beliefs.terms(row)[repr(ENTRY)]
        assert set(terms) == {"known", "left_by", "before_learning", "weights", "learnt_from"}
        assert terms["learnt_from"] == entry(beliefs).model.learnt_from
        some = EntryFeatures(*(np.array([each]) for each in terms["known"].values()))
        assert EntryModel(tuple(terms["weights"].values())).expected(some)[0] == pytest.approx(value[row])


def test_while_nobody_asks_nothing_is_worth_anything(tmp_path: Path):
    """And nothing is learned."""
    site = LinkedSite(tmp_path / "crawl", 40)
    with site.open() as directory:
        beliefs = watched(directory, READS)
        grown(site, directory, beliefs, 3)
        assert not column_of(beliefs, ENTRY).any()
        assert entry(beliefs).fetched.count == 0


def test_it_knows_nothing_that_a_crawl_has_not_seen():
    """Two replays, the same up to a moment: what is fetched until then is the same."""
    assert first_leak(_ByEntry(), made(), 0.25, Setting(start="cold", rounds=3), middle()) == ""
