"""The peer with features: Scrapy, robots on, title, text and links of every page, nothing stored.

Prints its figures as JSON.
"""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

from benchmarks.memory import peak_mb

FIGURES: dict[str, Any] = {}


class Peer(scrapy.Spider):
    """Follows every link and takes title and text of every page."""

    name = "peer"
    start_urls = sys.argv[1:]
    links = LinkExtractor()
    pages = 0
    custom_settings = {  # noqa: RUF012  Scrapy's own form
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_DELAY": 0,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    }

    async def start(self) -> Any:
        FIGURES.update(start=time.perf_counter(), cpu=time.process_time())
        async for request in super().start():
            yield request

    def parse(self, response: Any) -> Iterator[Any]:
        self.pages += 1
        text = " ".join(response.xpath("//body//text()").getall())
        yield {"url": response.url, "title": response.css("title::text").get(), "text": text}
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)

    def closed(self, _: str) -> None:
        FIGURES.update(
            pages=self.pages,
            seconds=time.perf_counter() - FIGURES.pop("start"),
            cpu=time.process_time() - FIGURES["cpu"],
            rss_mb=peak_mb(),
        )


if __name__ == "__main__":
    process = CrawlerProcess()
    process.crawl(Peer)
    process.start()
    sys.stdout.write(json.dumps(FIGURES) + "\n")
