"""Search over tools: BM25 on names, descriptions, and the names and descriptions of parameters.

An index is built once per set of tools and finds nothing outside that set. Pure; never raises.

Source: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
2009, 3.6 (fields as weighted term frequencies).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from codemode.sdkgen.documents import DATA
from codemode.sdkgen.spec import ToolSpec

_K1: Final = 1.5
_B: Final = 0.5
_NAME_WEIGHT: Final = 3.0
_DESCRIPTION_WEIGHT: Final = 1.0
_SCHEMA_WEIGHT: Final = 0.6
#: Most characters of one tool's text that are indexed.
_MAX_TEXT: Final = 8_000

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_STOP: Final = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can could do for from have how i if in is it its me my of on or"
        " please should so that the their them then there these this to was we what when where"
        " which will with would you your",
    )
)
_ENDINGS: Final = ("ations", "ation", "ings", "ing", "ies", "ed", "es", "er", "ly", "s", "e", "y")


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Where each term occurs: term -> [(tool, its share of the score)]."""

    postings: Mapping[str, Sequence[tuple[int, float]]]
    size: int

    def rank(self, query: str, limit: int) -> list[tuple[int, float]]:
        """The best tools for a query, with their scores, best first; ties in index order."""
        scores: dict[int, float] = {}
        for term, count in Counter(terms(query)).items():
            for tool, share in self.postings.get(term, ()):
                scores[tool] = scores.get(tool, 0.0) + share * (1 + math.log(count))
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return ranked[: max(0, limit)]


def build_index(tools: Sequence[ToolSpec]) -> Index:
    """Index tools by their position in `tools`."""
    documents = [_weighted_terms(tool) for tool in tools]
    lengths = [sum(document.values()) for document in documents]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    found: dict[str, list[tuple[int, float]]] = {}
    for tool, document in enumerate(documents):
        norm = _K1 * (1 - _B + _B * lengths[tool] / (mean or 1.0))
        for term, frequency in document.items():
            found.setdefault(term, []).append((tool, frequency * (_K1 + 1) / (frequency + norm)))
    size = len(documents)
    for term, places in found.items():
        rarity = math.log(1 + (size - len(places) + 0.5) / (len(places) + 0.5))
        found[term] = [(tool, share * rarity) for tool, share in places]
    return Index(postings=found, size=size)


def terms(text: str) -> list[str]:
    """The stems of a text; camelCase, snake_case and dotted names come apart."""
    words = (word.lower() for word in _WORD.findall(text[:_MAX_TEXT]))
    return [_stem(word) for word in words if word not in _STOP]


def _stem(word: str) -> str:
    if len(word) < 4 or not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _weighted_terms(tool: ToolSpec) -> dict[str, float]:
    weights: dict[str, float] = {}
    name = f"{tool.group} {tool.name}" if tool.group else tool.name
    for text, weight in (
        (name, _NAME_WEIGHT),
        (tool.description, _DESCRIPTION_WEIGHT),
        (_schema_text(tool.parameters), _SCHEMA_WEIGHT),
    ):
        for term, count in Counter(terms(text)).items():
            weights[term] = weights.get(term, 0.0) + weight * count
    return weights


def _schema_text(schema: object) -> str:
    """Names, descriptions and listed values of parameters, to any depth within a bound."""
    found: list[str] = []
    pending: list[object] = [schema]
    for _ in range(2_000):
        if not pending:
            break
        node = pending.pop()
        if isinstance(node, Mapping):
            for key, value in cast("Mapping[str, object]", node).items():
                if key == "properties" and isinstance(value, Mapping):
                    found.extend(str(name) for name in cast("Mapping[object, object]", value))
                if key == "description" and isinstance(value, str):
                    found.append(value)
                elif key == "enum" and isinstance(value, list):
                    found.extend(
                        item for item in cast("list[object]", value)[:50] if isinstance(item, str)
                    )
                elif key not in DATA and isinstance(value, (Mapping, list)):
                    pending.append(cast("object", value))
        elif isinstance(node, list):
            pending.extend(cast("list[object]", node))
    return " ".join(found)
