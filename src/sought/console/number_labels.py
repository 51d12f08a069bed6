"""What does each number of the console mean?  One sentence each; pages and docs/reference/console.md say the same."""

from typing import NamedTuple

WEEKLY = "searches a week"


class NumberLabel(NamedTuple):
    """What a number is called, what it means, and its unit where that is not in the number itself."""

    label: str
    sentence: str
    unit: str = ""


FIGURES = {
    # how good the answers are
    "price": NumberLabel(
        "Price of a fetch",
        "What the last fetch that a week's budget buys is worth: its gain times how long that "
        "lasts. A high price says that more budget would help.",
        "searches",
    ),
    "quality": NumberLabel(
        "Quality",
        "What people's attention finds, as a share of that and of what the crawler expects that it could still add.",
    ),
    "unanswered": NumberLabel("Unanswered", "Share of searches for which there is no result at all."),
    "poor": NumberLabel("Poorly answered", "Share of searches with a result, but with fewer than ten."),
    "gain_per_fetch": NumberLabel(
        "Gain of a fetch", "What a fetch has added to the answers, on average over the time shown.", WEEKLY
    ),
    "expected_per_fetch": NumberLabel(
        "Expected of a fetch",
        "What the policy had expected of the fetches that were measured, on average over the time shown.",
        WEEKLY,
    ),
    "better": NumberLabel(
        "Searches answered better",
        "The unit of every gain: so many searches with an ordinary answer in place of none. Many "
        "small improvements add "
        "up to one.",
    ),
    "worth_of_answers": NumberLabel(
        "Worth of the answers",
        "What people's attention finds in all answers together, as searches with an ordinary answer.",
        WEEKLY,
    ),
    "to_gain_new": NumberLabel(
        "To gain, new pages", "What all pages that were never fetched are expected to add.", WEEKLY
    ),
    "to_gain_known": NumberLabel(
        "To gain, known pages", "What fetching all known pages again is expected to add.", WEEKLY
    ),
    "queries": NumberLabel("Queries", "Distinct queries by which fetches are measured."),
    "searches_a_week": NumberLabel("Searches a week", "How often these queries are asked, all together."),
    # now
    "speed": NumberLabel("Speed", "Answers a second over the last minute, while a crawl runs."),
    "errors": NumberLabel(
        "Errors", "Share of the answers of this run that were no page: status 4xx or 5xx, or no answer at all."
    ),
    "fetched": NumberLabel("Fetched", "Answers that this run of the crawl has received: pages and sitemaps."),
    "received": NumberLabel("Received", "Bytes of these answers as they came over the network."),
    "in_flight": NumberLabel("In flight", "Requests that were sent and are not answered yet."),
    "hosts_waiting": NumberLabel("Hosts waiting", "Hosts with pages to fetch whose next turn is still to come."),
    "budget_left": NumberLabel("Budget left", "Fetches that may still start before the period of the budget ends."),
    "known": NumberLabel("URLs known", "Addresses that the crawl has heard of, whether fetched or not."),
    "searchable": NumberLabel("Searchable", "Pages that a search can find now."),
    "purpose": NumberLabel(
        "For",
        "Why the page is fetched: new (never fetched before), stale (its own text or death), hub (what its links tell "
        "or lead to), known (the policy does not say), file (robots.txt or a sitemap).",
    ),
    "gain": NumberLabel(
        "Gain",
        "What the fetch has added to the answers; below zero if they have lost by it, as when a page has gone.",
        WEEKLY,
    ),
    "expected": NumberLabel(
        "Expected", "What the policy had expected this fetch to gain when it chose the page.", WEEKLY
    ),
    "value": NumberLabel(
        "Value",
        "By what the policy ranks the page, the highest first: its gain times how long that lasts, "
        "if the policy has a price.",
        "searches",
    ),
    # where the budget goes
    "fetches": NumberLabel("Fetches", "Fetches in the time shown, or on which a number rests."),
    "fetches_share": NumberLabel("Share", "Its part of all fetches in the time shown."),
    # how many fetches are enough
    "budget_quality": NumberLabel(
        "Quality at today's budget",
        "What people's attention is expected to find, as a share of what it would find with every copy up to date and "
        "no page missing.",
    ),
    "fetches_for": NumberLabel(
        "Fetches a day for a quality",
        "So many are expected to be enough for that share of the attainable quality, had there been as many since the "
        "record began.",
    ),
    "curve_quality": NumberLabel(
        "Attainable quality", "The share of it that a number of fetches a day is expected to bring in the days ahead."
    ),
    "certain": NumberLabel(
        "80 % certain",
        "In four of five cases it is between these two; or more: in one of ten no number of fetches is enough.",
    ),
    "without_fetches": NumberLabel("Without any fetch", "What would be left if the crawl stopped for the days ahead."),
    "measured_fetches": NumberLabel(
        "Measured fetches", "Fetches of which the policy has expected something, and what came is on record."
    ),
    # predicted and measured
    "slope": NumberLabel(
        "Slope",
        "1 if to expect twice as much brings twice as much; below 1 if expectations are too far "
        "apart, 0 if they say nothing, below 0 if they were wrong.",
    ),
    "slope_interval": NumberLabel(
        "Slope, 80 % certain", "Between these two the slope is in four of five cases; few fetches make them wide."
    ),
    "verdict": NumberLabel("Verdict", "How far the policy's expectations can be trusted so far."),
    "rank_correlation": NumberLabel(
        "Rank correlation", "Whether fetches of which more was expected brought more: 1 always, 0 by chance only."
    ),
    "top_tenth": NumberLabel(
        "Top tenth",
        "Share of all gain from the tenth of fetches of which most was expected; by chance 10 %.",
    ),
    "sum_ratio": NumberLabel(
        "Measured / expected", "All that was measured over all that was expected: above 1, too little was."
    ),
    # queries
    "a_week": NumberLabel("Asked", "How often the query is asked.", "times a week"),
    "results": NumberLabel("Results", "Pages that answer the query, also beyond those anybody looks at.", "pages"),
    "best_score": NumberLabel("Best score", "How well its best page fits the query, as the search scores pages."),
    "query_to_gain": NumberLabel("To gain", "What a page made for the query would add to the answers.", WEEKLY),
    "why": NumberLabel("Why", "What is wrong with the answer to the query."),
    "prospect": NumberLabel("Prospect", "What the page would bring for the query, to judge by its name alone.", WEEKLY),
    "rank": NumberLabel("Rank", "Its place among the results of the query, the first is 1."),
    "score": NumberLabel("Score", "How well the page fits the query, as the search scores pages."),
    "plan_rank": NumberLabel("Number in the plan", "Its place among all that may be fetched now, the first is 1."),
    "affected": NumberLabel("Queries affected", "Queries whose answers the fetch has changed."),
    "change_rate": NumberLabel(
        "Changes a day", "How often the page changes, to judge by what was seen of it and its like."
    ),
    "interval": NumberLabel("80 % between", "With a certainty of 80 % it changes no less and no more often than that."),
    "changes": NumberLabel("Changes seen", "How many of its later fetches found another text."),
    # hosts
    "chosen": NumberLabel("Chosen", "Pages of the host that are chosen and wait for its turn."),
    "delay": NumberLabel(
        "Delay",
        "How long it takes from an answer of the host to the next request, at least; longer while it answers slowly.",
    ),
    "host_fetched": NumberLabel("Fetched", "Answers that the host has given in all."),
    "troubles": NumberLabel(
        "Troubles in a row", "Failures since its last good answer; after each the host rests longer."
    ),
    "crawl_delay": NumberLabel("Crawl delay", "How long between two requests its robots.txt asks for."),
    "next_request": NumberLabel("Next request", "Before that time the host is not asked again."),
    "search_value": NumberLabel("Share of attention", "Its part of what people's attention finds in all answers."),
    "presence": NumberLabel(
        "Would be missed", "Its part of what the answers would lose if single pages were not there."
    ),
    # errors and size
    "outcomes": NumberLabel("Answers", "All answers ever received, by status or by why there was none."),
    "reasons": NumberLabel("Not searchable", "Known addresses that no search finds, by reason."),
    "refused": NumberLabel("Not admitted", "Addresses on pages that were left out, by the rule of scope or traps."),
    "archive": NumberLabel("Archive", "The record of all answers (WARC), from which all else can be built again."),
    "store": NumberLabel("Store", "Tables of URLs, links, hosts and fetches."),
    "index": NumberLabel("Index", "What searches are answered from."),
}
