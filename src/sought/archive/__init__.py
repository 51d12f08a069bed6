"""Here is a response: keep it for ever."""

from sought.archive.archive import Archive
from sought.archive.record import Capture, Original, Place, Position, Record, Stored

__all__ = ["Archive", "Capture", "Original", "Place", "Position", "Record", "Stored"]
