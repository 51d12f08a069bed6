"""A few thousand real-sized, linked pages on many loopback hosts, served as fast as Python can.

Run as a program it prints its port and serves until its input ends.
"""

import asyncio
import gzip
import random
import sys

import uvloop

_SITES = 32
_LETTERS = "etaoinshrdlucmfwypvbgk"


def site_address(number: int) -> str:
    return f"127.0.2.{number + 1}"


def addresses() -> list[str]:
    return [site_address(n) for n in range(_SITES)]


def language(rng: random.Random) -> tuple[list[str], list[float]]:
    """Words, and how often each is used, the most frequent first."""
    words = ["".join(rng.choices(_LETTERS, k=rng.randint(2, 10))) for _ in range(20_000)]
    return words, [1 / (i + 10) for i in range(len(words))]


def make_pages(count: int, port: int, seed: int = 1) -> dict[tuple[str, str], bytes]:
    """Whole HTTP answers by (host, path): about 27 KB of HTML each with 700 words of text, gzip-coded.

    Every page has the 30 links of its site's menu and footer and 30 of its own, 6 of these to other sites; a link bears
    the target's title.
    """
    rng = random.Random(seed)  # noqa: S311  the same pages every time
    words, weights = language(rng)
    where = [(site_address(n % _SITES), f"/section-{n // _SITES // 25}/page-{n // _SITES}") for n in range(count)]
    where[:_SITES] = [(site_address(n), "/") for n in range(min(_SITES, count))]
    titles = [" ".join(rng.choices(words, k=4)) for _ in where]
    common = [_chosen(rng, range(n, count, _SITES), 30) for n in range(_SITES)]
    answers = {}
    for number, (host, path) in enumerate(where):
        text = rng.choices(words, weights, k=700)
        near = range(number % _SITES, count, _SITES)
        own = [near[(number // _SITES * 2 + 1 + k) % len(near)] for k in range(2)]  # so that all pages are found
        own += _chosen(rng, near, 22) + _chosen(rng, range(count), 6)
        anchors = [_anchor(where[t], titles[t], host, port) for t in common[number % _SITES] + own]
        body = gzip.compress(_page(titles[number], text, anchors).encode(), 6)
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        answers[host, path] = head.encode() + body
    return answers


def make_html(count: int, seed: int = 1) -> list[str]:
    """The HTML of such pages alone."""
    rng = random.Random(seed)  # noqa: S311  the same pages every time
    words, weights = language(rng)
    found = []
    for _ in range(count):
        titles = [" ".join(rng.choices(words, k=4)) for _ in range(60)]
        anchors = [_anchor((site_address(0), f"/section/{n}"), t, site_address(0), 80) for n, t in enumerate(titles)]
        found.append(_page(titles[0], rng.choices(words, weights, k=700), anchors))
    return found


def _chosen(rng: random.Random, population: range, count: int) -> list[int]:
    return [rng.choice(population) for _ in range(count)]


def _anchor(target: tuple[str, str], title: str, host: str, port: int) -> str:
    href = target[1] if target[0] == host else f"http://{target[0]}:{port}{target[1]}"
    return f'<a class="link" href="{href}">{title}</a>'


def _page(title: str, words: list[str], anchors: list[str]) -> str:
    """Text in paragraphs with a link each, inside the markup, styles, scripts and data that pages come with."""
    menu = "".join(
        f'<li class="menu-item item-{i}" data-track="menu:{i}">{_ICON}{a}</li>' for i, a in enumerate(anchors[:20])
    )
    blocks = []
    for i in range(0, len(words), 25):
        part, inside = " ".join(words[i : i + 25]), anchors[30 + i // 25 % 30]
        blocks.append(
            f'<div class="row row-{i % 7}" id="block-{i}"><div class="column wide"><div class="card card--plain">'
            f'<p class="text text--body" data-block="{i}"><span class="lead">{part}.</span> {inside}</p></div>'
            "</div></div>"
        )
    head = "".join(f'<meta property="og:property-{i}" content="{words[i]} {words[i + 3]}">' for i in range(12))
    style = "".join(f".row-{i}{{margin:{i}px;padding:{i}px;color:#{i % 10}9{i % 10}}}" for i in range(80))
    script = "".join(f'window.data["{w}"]={{"id":{i},"seen":false}};' for i, w in enumerate(words[:100]))
    return (
        f"<!DOCTYPE html><html lang=en><head><title>{title}</title>{head}<style>{style}</style>"
        f"<script>window.data={{}};{script}</script></head>"
        f'<body class="page page--article"><header class="top"><nav><ul class="menu">{menu}</ul></nav></header>'
        f"<main><article><h1>{title}</h1>{''.join(blocks)}</article></main>"
        f'<footer class="bottom">{" ".join(anchors[20:30])}</footer></body></html>'
    )


_ICON = '<svg class="icon" viewBox="0 0 24 24"><path d="M4 6h16M4 12h16M4 18h7" stroke="currentColor"/></svg>'


class _Server(asyncio.Protocol):
    """Answers GET requests from a dictionary; robots.txt allows everything."""

    answers: dict[tuple[str, str], bytes] = {}  # noqa: RUF012  shared by all connections on purpose
    robots = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 24\r\n\r\nUser-agent: *\nDisallow:\n"
    missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            path = lines[0].split(" ")[1]
            host = next((v.strip() for k, _, v in (ln.partition(":") for ln in lines) if k.lower() == "host"), "")
            answer = self.robots if path == "/robots.txt" else self.answers.get((host.partition(":")[0], path))
            self.transport.write(answer or self.missing)  # type: ignore[attr-defined]  # a TCP transport writes


async def serve(count: int) -> None:
    loop = asyncio.get_running_loop()
    first = await loop.create_server(_Server, site_address(0), 0)
    port = first.sockets[0].getsockname()[1]
    servers = [first] + [await loop.create_server(_Server, a, port) for a in addresses()[1:]]
    _Server.answers = make_pages(count, port)
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)
    for server in servers:
        server.close()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
