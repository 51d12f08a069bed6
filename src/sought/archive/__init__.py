"""How are responses kept for ever?"""

from sought.archive.archive import Archive
from sought.archive.cdxj_check import CdxjCheck
from sought.archive.damage import Damage
from sought.archive.record import Capture, Original, Place, Position, Record, Stored

__all__ = ["Archive", "Capture", "CdxjCheck", "Damage", "Original", "Place", "Position", "Record", "Stored"]
