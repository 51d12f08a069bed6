"""How large is `pip install sought`?  Installs this source tree into a fresh environment and prints megabytes.

    make size        or    python packaging/size.py [EXTRA]

Files that pip compiles (.pyc) count; what an empty environment has (pip, setuptools) does not.
"""

import subprocess
import sys
import venv
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

_SHOWN = 15
_OF_THE_ENVIRONMENT = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
_SOURCE = Path(__file__).resolve().parent.parent


def main() -> None:
    extra = f"[{sys.argv[1]}]" if len(sys.argv) > 1 else ""
    with TemporaryDirectory(prefix="sought-size-") as folder:
        packages = installed(Path(folder), f"{_SOURCE}{extra}")
        sizes = sizes_of(packages)
    for name, size in sizes.most_common(_SHOWN):
        print(f"{size / 1e6:8.0f} MB  {name}")
    print(f"{sum(sizes.values()) / 1e6:8.0f} MB  in all, {len(sizes)} packages and modules")


def installed(folder: Path, what: str) -> Path:
    """A fresh environment with a package and all it needs; returns where the packages lie."""
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", what], check=True)
    return next(folder.glob("lib/python3*/site-packages"))


def sizes_of(packages: Path) -> Counter[str]:
    """Bytes by top-level name; libraries that a package brings beside it (`numpy.libs`) count as its own."""
    sizes: Counter[str] = Counter()
    for file in packages.rglob("*"):
        name = file.relative_to(packages).parts[0].split(".")[0]
        if file.is_file() and not name.startswith(_OF_THE_ENVIRONMENT):
            sizes[name] += file.stat().st_size
    return sizes


if __name__ == "__main__":
    main()
