"""A crawl that nobody may write to can be looked at and searched; nothing healthy is called damaged."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sought.web.readonly_cache import ShadowFolder
from tests.testing.damaged_crawl import fill

READING = (
    "import sys; from tests.testing.damaged_crawl import called\n"
    "for words in (['status'], ['search', 'comet'], ['frontier', 'stats'], ['queries', 'stats'], ['hosts']):\n"
    "    command, rest = (words, []) if words[0] != 'search' else (words[:1], words[1:])\n"
    "    code, out, err = called(*command, sys.argv[1], *rest)\n"
    "    assert (code, err) == (0, ''), (words, code, err)\n"
    "from sought.operate.view import View\n"
    "from pathlib import Path\n"
    "with View(Path(sys.argv[1])) as view:\n"
    "    url = view.store.url(1)\n"
    "for options in ([], ['--verbose'], ['--json']):\n"
    "    code, out, err = called('explain', sys.argv[1], url, *options)\n"
    "    assert (code, err) == (0, '') and url in out.replace('\\n', ''), (options, code, out, err)\n"
    "code, out, err = called('queries', 'explain', sys.argv[1], 'comet telescope 1')\n"
    "assert (code, err) == (0, '') and 'comet' in out, (code, out, err)\n"
    "for words in (['check'], ['rebuild'], ['crawl']):\n"
    "    code, out, err = called(*words, sys.argv[1])\n"
    "    assert code == 2 and 'cannot write in' in err and 'rebuild' not in err, (words, code, err)\n"
)


@pytest.fixture
def crawl(healthy, make_crawl) -> Path:
    path = make_crawl(healthy)
    fill(path)
    return path  # type: ignore[no-any-return]  # fixtures have no types


@pytest.mark.slow
def test_a_read_only_mount_can_be_read(crawl, tmp_path):
    """Status, search, frontier, queries, hosts and explain answer; what has to write says so in one line."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("only root can mount")
    mount = tmp_path / "mount"
    mount.mkdir()
    bind = f"mount --bind {crawl} {mount} && mount -o remount,ro,bind {mount} || exit 77"
    script = f'{bind}; exec {sys.executable} -c "$0" {mount}'
    command = ["unshare", "-m", "bash", "-c", script, READING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode in (1, 77) and "mount" in done.stderr and "Traceback" not in done.stderr:
        pytest.skip(f"mounting is not possible here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr


def test_a_shadow_is_made_only_where_nobody_may_write(tmp_path, monkeypatch):
    """It has links to the files, new ones too after a refresh, without those that a library makes by itself."""
    for name in ("a", "LOG"):
        (tmp_path / name).write_text(name)
    assert ShadowFolder(tmp_path).path == tmp_path
    monkeypatch.setattr(os, "access", lambda *_: False)
    shadow = ShadowFolder(tmp_path, ["LOG"])
    assert shadow.path != tmp_path
    (tmp_path / "b").write_text("b")
    shadow.refresh()
    assert sorted(file.name for file in shadow.path.iterdir()) == ["a", "b"]
    assert (shadow.path / "b").read_text() == "b"
    shadow.close()
    assert not shadow.path.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["LOG", "a", "b"]
