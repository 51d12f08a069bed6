"""Which pages answer a query, and how well?"""

from sought.index.engine import Index
from sought.index.entry import Answer, Entry, Hit
from sought.index.filing import normal

__all__ = ["Answer", "Entry", "Hit", "Index", "normal"]
