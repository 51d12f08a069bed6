"""Here is a response: keep it for ever."""

from sought.archive.archive import Archive
from sought.archive.damage import Damage
from sought.archive.misfits import Misfits
from sought.archive.record import Capture, Original, Place, Position, Record, Stored

__all__ = ["Archive", "Capture", "Damage", "Misfits", "Original", "Place", "Position", "Record", "Stored"]
