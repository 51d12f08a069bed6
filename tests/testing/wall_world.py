"""The small world that tests of leaks and of learning share."""

from functools import cache

from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate

SHAPE = WebShape(pages=120, hosts=4, weeks=8, rate=0.6, births=0.03, deletes=0.02, words=60.0, queries=150, drift=0.4)


@cache
def made():
    recorder = WorldRecorder()
    span = generate(recorder, SHAPE)
    return recorder.finish("made", span.seeds, span.start, span.end, 7 * 86400.0)


def middle():
    return made().start + 5.5 * made().unit
