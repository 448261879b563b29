"""Requests that nobody thought of, made from the description of the interface."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import load_all_checks

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

NAMES = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"]


def test_no_request_breaks_the_service(service):
    """No request, whether it fits the description or not, gives a 5xx, an undescribed status or an undescribed body."""
    load_all_checks()
    schema = schemathesis.openapi.from_url(f"{service.url}/openapi.json")
    headers = {"Authorization": f"Bearer {service.keys.third}"}
    checks = schemathesis.checks.CHECKS.get_by_names(NAMES)
    called = []

    def trial(case):
        called.append(case.path)
        case.call_and_validate(headers=headers, checks=checks)

    for found in schema.get_all_operations():
        some = settings(max_examples=15, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        some(given(case=found.ok().as_strategy())(trial))()
    assert len(set(called)) == len(schema.raw_schema["paths"])
