"""The peer without features: an aiohttp loop that fetches, parses and follows links.

Its first argument says what it takes of a page: `text` (title, text and links, as the other crawlers do) or `links`
alone.  No robots, no politeness, nothing kept.  Prints its figures as JSON.
"""

import asyncio
import json
import sys
import time
from typing import Any

import ada_url
import aiohttp
import uvloop
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from benchmarks.memory import peak_mb


async def crawl(seeds: list[str], workers: int, *, with_text: bool) -> int:
    seen, queue, pages, letters = set(seeds), asyncio.Queue[str](), 0, 0
    for url in seeds:
        queue.put_nowait(url)

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal pages, letters
        while True:
            url = await queue.get()
            async with session.get(url) as response:
                html = await response.read()
            tree: Any = HTMLTree.parse(html.decode("utf-8", "replace"))
            if with_text:
                text = extract_plain_text(tree, preserve_formatting=False, links=False, list_bullets=False)
                letters += len(tree.title) + len(text)
            for link in tree.body.get_elements_by_tag_name("a"):
                target = ada_url.join_url(url, link.getattr("href"))
                if target not in seen:
                    seen.add(target)
                    queue.put_nowait(target)
            pages += 1
            queue.task_done()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        tasks = [asyncio.create_task(work(session)) for _ in range(workers)]
        await queue.join()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return pages


if __name__ == "__main__":
    start, cpu = time.perf_counter(), time.process_time()
    fetched = uvloop.run(crawl(sys.argv[2:], 32, with_text=sys.argv[1] == "text"))
    figures = {
        "pages": fetched,
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "rss_mb": peak_mb(),
    }
    sys.stdout.write(json.dumps(figures) + "\n")
