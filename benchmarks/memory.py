"""How much memory was used at most?"""

import resource


def peak_mb() -> float:
    """Peak resident memory of this process in MB (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
