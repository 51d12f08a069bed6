"""What does each number of the console mean?  One sentence each; pages and docs/reference/console.md show the same."""

from typing import NamedTuple

WEEKLY = "searches a week"


class NumberLabel(NamedTuple):
    """A number's name, its meaning, and its unit where the number itself does not show it."""

    label: str
    sentence: str
    unit: str = ""


FIGURES = {
    # how good the answers are
    "price": NumberLabel(
        "Price of a fetch",
        "Worth of the last fetch that a week's budget buys: its gain times how long that gain lasts. While it is high, "
        "more budget helps.",
        "searches",
    ),
    "quality": NumberLabel(
        "Quality",
        "What people find in the answers, as a share of what they would find if the crawler had added all that it "
        "expects to gain.",
    ),
    "unanswered": NumberLabel("Unanswered", "Share of searches without any result."),
    "poor": NumberLabel("Poorly answered", "Share of searches with one to nine results."),
    "gain_per_fetch": NumberLabel("Gain of a fetch", "Mean gain of the fetches in the time shown.", WEEKLY),
    "expected_per_fetch": NumberLabel(
        "Expected of a fetch", "Mean gain that the policy expected of the measured fetches in the time shown.", WEEKLY
    ),
    "better": NumberLabel(
        "Searches answered better",
        "The unit of every gain. One such search got an ordinary answer where it had none; small improvements add up "
        "to one.",
    ),
    "worth_of_answers": NumberLabel(
        "Worth of the answers",
        "What people find in all answers together, as searches with an ordinary answer.",
        WEEKLY,
    ),
    "to_gain_new": NumberLabel("To gain, new pages", "Expected gain of fetching all pages never fetched.", WEEKLY),
    "to_gain_known": NumberLabel("To gain, known pages", "Expected gain of fetching all known pages again.", WEEKLY),
    "queries": NumberLabel("Queries", "Distinct queries by which fetches are measured."),
    "searches_a_week": NumberLabel("Searches a week", "How often these queries are asked, in total."),
    # now
    "speed": NumberLabel("Speed", "Answers a second over the last minute of a running crawl."),
    "errors": NumberLabel("Errors", "Share of this run's answers with status 4xx or 5xx, or without any answer."),
    "fetched": NumberLabel("Fetched", "Pages and sitemaps received in this run."),
    "received": NumberLabel("Received", "Bytes received over the network in this run."),
    "in_flight": NumberLabel("In flight", "Requests sent and not yet answered."),
    "hosts_waiting": NumberLabel("Hosts waiting", "Hosts with pages to fetch whose delay is not over."),
    "budget_left": NumberLabel("Budget left", "Fetches left in the current period of the budget."),
    "known": NumberLabel("URLs known", "Known addresses, fetched or not."),
    "searchable": NumberLabel("Searchable", "Pages that a search can find now."),
    "purpose": NumberLabel(
        "For",
        "Why the page is fetched: new (never fetched before), stale (its text may have changed or gone), hub (for its "
        "links), known (the policy gives no reason), file (robots.txt or a sitemap).",
    ),
    "gain": NumberLabel(
        "Gain", "What the fetch added to the answers; negative if it removed a page that had answered.", WEEKLY
    ),
    "expected": NumberLabel("Expected", "Gain that the policy expected when it chose the page.", WEEKLY),
    "value": NumberLabel(
        "Value",
        "The policy ranks pages by it, highest first. With a price it is the expected gain times how long that lasts.",
        "searches",
    ),
    # where the budget goes
    "fetches": NumberLabel("Fetches", "Fetches in the time shown, or behind a number."),
    "fetches_share": NumberLabel("Share", "Share of all fetches in the time shown."),
    # how many fetches are enough
    "budget_quality": NumberLabel(
        "Quality at today's budget",
        "Expected share of what people would find with every copy up to date and no page missing.",
    ),
    "fetches_for": NumberLabel(
        "Fetches a day for a quality",
        "Fetches a day expected to reach this share of the attainable quality, had there been as many since the record "
        "began.",
    ),
    "curve_quality": NumberLabel(
        "Attainable quality", "Share of it that a number of fetches a day is expected to reach in the days ahead."
    ),
    "certain": NumberLabel(
        "80 % certain",
        "The true number lies in this range in four of five cases. In a range with “or more”, in one of ten cases no "
        "number of fetches is enough.",
    ),
    "without_fetches": NumberLabel("Without any fetch", "Expected quality if the crawl stopped for the days ahead."),
    "measured_fetches": NumberLabel("Measured fetches", "Fetches with both an expected and a measured gain on record."),
    # predicted and measured
    "slope": NumberLabel(
        "Slope",
        "1: twice the expectation brings twice the gain. Below 1: expectations are too far apart. 0: they say nothing. "
        "Negative: they are wrong.",
    ),
    "slope_interval": NumberLabel("Slope, 80 % certain", "The slope lies in this range in four of five cases."),
    "verdict": NumberLabel("Verdict", "How far the policy's expectations can be trusted so far."),
    "rank_correlation": NumberLabel(
        "Rank correlation", "1: fetches with a higher expectation always brought more. 0: only by chance."
    ),
    "top_tenth": NumberLabel(
        "Top tenth", "Share of all gain brought by the tenth of fetches with the highest expectation; 10 % by chance."
    ),
    "sum_ratio": NumberLabel(
        "Measured / expected", "Total measured gain over total expected gain. Above 1: the policy expected too little."
    ),
    # queries
    "a_week": NumberLabel("Asked", "How often the query is asked.", "times a week"),
    "results": NumberLabel("Results", "Pages that answer the query, including those nobody looks at.", "pages"),
    "best_score": NumberLabel("Best score", "How well the best page fits the query."),
    "query_to_gain": NumberLabel("To gain", "What a page made for the query would add to the answers.", WEEKLY),
    "why": NumberLabel("Problem", "What is wrong with the answer to the query."),
    "prospect": NumberLabel(
        "Prospect", "What the page would bring for the query, judged by its address and the links to it.", WEEKLY
    ),
    "rank": NumberLabel("Rank", "Position among the results of the query; 1 is the first."),
    "score": NumberLabel("Score", "How well the page fits the query."),
    "plan_rank": NumberLabel("Number in the plan", "Position among all pages that may be fetched now; 1 is the first."),
    "affected": NumberLabel("Queries affected", "Queries whose answers the fetch changed."),
    "change_rate": NumberLabel("Changes a day", "Estimated from this page's history and that of similar pages."),
    "interval": NumberLabel("80 % between", "The true change rate lies in this range in four of five cases."),
    "changes": NumberLabel("Changes seen", "Later fetches that found a changed text."),
    # hosts
    "chosen": NumberLabel("Chosen", "Pages of the host that are planned and wait for it."),
    "delay": NumberLabel(
        "Delay", "Minimum time between an answer and the next request; longer while the host is slow."
    ),
    "host_fetched": NumberLabel("Fetched", "Answers received from the host in total."),
    "troubles": NumberLabel(
        "Troubles in a row", "Failures since the last good answer; each makes the host rest longer."
    ),
    "crawl_delay": NumberLabel("Crawl delay", "Time between requests that its robots.txt asks for."),
    "next_request": NumberLabel("Next request", "Earliest time of the next request."),
    "search_value": NumberLabel("Share of attention", "Share of what people find in all answers."),
    "presence": NumberLabel("Would be missed", "Share of what the answers would lose if single pages were removed."),
    # errors and size
    "outcomes": NumberLabel("Answers", "All answers ever received, by status or by reason for none."),
    "reasons": NumberLabel("Not searchable", "Known addresses that no search finds, by reason."),
    "refused": NumberLabel("Not admitted", "Addresses on pages that a rule excluded, by scope or trap rule."),
    "archive": NumberLabel("Archive", "WARC files of all answers; everything else can be rebuilt from them."),
    "store": NumberLabel("Store", "Tables of URLs, links, hosts and fetches."),
    "index": NumberLabel("Index", "The search index."),
}
