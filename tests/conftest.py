"""What every test runs under."""

import os

from hypothesis import settings

# No deadline: a shared machine stalls now and then. In CI the same examples each time, so that a failure repeats.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
