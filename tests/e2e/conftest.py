"""A small store, written by the tests and ingested once by the command line, as a person would."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from selenium import webdriver

BROWSERS = (os.environ.get("CHROME_BIN", ""), "chromium", "google-chrome", "chrome", "chromium-browser")

CONTROL = """
[collections.procedures]
title = "Procedures"
discoverable = true

[collections.hr]
title = "Personnel rules"
discoverable = false
"""

DOCUMENTS = {
    "pr-1-r1.md": """---
document: PR-1
revision: "1"
title: Seal of pump P-7
collection: procedures
labels: [maintenance]
status: superseded
valid_from: 2023-01-01
authority: authoritative
---

# Seal of pump P-7

## Interval

The mechanical seal of pump P-7 is replaced every 18 months.
""",
    "pr-1-r2.md": """---
document: PR-1
revision: "2"
title: Seal of pump P-7
collection: procedures
labels: [maintenance]
status: current
valid_from: 2025-01-01
supersedes: [PR-1@1]
authority: authoritative
---

# Seal of pump P-7

## Interval

The mechanical seal of pump P-7 is replaced every 12 months.

## Grease

The bearings of pump P-7 take lithium grease.
""",
    "lv-9-r1.md": """---
document: LV-9
revision: "1"
title: Parental leave
collection: hr
labels: [personnel]
status: current
valid_from: 2025-01-01
authority: authoritative
---

# Parental leave

Whoever becomes a parent may take nine weeks of paid leave.
""",
    "hr-9-r1.md": """---
document: HR-9
revision: "1"
title: Retirement
collection: hr
labels: [personnel]
status: current
valid_from: 2025-01-01
authority: authoritative
---

# Retirement

The works pension begins at 64 years.
""",
}


class Ran(NamedTuple):
    """What a command left: its exit code, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """Stdout, read as JSON."""
        return json.loads(self.out)


def remit(*arguments, stdin=None, cwd=None, **environ):
    """Run the `remit` that is installed beside this Python, as a process of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("REMIT_")}
    done = subprocess.run(
        [Path(sys.executable).with_name("remit"), *map(str, arguments)],
        input=stdin if isinstance(stdin, bytes) else (stdin or "").encode(),
        capture_output=True,
        cwd=cwd,
        env={**clean, **environ},
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="session")
def run():
    """Run `remit` with these arguments."""
    return remit


@pytest.fixture(scope="session")
def documents(tmp_path_factory):
    """A folder of four small documents; not to be changed."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "remit.toml").write_text(CONTROL, encoding="utf-8")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def ingested(documents, tmp_path_factory):
    """The store that those documents were ingested into; not to be changed, but asking it is allowed."""
    store = tmp_path_factory.mktemp("ingested") / "store"
    assert 0 == remit("ingest", documents, "--store", store).code
    return store


@pytest.fixture
def store(ingested, tmp_path):
    """A copy of that store, to be changed."""
    return Path(shutil.copytree(ingested, tmp_path / "store"))


@pytest.fixture(scope="module")
def browser():
    """A Chromium without a window."""
    binary = next(filter(None, map(shutil.which, filter(None, BROWSERS))), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        if os.environ.get("REMIT_NEED_BROWSER"):
            pytest.fail("no Chromium and driver: scripts/browser was to install them")
        pytest.skip("no Chromium and driver here: scripts/browser installs them, or says how")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1100,900",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    opened.implicitly_wait(10)
    yield opened
    opened.quit()
