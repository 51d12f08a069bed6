"""A repository of one site, for tests of what answers change in it."""

import pytest

from sought.record.config import check_config
from sought.record.repository import Repository
from sought.record.store import Store
from sought.record.table import Source
from tests.testing.repository_answers import HOME


@pytest.fixture
def repository(tmp_path):
    store = Store(tmp_path / "store", writable=True)
    config = check_config({"seeds": [HOME], "scope": {"domains": ["a.example"]}}, "test")
    repository = Repository(config, store, "sought")
    repository.add_urls([HOME], Source.SEED, 1.0)
    yield repository
    store.close()
