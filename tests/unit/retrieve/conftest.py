"""Tests here import the in-memory corpus beside them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
