"""`sought demo`."""


def demo() -> None:
    """to be replaced"""
