"""Does a crawl stay whole when it is killed at the worst moment, and does it stay small when it runs for long?

    python -m tests.endurance.chaos     kills, full disks, stops (make chaos)
    python -m tests.endurance.soak      memory, descriptors and threads over time (make soak)

docs/how-to/soak-and-chaos.md says what they do and how to read what they print.
"""
