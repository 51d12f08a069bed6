"""Promises about machine code: it is made once, and quickly loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import sys
from numba import types
from sought.web.compiled import cached, compiled, compiling

@compiled
def part(number, more):
    return number + more if more else 0

@cached(types.int64(types.int64))
def top(number):
    return part(number, 1) + part(number, 2) + part(number, number)

counts = [0]
with compiling(counts.append):
    print(top(5), len(counts) - 1, "numba.np.arraymath" in sys.modules)
"""


def test_a_unit_is_compiled_once_and_loaded_alone(tmp_path: Path) -> None:
    """A part has one version for all numbers; who loads machine code does not load what compiling it needs."""
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)

    def said() -> list[str]:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        ran = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=True)
        return ran.stdout.split()

    assert said() == ["23", "2", "True"]
    assert said() == ["23", "0", "False"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "otherwise",
    [
        "import sys; sys.modules['sought.web.unit'] = None",
        "from sought.web import unit; del unit._TopDispatcher.enable_caching",
        "from sought.web import unit; unit._PartDispatcher.get_call_template = lambda self, *_: None",
    ],
)
def test_another_numba_will_do(tmp_path: Path, otherwise: str) -> None:
    """Where numba is not as it was, functions are compiled in its own way, and do the same."""
    program = tmp_path / "program.py"
    program.write_text(f"{otherwise}\n{_PROGRAM}")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        ran = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout.split()[0] == "23", ran.stderr
