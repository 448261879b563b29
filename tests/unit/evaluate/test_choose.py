"""What may be declared as a cost."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from remit.evaluate.choose import Costs


@pytest.mark.parametrize("amount", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", sorted(Costs.model_fields))
def test_a_cost_is_a_number(name: str, amount: float) -> None:
    """A cost that is no finite number is refused when it is given, before anything is fitted."""
    with pytest.raises(ValidationError, match=name):
        Costs.model_validate({name: amount})
