"""JSON Schema -> a hypothesis strategy of values that are valid under it.

Written against the keywords that real tools use, and for no other purpose: what it draws is only a
candidate, and the validator decides. `arguments` gives candidates that the validator admits.
"""

# A schema is whatever JSON its author wrote; isinstance narrows it to containers of unknowns.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportArgumentType=false

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning, InvalidArgument, Unsatisfiable

from codemode.sdkgen import ToolSpec, Validator, compile_schema
from codemode.sdkgen.documents import TYPE_ALIASES, own_copy, resolve
from codemode.sdkgen.identifiers import localize

Node = dict[str, Any]
Values = st.SearchStrategy[Any]

#: Deepest nesting of what is drawn; below it, only what is required.
_DEEP = 4
_DEEPEST = 14
_LETTERS = st.characters(codec="utf-8", exclude_categories=["Cs"])
#: For patterns: all of Unicode makes their strategies slow.
_ASCII = st.characters(codec="ascii")
_TEXT = st.text(_LETTERS, max_size=6) | st.sampled_from(
    ["x", "", "a b", "0", "null", "\u00e9\u4e2d"]
)
_WHOLE = st.integers(-9, 9) | st.sampled_from([2**53, -(2**53)])
_SCALARS = st.none() | st.booleans() | _WHOLE | _TEXT | st.sampled_from([1.5, -0.25, 1e300])
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXT, inner, max_size=2),
    max_leaves=4,
)
_FORMATS: Mapping[str, list[str]] = {
    "date": ["2024-02-29"],
    "date-time": ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.5+02:00"],
    "time": ["12:00:00Z"],
    "duration": ["P1DT2H"],
    "email": ["a@example.com"],
    "idn-email": ["a@example.com"],
    "hostname": ["example.com"],
    "idn-hostname": ["example.com"],
    "ipv4": ["127.0.0.1"],
    "ipv6": ["::1"],
    "uri": ["https://example.com/a?b=c#d"],
    "iri": ["https://example.com/a"],
    "uri-reference": ["/a"],
    "iri-reference": ["/a"],
    "uri-template": ["/a/{b}"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000"],
    "json-pointer": ["/a/0"],
    "relative-json-pointer": ["0/a"],
    "regex": ["^a+$"],
}
_KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")
_IMPLIED = {
    "object": {"properties", "required", "additionalProperties", "patternProperties"},
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"},
    "string": {"minLength", "maxLength", "pattern", "format"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
}


def candidates(schema: Mapping[str, Any]) -> Values:
    """Values that a schema document probably admits."""
    root, _ = own_copy(schema)
    localize(root)
    return _Strategies(root).of(root, 0)


def arguments(spec: ToolSpec, count: int) -> list[Node]:
    """Up to `count` different argument objects that the validator of `spec` admits."""
    validator = compile_schema(spec.parameters, lenient=True)
    found: list[Node] = []

    # Always the same ones: a failure of one tool can be repeated alone.
    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(candidates(spec.parameters).filter(lambda value: _is_admitted(validator, value)))
    def collect(value: Node) -> None:
        if value not in found:
            found.append(value)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HypothesisWarning)  # of strategies that print long
            collect()
    except Unsatisfiable:
        return []
    return found


def obstacle(spec: ToolSpec) -> str:
    """What keeps the best of some candidates from being valid, where `arguments` finds none."""
    validator = compile_schema(spec.parameters, lenient=True)
    reasons: list[str] = []

    @settings(
        max_examples=20,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(candidates(spec.parameters))
    def collect(value: object) -> None:
        if not isinstance(value, dict):
            reasons.append("the arguments would be no object")
        else:
            reasons.append("; ".join(map(str, validator.violations(value))))

    try:
        collect()
    except Unsatisfiable:
        return "no value at all can be drawn"
    return min(reasons, key=len)


def _is_admitted(validator: Validator, value: object) -> bool:
    return isinstance(value, dict) and validator.is_valid(value)


class _Strategies:
    def __init__(self, root: Node) -> None:
        self.root = root

    def of(self, schema: Any, depth: int) -> Values:
        if not isinstance(schema, dict):
            return st.nothing() if schema is False else _JSON
        if depth > _DEEPEST:
            return st.nothing()
        node: Node = schema
        for _ in range(20):
            if not isinstance(node.get("$ref"), str):
                break
            target = resolve(self.root, node["$ref"])
            own = {word: value for word, value in node.items() if word != "$ref"}
            if target is False:
                return st.nothing()
            node = _merged(dict(target) if isinstance(target, Mapping) else {}, own)
            depth += 1
        return self._composed(node, depth)

    def _composed(self, node: Node, depth: int) -> Values:
        for word in ("allOf", "anyOf", "oneOf"):
            branches = node.get(word)
            if isinstance(branches, list) and branches:
                rest = {key: value for key, value in node.items() if key != word}
                if word == "allOf":
                    for branch in branches:
                        rest = _merged(rest, self._followed(branch))
                    return self.of(rest, depth)
                return st.one_of(
                    [self.of(_merged(rest, self._followed(branch)), depth) for branch in branches]
                )
        if isinstance(node.get("if"), dict):
            rest = {k: v for k, v in node.items() if k not in ("if", "then", "else")}
            then = _merged(_merged(rest, node["if"]), self._followed(node.get("then")))
            return self.of(then, depth) | self.of(
                _merged(rest, self._followed(node.get("else"))), depth
            )
        return self._plain(node, depth)

    def _followed(self, branch: Any) -> Node:
        for _ in range(20):
            if not isinstance(branch, dict):
                return {"enum": []} if branch is False else {}
            if not isinstance(branch.get("$ref"), str):
                return branch
            own = {word: value for word, value in branch.items() if word != "$ref"}
            target = resolve(self.root, branch["$ref"])
            branch = _merged(dict(target), own) if isinstance(target, Mapping) else own
        return {}

    def _plain(self, node: Node, depth: int) -> Values:
        if "const" in node:
            return st.just(node["const"])
        values = node.get("enum")
        if isinstance(values, list) and (values or "type" in node):
            return st.sampled_from(values) if values else st.nothing()
        return st.one_of([self._typed(kind, node, depth) for kind in _kinds(node)])

    def _typed(self, kind: str, node: Node, depth: int) -> Values:
        match kind:
            case "object":
                return self._object(node, depth + 1)
            case "array":
                return self._array(node, depth + 1)
            case "string":
                return _text(node)
            case "integer" | "number":
                return _number(node, is_whole=kind == "integer")
            case "boolean":
                return st.booleans()
            case "null":
                return st.none()
            case _:
                return _JSON

    def _array(self, node: Node, depth: int) -> Values:
        low = _count(node, "minItems", 0)
        high = max(low, min(_count(node, "maxItems", 3), low + 2)) if depth < _DEEP else low
        items = node.get("items")
        heads = node.get("prefixItems", items if isinstance(items, list) else None)
        if isinstance(heads, list):
            rest = items if isinstance(items, (dict, bool)) else node.get("additionalItems", {})
            firsts = [self.of(head, depth) for head in heads]
            each = self.of(rest, depth)
            least = max(0, low - len(firsts))
            more = st.just([]) if each.is_empty else st.lists(each, min_size=least, max_size=2)
            short = st.tuples(*firsts[: max(low, 0)])
            whole = st.tuples(st.tuples(*firsts), more).map(lambda pair: [*pair[0], *pair[1]])
            return short.map(list) | whole
        unique = _canonical if node.get("uniqueItems") is True else None
        item = self.of({} if items is None else items, depth)
        if isinstance(node.get("contains"), dict):
            item = item | self.of(_merged(items or {}, node["contains"]), depth)
            high = max(high, 1)
        return st.lists(item, min_size=low, max_size=high, unique_by=unique)

    def _object(self, node: Node, depth: int) -> Values:
        given_properties = node.get("properties")
        properties: Node = given_properties if isinstance(given_properties, dict) else {}
        names = node.get("required")
        required = [n for n in names if isinstance(n, str)] if isinstance(names, list) else []
        fields = {
            key: self.of(properties[key] if key in properties else self._other(node, key), depth)
            for key in dict.fromkeys([*required, *properties])
        }
        needed = {key: fields.pop(key) for key in dict.fromkeys(required)}
        optional = {key: values for key, values in fields.items() if not values.is_empty}
        if depth >= _DEEP:
            some = st.fixed_dictionaries(needed)
        else:
            some = st.fixed_dictionaries(needed, optional=optional)
        every = st.fixed_dictionaries({**needed, **optional}) if depth < _DEEP else some
        declared = st.one_of([some, every, st.fixed_dictionaries(needed)])
        least = _count(node, "minProperties", 0) - len(needed)
        extras = self._extras(node, set(properties), max(least, 0), depth)
        return st.tuples(declared, extras).map(lambda pair: {**pair[1], **pair[0]})

    def _other(self, node: Node, key: str) -> Any:
        patterns = node.get("patternProperties")
        for pattern, schema in patterns.items() if isinstance(patterns, dict) else ():
            if re.search(pattern, key):
                return schema
        return node.get("additionalProperties", {})

    def _extras(self, node: Node, declared: set[str], least: int, depth: int) -> Values:
        """Undeclared keys, where the schema lets them through."""
        names = node.get("propertyNames")
        keys = self.of(names, depth) if isinstance(names, dict) else st.nothing()
        most = max(least, 1 if depth < _DEEP else 0)
        pools: list[Values] = []
        patterns = node.get("patternProperties")
        for pattern, schema in patterns.items() if isinstance(patterns, dict) else ():
            values = self.of(schema, depth)
            pools.append(st.dictionaries(_matching(pattern), values, min_size=least, max_size=most))
        more = node.get("additionalProperties", node.get("unevaluatedProperties", {}))
        if more is not False:
            plain = _TEXT if keys.is_empty else keys.filter(lambda key: isinstance(key, str))
            fresh = plain.filter(lambda key: key not in declared)
            values = self.of(more if isinstance(more, dict) else {}, depth)
            pools.append(st.dictionaries(fresh, values, min_size=least, max_size=most))
        if not least:
            pools.insert(0, st.just({}))
        return st.one_of(pools) if pools else st.just({})


def _kinds(node: Node) -> list[str]:
    said = node.get("type")
    words = said if isinstance(said, list) else [said]
    kinds = [
        word if word in _KINDS else TYPE_ALIASES.get(word.lower(), word.lower())
        for word in words
        if isinstance(word, str)
    ]
    if kinds:
        return kinds
    implied = [kind for kind, words in _IMPLIED.items() if not words.isdisjoint(node)]
    return implied or ["any"]


def _text(node: Node) -> Values:
    low = _count(node, "minLength", 0)
    high = max(low, min(_count(node, "maxLength", low + 6), low + 6))
    pattern, form = node.get("pattern"), node.get("format")
    if isinstance(pattern, str):
        return _matching(pattern).filter(lambda text: low <= len(text)) | st.nothing()
    if isinstance(form, str) and form in _FORMATS:
        return st.sampled_from(_FORMATS[form])
    return st.text(_LETTERS, min_size=low, max_size=high)


def _matching(pattern: str) -> Values:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(pattern.replace(r"\p{L}", "[A-Za-z]"), re.ASCII)
            values = st.from_regex(compiled, alphabet=_ASCII)
            values.validate()
    except (re.error, InvalidArgument):
        return _TEXT
    # Python's $ lets a line break follow; JSON Schema's does not.
    return values.filter(lambda text: not text.endswith("\n"))


def _number(node: Node, *, is_whole: bool) -> Values:
    low, high = _bound(node, "inimum"), _bound(node, "aximum")
    step = node.get("multipleOf")
    if isinstance(step, (int, float)) and step > 0:
        first = 0 if low is None else -(-low // step)
        last = first + 5 if high is None else max(first, high // step)
        multiples = st.integers(int(first), int(last)).map(lambda n: n * step)
        return multiples.map(lambda n: round(n, 9)) if isinstance(step, float) else multiples
    near = 9 if low is None else low + 9
    if is_whole:
        first = -9 if low is None and high is None else (near - 18 if low is None else low)
        return st.integers(int(-(-first // 1)), int(near if high is None else max(high, first)))
    floats = st.floats(low, high, allow_nan=False, allow_infinity=False)
    return floats | _whole_within(low, high)


def _whole_within(low: float | None, high: float | None) -> Values:
    # No whole number beyond 64 bits crosses the boundary.
    first = 0 if low is None else max(int(-(-low // 1)), -(2**53))
    last = first + 5 if high is None else min(int(high // 1), 2**53)
    return st.integers(first, last) if first <= last else st.nothing()


def _bound(node: Node, end: str) -> float | None:
    found = [node.get(word) for word in (f"m{end}", f"exclusiveM{end}")]
    numbers = [
        bound for bound in found if isinstance(bound, (int, float)) and not isinstance(bound, bool)
    ]
    if not numbers:
        return None
    return max(numbers) if end == "inimum" else min(numbers)


def _count(node: Node, word: str, default: int) -> int:
    value = node.get(word)
    return int(value) if isinstance(value, (int, float)) and value >= 0 else default


def _canonical(value: object) -> str:
    return repr(value)


def _merged(left: Node, right: Any) -> Node:
    """Both schemas at once, as far as one node can say it."""
    if not isinstance(right, dict):
        return {"enum": []} if right is False else left
    merged = dict(left)
    for word, value in right.items():
        known = merged.get(word)
        if word == "properties" and isinstance(known, dict) and isinstance(value, dict):
            both = {k: {"allOf": [known[k], v]} if k in known else v for k, v in value.items()}
            merged[word] = {**known, **both}
        elif word == "required" and isinstance(known, list) and isinstance(value, list):
            merged[word] = [*known, *value]
        elif word == "enum" and isinstance(known, list) and isinstance(value, list):
            merged[word] = [item for item in known if item in value]
        elif word in ("allOf", "anyOf", "oneOf") and word in merged:
            merged["allOf"] = [*merged.get("allOf", ()), {word: value}]
        elif word == "type" and known is not None:
            merged[word] = _meeting(known, value)
        elif word in ("minimum", "minLength", "minItems") and known is not None:
            merged[word] = max(known, value)
        else:
            merged[word] = value
    return merged


def _meeting(left: Any, right: Any) -> Any:
    ours, theirs = (part if isinstance(part, list) else [part] for part in (left, right))
    kept = [word for word in ours if word in theirs]
    if "integer" in ours + theirs and "number" in ours + theirs and "integer" not in kept:
        kept.append("integer")
    return kept or right
