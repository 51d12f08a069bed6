"""The toy web is the same for the same seed, changes by its laws, and knows the truth about itself."""

import os
import re
import subprocess
import sys
from ipaddress import ip_address, ip_network
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.toyweb import ToyAnswer, ToyWeb
from sought.toyweb.laws import RATES, SHARES, WEEK, Law, changes
from sought.toyweb.sites import ToyPage
from sought.toyweb.vocabulary import ENGLISH, HEADINGS, KINDS, SUBJECTS, TITLES
from sought.web.url import canonical, hostname

SMALL = ToyWeb(sites=14, pages=15)
DAYS = (0.0, 3.5, 29.0, 180.0)


def links(html: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', html)


def ask(toy: ToyWeb, url: str, t: float, headers: dict[str, str] | None = None) -> ToyAnswer:
    return toy.answer(hostname(url), url[url.index("/", 8) :], headers or {}, t)


def test_the_same_seed_gives_the_same_bytes_in_another_process() -> None:
    """Nothing depends on hash seeds, on caches or on what was asked before."""
    program = (
        "import hashlib; from sought.toyweb import ToyWeb; toy = ToyWeb(sites=4, pages=10); h = hashlib.sha256()\n"
        "for t in TIMES:\n"
        "  for url in toy.live(t):\n"
        "    host, _, path = url[7:].partition('/')\n"
        "    h.update(toy.answer(host, '/' + path, {}, t).body)\n"
        "print(h.hexdigest())"
    )
    orders = ("(0.0, 40.5, 99.0)", "(0.0, 40.5, 99.0)", "(99.0, 40.5, 0.0)")
    found = [
        subprocess.run(
            [sys.executable, "-c", program.replace("TIMES", order)],
            env={**os.environ, "PYTHONHASHSEED": str(k)}, capture_output=True, text=True, check=True,
        ).stdout
        for k, order in enumerate(orders)
    ]  # fmt: skip
    assert found[0] == found[1] != found[2]


@given(st.data(), st.floats(0, 400))
@settings(max_examples=60, deadline=None)
def test_an_answer_is_a_pure_function_of_seed_address_and_time(data: st.DataObject, t: float) -> None:
    """Two webs of one seed agree everywhere; a page of another seed says something else."""
    url = data.draw(st.sampled_from(SMALL.live(t)))
    first, again = ask(SMALL, url, t), ask(ToyWeb(sites=14, pages=15), url, t)
    assert first == again
    assert ask(ToyWeb(seed=2, sites=14, pages=15), url, t) != first or "portal" in url


@given(st.sampled_from(sorted(SMALL.addresses)), st.text(max_size=60), st.floats(-10, 1e9))
@settings(max_examples=200, deadline=None)
def test_no_address_is_too_strange_for_an_answer(host: str, path: str, t: float) -> None:
    """Any path at any time gets an answer, and the same one twice."""
    assert SMALL.answer(host, f"/{path}", {}, t) == SMALL.answer(host.upper() + ":80", f"/{path}", {}, t)


def test_a_page_changes_exactly_when_its_version_does() -> None:
    """Apart from advertisements, text is equal if and only if the version is."""
    times = [k * 1.7 for k in range(40)]
    changed = 0
    for url in SMALL.live(0.0):
        texts: dict[int, bytes] = {}
        for t in times:
            version = SMALL.version(url, t)
            if version is not None:
                text = re.sub(rb"<aside.*?</aside>", b"", ask(SMALL, url, t).body)
                assert texts.setdefault(version, text) == text
        assert len(set(texts.values())) == len(texts)
        changed += len(texts) > 1
    assert changed > 80


def test_events_turn_the_web_of_one_day_into_that_of_another() -> None:
    """Births, moves and deaths between two days account for every difference between their live pages."""
    live = set(SMALL.live(5.0))
    events = SMALL.events(5.0, 120.0)
    for event in events:
        if event.kind in ("moved", "died"):
            live.remove(event.url)
        if event.kind in ("born", "moved"):
            live.add(event.target or event.url)
    assert live == set(SMALL.live(120.0))
    assert events == sorted(events)
    assert {e.kind for e in events} == {"born", "changed", "moved", "died"}


def test_events_count_the_versions() -> None:
    """A page that lives through a time has as many changes in it as its version has grown."""
    t0, t1 = 5.0, 60.0
    counted: dict[str, int] = {}
    for event in SMALL.events(t0, t1):
        if event.kind == "changed":
            counted[event.url] = counted.get(event.url, 0) + 1
    for url in set(SMALL.live(t0)) & set(SMALL.live(t1)):
        before, after = SMALL.version(url, t0), SMALL.version(url, t1)
        if re.search(r"-\d+$", url):
            assert before is not None
            assert after == before + counted.get(url, 0)


@pytest.mark.parametrize("t", DAYS)
def test_every_live_page_can_be_reached_from_the_portal(t: float) -> None:
    """Following links from the seed finds all of live(t): what is born appears on a hub."""
    toy = ToyWeb(sites=6, pages=12, hostile=False)
    found, queue = {toy.portal}, [toy.portal]
    while queue:
        url = queue.pop()
        answer = ask(toy, url, t)
        new = {canonical(href, url) for href in links(answer.body.decode("latin-1"))} - found
        found |= new
        queue += new
    assert set(toy.live(t)) <= found


def test_hubs_list_the_most_recent_page_first() -> None:
    """A section's page begins with its latest birth."""
    site = SMALL.atlas.sites[0]
    born = [e for e in SMALL.events(0, 29) if e.kind == "born" and site.host in e.url][-1]
    section = born.url.rpartition("/")[0]
    body = ask(SMALL, f"{section}/", born.time).body.decode()
    assert links(body.partition("<main>")[2])[0] == born.url[born.url.index("/", 8) :]


def test_laws_share_all_pages() -> None:
    """The shares of the laws add up."""
    assert sum(share for _, share in SHARES) == pytest.approx(1)
    assert {law for law, _ in SHARES} == set(Law)


def test_poisson_pages_change_at_their_rates() -> None:
    """Over a long time the number of changes fits one of the rates, and every rate occurs."""
    rates = [len(changes(Law.POISSON, f"page {k}", "", 3000.0)) / 3000 for k in range(60)]
    nearest = [min(RATES, key=lambda r: abs(r - rate) / r) for rate in rates]
    assert set(nearest) == set(RATES)
    assert all(abs(rate - r) < 5 * (r / 3000) ** 0.5 for rate, r in zip(rates, nearest, strict=True))


@pytest.mark.parametrize(("law", "period"), [(Law.DAILY, 1.0), (Law.WEEKLY, 7.0)])
def test_news_come_at_regular_times(law: Law, period: float) -> None:
    """Daily and weekly pages change once in every period."""
    times = changes(law, "page", "", 100.0)
    assert times[0] < period
    assert all(b - a == pytest.approx(period) for a, b in pairwise(times))
    assert times[-1] > 100 - period


def test_a_section_bursts_together() -> None:
    """Pages of one section change in the same few weeks and at hours of their own; other sections in other weeks."""
    one, two, other = (changes(Law.BURSTS, p, s, 400.0) for p, s in (("a", "s"), ("b", "s"), ("a", "z")))
    assert one
    assert set(one).isdisjoint(two)
    assert all(min(abs(a - b) for b in two) < WEEK for a in one)
    assert any(min(abs(a - b) for b in other) > WEEK for a in one)


def test_change_times_do_not_depend_on_how_far_one_looks() -> None:
    """What happened until a day stays what it was when more days pass."""
    for law in Law:
        assert changes(law, "p", "s", 1000.0)[: len(changes(law, "p", "s", 63.0))] == changes(law, "p", "s", 63.0)


def page_of_law(law: Law) -> tuple[ToyWeb, ToyPage]:
    """A page that stays where it is for sixty days."""
    toy = ToyWeb()
    pages = (page for site in toy.atlas.sites for page in site.live(0))
    return toy, next(p for p in pages if p.law is law and p.lives(60) and p.path(60) == p.path(0))


def test_churn_changes_the_advertisement_and_nothing_else() -> None:
    """At every interval the bytes differ, the version does not, and the validators tell of the bytes."""
    toy, page = page_of_law(Law.CHURN)
    url = toy.atlas.url(page.site.host, page.path(0))
    first, second = ask(toy, url, 1.0), ask(toy, url, 1.01)
    assert first.body != second.body
    assert toy.version(url, 1.0) == toy.version(url, 1.01) == 0
    assert page.modified(1.0) != page.modified(1.01)


def test_scrolling_pages_push_out_old_items() -> None:
    """After one change the list begins with a new item and continues with the old ones but the last."""
    toy, page = page_of_law(Law.SCROLL)
    at = page.changed(60.0)[0]
    before, after = (
        re.findall(r"<li>(<b>.*)</li>", ask(toy, toy.atlas.url(page.site.host, page.path(0)), t).body.decode("utf-8"))
        for t in (at - 1e-6, at)
    )
    assert after[1:] == before[:-1]
    assert after[0] not in before


def test_pages_look_like_pages() -> None:
    """Articles are 2 to 24 KB: navigation, breadcrumb, headings, links within and without, a title of their own."""
    toy = ToyWeb()
    pages = [(p, ask(toy, toy.atlas.url(p.site.host, p.path(0)), 0).body) for p in toy.atlas.sites[3].live(0)]
    assert all(2_000 < len(body) < 24_000 for _, body in pages)
    assert len({p.title for p, _ in pages}) == len(pages)
    for _, body in pages:
        for part in (b"<nav>", b"<main>", b"<h1>", b"<h2>", b"breadcrumb", b"<footer>", b'href="http://', b'href="/'):
            assert part in body


def test_the_default_web_feeds_a_demo() -> None:
    """At least 2,000 healthy pages live on day 0, and more later."""
    assert 2000 < len(ToyWeb().live(0)) < len(ToyWeb().live(60))


def test_all_languages_and_encodings_occur_and_can_be_read() -> None:
    """Pages in five languages, some in legacy encodings, declared in the header or in the document."""
    toy = ToyWeb()
    seen, declared = set(), set()
    for page in (p for site in toy.atlas.sites for p in site.live(0)):
        if page.language != "en":
            answer = ask(toy, toy.atlas.url(page.site.host, page.path(0)), 0)
            head = dict(answer.headers)["Content-Type"] + answer.body[:200].decode("latin-1")
            declared.add("text/html; charset" in head)
            assert f"charset={page.encoding}" in head.replace('"', "")
            assert page.voice.place in answer.body.decode(page.encoding)
            seen.add((page.language, page.encoding))
    assert {language for language, _ in seen} == {"de", "fr", "ru", "ja"}
    assert {encoding for _, encoding in seen} >= {"windows-1251", "koi8-r", "shift_jis", "euc-jp", "iso-8859-1"}
    assert declared == {True, False}


def test_each_host_has_an_address_of_its_own_but_two_that_share() -> None:
    """All addresses are loopback; only the last two sites share one."""
    addresses = SMALL.addresses
    assert all(ip_address(a) in ip_network("127.0.0.0/8") for a in addresses.values())
    shared = [h for h, a in addresses.items() if list(addresses.values()).count(a) > 1]
    assert shared == [s.host for s in SMALL.atlas.sites[-2:]]


def test_a_web_that_is_not_hostile_has_no_oddities() -> None:
    """Only the portal and the healthy sites are left, also in the links of the portal."""
    toy = ToyWeb(hostile=False)
    assert len(toy.addresses) == 25
    hosts = {hostname(url) for url in links(ask(toy, toy.portal, 0).body.decode())}
    assert hosts == set(toy.addresses) - {"portal.toy.test"}


def test_words_are_english() -> None:
    """Every noun has a plural in -s; a kind of things is no word of a subject, which would be on all its pages."""
    words = {word for subject in SUBJECTS for word in (*subject.nouns, *subject.verbs, *subject.adjectives)}
    for subject in SUBJECTS:
        assert len(set(subject.nouns)) == len(subject.nouns)
        for noun in subject.nouns:
            assert re.fullmatch(r"[a-z]+", noun), noun
            assert not re.search(r"(s|x|ch|sh|[^aeiou]y)$", noun), noun
    assert len(set(KINDS)) == len(KINDS) > 150
    assert not {kind.lower() for kind in KINDS} & words
    constant = re.findall(r"[a-z]+", " ".join((*ENGLISH, *TITLES, *HEADINGS)).lower())
    assert not {kind.lower() for kind in KINDS} & set(constant)


def test_titles_read_like_english() -> None:
    """Articles fit, titles begin with a capital, and hardly two pages of a site share one."""
    titles = [[page.title for page in site.live(0)] for site in ToyWeb().atlas.sites]
    english = [page.title for site in ToyWeb().atlas.sites for page in site.live(0) if page.language == "en"]
    assert all(title[0].isupper() for title in english)
    assert not [title for title in english if re.search(r"\ba [AEIOUaeiou]|\ban [^AEIOUaeiou]", title)]
    assert sum(len(some) - len(set(some)) for some in titles) <= len(titles) // 4
