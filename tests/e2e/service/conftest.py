"""One service for all tests of the network faces; a test that stops or kills one starts its own."""

from types import SimpleNamespace

import pytest
import served


@pytest.fixture(scope="session")
def provider():
    """The identity provider whose tokens the service takes."""
    return served.Provider()


@pytest.fixture(scope="session")
def service(tmp_path_factory, provider):
    """A running service, and keys: `mnt` and `prs` for two groups that must not learn of each other, and an auditor."""
    store = served.filled(tmp_path_factory.mktemp("served"))
    provider.publish(store / "jwks.json")
    keys = SimpleNamespace(
        mnt=served.key(store, "mara:maintenance", "read,review,write:procedures"),
        prs=served.key(store, "hana:personnel", "read,review,write:hr"),
        reader=served.key(store, "theo:visitors"),
        auditor=served.key(store, "audi:auditors", "read,audit"),
        second=served.key(store, "rob:maintenance", "read,review"),
        third=served.key(store, "ida:maintenance", "read,review,write"),
    )
    running = served.Served(store)
    yield SimpleNamespace(server=running, keys=keys, store=store, client=running.client, url=running.url)
    assert 0 == running.stop()
