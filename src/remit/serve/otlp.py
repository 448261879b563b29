"""Spans to an OpenTelemetry collector. What was not taken is said: the journal is the record, and can be sent again."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Final, NamedTuple

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags

from remit.errors import ProviderFailed
from remit.record.journal import Recorded
from remit.serve.spans import Span, spans

_BATCH: Final = 512


class Sent(NamedTuple):
    """How many traces went out, and as how many spans."""

    traces: int
    spans: int


def send(records: Iterable[Recorded], url: str) -> Sent:
    """Send traces as spans to a collector's OTLP address.

    Raises:
        ProviderFailed: it did not take them; those before may be there, and sending them again does no harm.
    """
    exporter = OTLPSpanExporter(endpoint=url)
    traces, count, batch = 0, 0, list[ReadableSpan]()
    try:
        for recorded in records:
            batch += [readable(span) for span in spans(recorded)]
            traces += 1
            if len(batch) >= _BATCH:
                count += _out(exporter, batch, url)
                batch = []
        count += _out(exporter, batch, url)
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]
    return Sent(traces, count)


def readable(span: Span) -> ReadableSpan:
    """Return a span as the exporter takes it."""
    return ReadableSpan(
        name=span.name,
        context=_context(span.trace_id, span.span_id),
        parent=None if span.parent is None else _context(span.trace_id, span.parent),
        resource=Resource.create({"service.name": "remit", "service.version": version("remit")}),
        attributes=span.attributes,
        kind=SpanKind.INTERNAL,
        instrumentation_scope=InstrumentationScope("remit", version("remit")),
        start_time=span.start,
        end_time=span.end,
    )


def _context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _out(exporter: OTLPSpanExporter, batch: list[ReadableSpan], url: str) -> int:
    if batch and exporter.export(batch) is not SpanExportResult.SUCCESS:
        raise ProviderFailed(f"the collector at {url} did not take the spans: check the address, then send them again")
    return len(batch)
