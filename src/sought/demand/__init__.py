"""What do people ask for, view and click?"""

from sought.demand.exporting import export_file
from sought.demand.formats import Format
from sought.demand.importing import Imported, import_file
from sought.demand.log import QueryLog
from sought.demand.rows import DAY, WEEK, Action, Event, Search, Tally
from sought.demand.stats import stats
from sought.demand.visibility import visibility_exponent
from sought.demand.workload import Selection, Workload, query_key, workload

__all__ = [
    "DAY",
    "WEEK",
    "Action",
    "Event",
    "Format",
    "Imported",
    "QueryLog",
    "Search",
    "Selection",
    "Tally",
    "Workload",
    "export_file",
    "import_file",
    "query_key",
    "stats",
    "visibility_exponent",
    "workload",
]
