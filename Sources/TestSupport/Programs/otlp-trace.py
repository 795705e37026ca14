"""Parses an OTLP trace by OpenTelemetry's own definitions and prints the facts that a test compares.

    otlp-trace.py < trace.json

The JSON of protocol buffers has base64 for bytes; OTLP has hexadecimal digits for ids
(https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding), which are checked and translated here.
"""

import base64
import json
import re
import sys

from google.protobuf import json_format
from opentelemetry.proto.trace.v1 import trace_pb2

LENGTHS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}


def translate(value):
    if isinstance(value, list):
        return [translate(element) for element in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for name, member in value.items():
        if name in LENGTHS:
            assert re.fullmatch("[0-9a-f]{%d}" % LENGTHS[name], member), (name, member)
            result[name] = base64.b64encode(bytes.fromhex(member)).decode()
        elif name.endswith("UnixNano"):
            assert isinstance(member, str) and member.isdigit(), (name, member)
            result[name] = member
        else:
            result[name] = translate(member)
    return result


def value_of(value):
    return getattr(value, value.WhichOneof("value"))


def main():
    # Unknown members are an error, as is a wrong type.
    trace = json_format.ParseDict(translate(json.load(sys.stdin)), trace_pb2.TracesData())
    (resource,) = trace.resource_spans
    (scope,) = resource.scope_spans
    ids = [span.span_id for span in scope.spans]
    assert len(set(ids)) == len(ids), "span ids are repeated"
    assert len({span.trace_id for span in scope.spans}) == 1
    by_id = {span.span_id: span for span in scope.spans}
    (run,) = [span for span in scope.spans if not span.parent_span_id]
    for span in scope.spans:
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        assert span is run or span.parent_span_id in by_id, span.name

    def path(span):
        parent = by_id.get(span.parent_span_id)
        return (path(parent) + "/" if parent is not None else "") + span.name

    facts = {
        "resource": {a.key: value_of(a.value) for a in resource.resource.attributes},
        "spans": [
            {
                "path": path(span),
                "kind": span.kind,
                "status": span.status.code,
                "message": span.status.message,
                "nanoseconds": span.end_time_unix_nano - span.start_time_unix_nano,
                "events": [event.name for event in span.events],
                "attributes": {a.key: value_of(a.value) for a in span.attributes},
            }
            for span in scope.spans
        ],
    }
    json.dump(facts, sys.stdout)


main()
