"""Arguments -> a call in the SDK's own dialect -> what the handler receives, through the real parts.

The guest's own mapping of calls and the host's pipeline; only the process between them is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codemode.runtime.definition import Tool
from codemode.runtime.execution import CallRequest
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.registry import Registry
from codemode.sandbox.guest.bindings import arrange
from codemode.sandbox.program import Parameter, Signature
from codemode.sandbox.values import thaw
from codemode.sdkgen import ToolBinding, ToolSpec, build_sdk
from codemode.sdkgen.documents import list_of, object_of


def signature(binding: ToolBinding) -> Signature:
    """What the guest knows of a tool's parameters."""
    return Signature(
        parameters=tuple(
            Parameter(key=p.key, name=p.name, required=p.required, is_object=p.is_object)
            for p in binding.parameters
        ),
        is_closed=binding.is_closed,
    )


def spellings(
    binding: ToolBinding, arguments: dict[str, Any]
) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The calls that mean `arguments`: by alias, by exact key, by position, as one dict."""
    names = {parameter.key: parameter.name for parameter in binding.parameters}
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {names.get(key, key): value for key, value in arguments.items()}),
        ((), dict(arguments)),
    ]
    ordered = [parameter.key for parameter in binding.parameters]
    count = next((at for at, key in enumerate(ordered) if key not in arguments), len(ordered))
    firsts = tuple(arguments[key] for key in ordered[:count])
    rest = {names.get(k, k): v for k, v in arguments.items() if k not in ordered[:count]}
    is_first_object = bool(binding.parameters) and binding.parameters[0].is_object
    is_one_dict = len(firsts) == 1 and isinstance(firsts[0], dict) and not rest
    if not is_one_dict or is_first_object:
        calls.append((firsts, rest))
    if arguments and not is_first_object and set(arguments) <= set(ordered):
        calls.append(((dict(arguments),), {}))
    return calls


async def fault(spec: ToolSpec, cases: Sequence[dict[str, Any]]) -> str:
    """What went wrong with the first case that did not arrive exactly; "" when all did."""
    (binding,) = build_sdk([spec]).bindings
    shape = signature(binding)
    received: list[Any] = []

    async def handler(arguments: Any, run: Any) -> None:
        received.append(thaw(arguments))

    registry = Registry()
    registry.register(Tool.raw(spec.name, "", spec.parameters, handler, is_adapted=True))
    async with Pipeline(registry) as pipeline:
        for number, case in enumerate(cases):
            for positional, keywords in spellings(binding, case):
                sent = arrange(shape, positional, keywords)
                result = await pipeline.execute(
                    CallRequest(call_id=str(number), name=spec.name, arguments=sent, is_host=True)
                )
                if result.is_error:
                    return f"refused {case!r}: {result.text}"
                if not same(received[-1], case):
                    return f"{case!r} became {received[-1]!r}"
    return ""


def same(left: object, right: object) -> bool:
    """Equal as JSON: True is not 1, and 1.0 is 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    ours, theirs = object_of(left), object_of(right)
    if ours or theirs:
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    items, others = list_of(left), list_of(right)
    if items or others:
        return len(items) == len(others) and all(map(same, items, others))
    return left == right
