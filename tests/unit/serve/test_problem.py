"""Errors as a caller of the service is told them."""

import pytest

pytest.importorskip("starlette")

from remit.errors import CorpusDamaged, MissingPrerequisite
from remit.serve.http.problem import problem_of


@pytest.mark.parametrize("kind", [CorpusDamaged, MissingPrerequisite])
def test_what_the_operator_is_told_the_caller_is_not(kind):
    """A damaged revision may be one that the caller must not know of: they learn that something is wrong, and no name."""
    told = problem_of(kind("what is stored of LV-9@1 is not what was written"))
    assert 503 == told.status
    assert "LV-9" not in told.model_dump_json()
