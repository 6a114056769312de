"""JSON Schemas of tools -> a compact typed Python SDK. Pure functions; no I/O.

See docs/sdk.md.
"""

from __future__ import annotations

from codemode.sdkgen.catalog import Level, estimated_tokens
from codemode.sdkgen.describe import Explanation, NameRow, NameTable, SearchHit
from codemode.sdkgen.faults import ArgumentsReport, explain_violations
from codemode.sdkgen.nearest import did_you_mean
from codemode.sdkgen.results import Unwrapped, unwrap_result
from codemode.sdkgen.sdk import Sdk, build_sdk
from codemode.sdkgen.spec import ParameterName, ToolBinding, ToolSpec
from codemode.sdkgen.validation import SchemaError, Validator, compile_schema
from codemode.sdkgen.violation import Violation
from codemode.sdkgen.wire import WireDialect, wire_names, wire_tools

__all__ = [
    "ArgumentsReport",
    "Explanation",
    "Level",
    "NameRow",
    "NameTable",
    "ParameterName",
    "SchemaError",
    "Sdk",
    "SearchHit",
    "ToolBinding",
    "ToolSpec",
    "Unwrapped",
    "Validator",
    "Violation",
    "WireDialect",
    "build_sdk",
    "compile_schema",
    "did_you_mean",
    "estimated_tokens",
    "explain_violations",
    "unwrap_result",
    "wire_names",
    "wire_tools",
]
