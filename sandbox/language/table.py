"""Every syntax node of every supported Python, with its decision and the reason for it.

The transformer is driven by this table, and docs/language.md prints it. A node without a row is
refused, and a test fails the build, so that a new Python adds nothing by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from codemode.sandbox.language.words import words

Decision = Literal["plain", "checked", "refused"]


@dataclass(frozen=True, slots=True)
class Row:
    """One node.

    Attributes:
        node: The class name in `ast`.
        decision: plain: compiled as written; checked: a rule looks at it first; refused: never
            compiled.
        reason: Why, for a reader of the documentation.
        since: The first Python that has it, when not all supported ones do.
        alternative: What to write instead of a refused node.
    """

    node: str
    decision: Decision
    reason: str
    since: str = ""
    alternative: str = ""


def _rows(decision: Decision, reason: str, *nodes: str) -> tuple[Row, ...]:
    return tuple(Row(node, decision, reason) for node in nodes)


TABLE: Final[tuple[Row, ...]] = (
    *_rows("plain", "the root of a program", "Module", "Interactive", "Expression", "FunctionType"),
    *_rows(
        "plain",
        "how a name is used; the name itself is checked where it stands",
        "Load",
        "Store",
        "Del",
    ),
    *_rows(
        "plain",
        "operators run methods of their operands and nothing else",
        "BoolOp",
        "And",
        "Or",
        "BinOp",
        "UnaryOp",
        "Compare",
        "Add",
        "Sub",
        "Mult",
        "MatMult",
        "Div",
        "Mod",
        "Pow",
        "LShift",
        "RShift",
        "BitOr",
        "BitXor",
        "BitAnd",
        "FloorDiv",
        "Invert",
        "Not",
        "UAdd",
        "USub",
        "Eq",
        "NotEq",
        "Lt",
        "LtE",
        "Gt",
        "GtE",
        "Is",
        "IsNot",
        "In",
        "NotIn",
    ),
    *_rows("plain", "a value", "Constant", "List", "Tuple", "Set", "Dict", "Slice"),
    *_rows(
        "plain",
        "an f-string names attributes by syntax, and each is checked as syntax",
        "JoinedStr",
        "FormattedValue",
    ),
    *_rows(
        "plain", "items are reached by key, which no policy needs to know", "Subscript", "Starred"
    ),
    *_rows(
        "plain",
        "no names of its own",
        "IfExp",
        "Expr",
        "Assign",
        "AnnAssign",
        "Raise",
        "Assert",
        "Delete",
        "Pass",
        "If",
        "For",
        "While",
        "Break",
        "Continue",
        "Try",
        "With",
        "withitem",
        "Return",
        "Yield",
        "YieldFrom",
    ),
    Row(
        "AugAssign",
        "checked",
        "an attribute target is also read, so a name that needs a check there is refused",
    ),
    *_rows(
        "plain",
        "comprehensions bind names that are checked as names",
        "ListComp",
        "SetComp",
        "GeneratorExp",
        "DictComp",
        "comprehension",
    ),
    *_rows("plain", "the event loop is the sandbox's own", "Await", "AsyncFor", "AsyncWith"),
    *_rows(
        "plain",
        "patterns compare values; the names they bind are checked",
        "Match",
        "match_case",
        "MatchValue",
        "MatchSingleton",
        "MatchSequence",
        "MatchOr",
    ),
    Row("NamedExpr", "plain", "the name is checked as a name"),
    Row("Name", "checked", "special names of the language are few, and some builtins are not open"),
    Row("Attribute", "checked", "the one decision function for attribute names"),
    Row("Call", "checked", "`super(a, b)` and the format method of a literal are looked at"),
    *_rows(
        "checked",
        "its names are checked, and code inside a class is known to be there",
        "FunctionDef",
        "AsyncFunctionDef",
        "Lambda",
        "ClassDef",
        "arg",
    ),
    Row("arguments", "plain", "its parameters are checked one by one"),
    Row("alias", "plain", "checked with the import that it belongs to"),
    Row("keyword", "plain", "a keyword names a parameter, never an attribute"),
    *_rows(
        "checked",
        "the names are checked",
        "Global",
        "Nonlocal",
        "ExceptHandler",
        "MatchStar",
        "MatchAs",
        "MatchMapping",
    ),
    Row("MatchClass", "checked", "keyword patterns read attributes"),
    *_rows(
        "checked",
        "private modules are refused; the module table decides at run time",
        "Import",
        "ImportFrom",
    ),
    Row(
        "TryStar",
        "checked",
        "for plain groups and named classes: a custom split() confused the interpreter",
    ),
    Row("TypeIgnore", "plain", "a comment"),
    Row(
        "TypeAlias",
        "plain",
        "the name is checked as a name; the value is ordinary code",
        since="3.12",
    ),
    Row("TypeVar", "checked", "the name is checked; a bound is ordinary code", since="3.12"),
    Row("ParamSpec", "checked", "the name is checked", since="3.12"),
    Row("TypeVarTuple", "checked", "the name is checked", since="3.12"),
    Row(
        "TemplateStr",
        "plain",
        "a template holds values; each expression is checked as syntax",
        since="3.14",
    ),
    Row("Interpolation", "plain", "as in an f-string", since="3.14"),
)

BY_NODE: Final = {row.node: row for row in TABLE}

#: Abstract classes of `ast` that never occur in a tree, and names kept for old programs.
ABSTRACT: Final = frozenset(
    words(
        "AST mod stmt expr expr_context boolop operator unaryop cmpop excepthandler pattern",
        "type_ignore type_param slice Num Str Bytes NameConstant Ellipsis ExtSlice Index Suite",
        "AugLoad AugStore Param",
    )
)
