"""What others call a page is told apart from what it says itself."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index import Entry
from sought.index.anchored import with_anchors
from sought.index.vectors import EACH, EMPTY, HEAD, joined
from tests.testing.plain_measure import counted, counter_of, measure_of

WORDS = ["boat", "lake", "city", "run", "tree", "unasked"]
text = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
pages = st.builds(
    lambda title, body, anchors, path: Entry(1, f"http://a/{path}", title, body, anchors, "en"), text, text, text, text
)


def spelled(vector):
    return vector[:HEAD].tolist(), sorted(map(tuple, vector[HEAD:].reshape(-1, EACH).tolist()))


@settings(deadline=None)
@given(st.lists(st.tuples(pages, pages), min_size=1, max_size=5))
def test_the_old_page_with_the_new_anchors(pairs):
    """It is the vector of the old title, body and address with the new anchors; told whether that is another one."""
    measure = measure_of([*WORDS[:-1], "boat lake"])
    counter = counter_of(measure, ["en"])
    old, new = (counted([pair[side] for pair in pairs], counter) for side in range(2))
    mixed = [Entry(1, a.url, a.title, a.body, b.anchors, "en") for a, b in pairs]
    found, moved = with_anchors(old, new, len(measure.vocabulary))
    expected = counted(mixed, counter)
    for i in range(len(pairs)):
        assert spelled(found[i]) == spelled(expected[i])
        assert moved[i] == (spelled(found[i]) != spelled(old[i]))


def test_pages_that_come_go_or_change_language_stay_as_they_were():
    """There are no anchors of theirs to be told apart."""
    measure = measure_of(WORDS)
    counter = counter_of(measure, ["en", "de"])
    english = counted([Entry(1, "http://a/", "boat", anchors="lake", language="en")], counter)[0]
    german = counted([Entry(1, "http://a/", "boat", anchors="city", language="de")], counter)[0]
    old, new = joined([EMPTY, english, english]), joined([english, EMPTY, german])
    found, moved = with_anchors(old, new, len(measure.vocabulary))
    assert [found[i].tolist() for i in range(3)] == [old[i].tolist() for i in range(3)]
    assert not moved.any()
