"""What the numbers of a training may be: a schedule that cannot work is refused before anything is paid for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
"""How many, none included."""

Many = Annotated[int, Field(ge=1, le=1_000_000_000)]
"""How many, at least one."""

Folds = Annotated[int, Field(ge=2, le=1000)]
"""Into how many parts questions are put: one to be measured, the others to learn from."""

Above = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A finite number above 0: a rate, a temperature, beta."""

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A finite number, 0 or more."""

Finite = Annotated[float, Field(allow_inf_nan=False)]
"""A finite number."""

Seed = Annotated[int, Field(ge=0, lt=2**32)]
"""What randomness starts from."""
