"""Which attribute names a program may use: one decision for every way to name an attribute.

The same function answers for a dotted load, a store, a deletion, a class pattern, `getattr` and its
kin, `operator.attrgetter` and replacement fields of format strings, so no path is softer than the
next. It must never look at objects: what an object adds to the answer is decided in `loads`
and `stores`.

Source: the data model chapter of the language reference, and what `inspect` lists for frames, code
objects, generators, coroutines and tracebacks.
"""

from __future__ import annotations

import unicodedata
from enum import Enum
from typing import Final

from codemode.sandbox.language.words import words


class Verdict(Enum):
    """What an attribute name means for the code around it."""

    PLAIN = "ordinary bytecode"
    HOOK = "decided at run time, with the object in hand"
    REFUSED = "refused"


#: Names that lead from values to the interpreter's inside, whatever the object is.
INTERNALS: Final = frozenset(
    words(
        "tb_frame tb_next f_back f_builtins f_code f_generator f_globals f_locals f_trace",
        "gi_frame gi_code gi_yieldfrom cr_await cr_frame cr_code cr_origin ag_await ag_frame",
        "ag_code co_code co_consts co_names co_varnames co_freevars co_cellvars co_positions",
        "co_lines func_globals func_code func_closure im_func im_self im_class",
        "with_traceback get_stack print_stack gr_frame gr_context",
    )
)

_OPERATORS: Final = words(
    "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"
)

#: Special names of Python 2 and of other libraries: the interpreter looks for none of them.
_OF_OTHERS: Final = words(
    "nonzero div rdiv idiv cmp unicode long oct hex getslice setslice delslice coerce metaclass",
    "html json tablename rich_repr fields meta serialize private custom abstract description url",
    "contact revision project created updated deprecated release summary array array_ufunc",
    "array_function array_priority array_finalize",
)

#: Special methods that a class may define.
DEFINABLE: Final = frozenset(
    f"__{name}__"
    for name in words(
        "init new repr str bytes format lt le eq ne gt ge hash bool len length_hint getitem",
        "setitem delitem missing iter next reversed contains neg pos abs invert complex int",
        "float index round trunc floor ceil enter exit aenter aexit aiter anext await call",
        "post_init getattr setattr delattr dir get set delete set_name class_getitem copy",
        "deepcopy replace reduce reduce_ex getstate setstate getnewargs getnewargs_ex sizeof",
        "fspath instancecheck subclasscheck subclasshook buffer",
    )
    + _OPERATORS
    + _OF_OTHERS
    + tuple(f"r{name}" for name in _OPERATORS)
    + tuple(f"i{name}" for name in _OPERATORS if name != "divmod")
)

#: Special names that a class body may bind to a literal or to None; their text is checked.
CLASS_LITERALS: Final = frozenset({"__slots__", "__match_args__"})

#: Special names that classes with slots ask for as Python documents it.
EVERYDAY_SLOTS: Final = frozenset({"__dict__", "__weakref__"})

#: Special names that carry text or data and lead nowhere.
_READABLE: Final = frozenset(
    words(
        "__name__ __qualname__ __doc__ __module__ __cause__ __context__ __suppress_context__",
        "__notes__ __members__ __version__ __author__ __all__ __debug__ __args__",
        "__parameters__ __metadata__ __bound__ __constraints__ __required_keys__",
        "__optional_keys__ __total__ __type_params__ __value__",
        "__supertype__ __slots__ __match_args__ __isabstractmethod__ __abstractmethods__",
        "__hash__ __stdin__ __stdout__ __stderr__ __covariant__ __contravariant__ __default__",
        "__forward_arg__ __unpacked__ __text_signature__ __basicsize__ __itemsize__ __final__",
        "__override__ __deprecated__ __static_attributes__ __firstlineno__ __no_type_check__",
    )
)

#: How a class stands among others: told of the program's own classes.
LINEAGE: Final = frozenset(words("__mro__ __bases__ __base__ __subclasses__ mro"))

#: Special names whose answer depends on the object.
_HOOKED: Final = frozenset(
    words(
        "__class__ __dict__ __annotations__ __new__ __setattr__ __delattr__ __set__ __delete__",
        "__wrapped__ __getattribute__ __self__ __func__ __reduce__ __reduce_ex__ __getstate__",
        "__getnewargs__ __getnewargs_ex__ __setstate__ __getattr__ __defaults__ __kwdefaults__",
        "__objclass__ __origin__ __get__ __mro__ __bases__ __base__ __subclasses__",
        "__dataclass_fields__ __orig_bases__ __orig_class__ __dataclass_params__ __set_name__",
        "__init__",
    )
)

_LOADABLE: Final = (DEFINABLE | _READABLE) - _HOOKED

#: Special methods by which a class is asked about objects and classes of anybody's.
ASKED: Final = frozenset(words("__instancecheck__ __subclasscheck__ __subclasshook__"))

#: Special names that may be stored, on objects of the program's own.
STORABLE: Final = frozenset(
    words(
        "__name__ __qualname__ __doc__ __cause__ __context__ __suppress_context__ __dict__",
        "__notes__ __hash__ __defaults__ __kwdefaults__ __isabstractmethod__",
    )
) | frozenset(name for name in DEFINABLE if name not in {"__new__", "__set_name__"} | ASKED)

#: Special methods that the library takes from a class, and gives to whoever takes over from it.
TAKEN: Final = frozenset(words("__enter__ __exit__ __aenter__ __aexit__"))

#: Public names that reach formatting by string, or an object behind another one, or compare one.
_HOOKED_PUBLIC: Final = frozenset(
    words("format format_map obj mro groupindex remove_done_callback")
)

#: Attributes under which some library object keeps a module; the value is looked at each time.
MODULE_HOLDERS: Final = frozenset(
    {"_module", "_flavour", "pathmod", "parser", "ntpath", "posixpath"}
)

#: Methods that an own enum inherits, and that would make classes of a library module's names.
MAKERS: Final = frozenset(words("_convert_ _create_ _add_member_ _add_alias_ _add_value_alias_"))

#: Names that own objects may have from a foreign class, so that the value is looked at there too.
ALWAYS_HOOKED: Final = (
    MODULE_HOLDERS
    | MAKERS
    | LINEAGE
    | _HOOKED_PUBLIC
    | frozenset(
        words(
            "__setattr__ __delattr__ __getattribute__ __getattr__ __annotations__ __new__",
            "__dataclass_fields__",
            "__setstate__ __objclass__ __origin__ __get__ __set__ __delete__",
        )
    )
)

#: Private by spelling, public by documentation.
DOCUMENTED: Final = frozenset(
    words(
        "_ _replace _asdict _fields _make _field_defaults _value_ _name_ _missing_ _ignore_",
        "_order_ _generate_next_value_ _numeric_repr_ _sunder_ _attributes",
    )
)

#: What an enum makes its members with, while it is made and later: not the program's to replace.
_FIXED: Final = frozenset(
    words(
        "_new_member_ _member_type_ _member_map_ _member_names_ _value2member_map_ _value_repr_",
        "_unhashable_values_ _unhashable_values_map_ _hashable_values_ _use_args_",
    )
)

#: What to write instead, by attribute.
ALTERNATIVES: Final = {
    "__class__": "type(x)",
    "__module__": "functools.wraps()",
    "__signature__": "functools.wraps()",
    "__wrapped__": "functools.wraps()",
    "__traceback__": "traceback.format_exc(), or raise ... from error",
    "with_traceback": "raise ... from error",
    "__globals__": "a dict of your own",
    **dict.fromkeys(LINEAGE, "it on a class of your own, or isinstance() and issubclass()"),
    "__del__": "a context manager (__enter__ and __exit__) or try/finally",
    "__init_subclass__": "a class decorator",
    "__code__": "the function itself",
    "_exit": "sys.exit()",
    "__getattribute__": "__getattr__",
    "__self__": "a variable that holds the object",
    "__func__": "the function taken from its class",
    "__closure__": "an argument or a class",
    "__prepare__": "a class decorator",
    "__mro_entries__": "an ordinary base class",
}


def is_dunder(name: str) -> bool:
    """Whether `name` is spelt as a special name of the language."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def mangled(name: str, class_name: str | None) -> str:
    """`name` as the compiler spells it inside the class: `__x` becomes `_Class__x`."""
    if class_name is None or not name.startswith("__") or name.endswith("__"):
        return name
    owner = class_name.lstrip("_")
    return f"_{owner}{name}" if owner else name


def decide(
    name: str, *, store: bool = False, foreign_names: frozenset[str] | None = None
) -> Verdict:
    """The verdict on `name` as an attribute.

    Args:
        name: Mangled, an exact `str`.
        store: A store or a deletion; the object is checked besides.
        foreign_names: Names that the interpreter's own modules use; None for unknown, which makes
            every underscore name a matter of the object.
    """
    if (name in MODULE_HOLDERS or name in MAKERS) and not store:
        return Verdict.HOOK
    if not name.startswith("_"):
        if name in INTERNALS:
            return Verdict.REFUSED
        return Verdict.HOOK if name in _HOOKED_PUBLIC and not store else Verdict.PLAIN
    if is_dunder(name):
        if store:
            return Verdict.PLAIN if name in STORABLE else Verdict.REFUSED
        if name in _LOADABLE:
            return Verdict.PLAIN
        return Verdict.HOOK if name in _HOOKED else Verdict.REFUSED
    if store:
        return Verdict.REFUSED if name in _FIXED else Verdict.PLAIN
    if name in DOCUMENTED:
        return Verdict.PLAIN
    return Verdict.HOOK if foreign_names is None or name in foreign_names else Verdict.PLAIN


def is_definable(name: str) -> bool:
    """Whether a class may define the special method `name`."""
    return name in DEFINABLE


def names_field(name: object) -> bool:
    """Whether `name` may be a field of a dataclass: the library makes source text of it."""
    is_name = type(name) is str and name.isidentifier()
    # The compiler normalises the names that it reads.
    is_plain = is_name and unicodedata.is_normalized("NFKC", str(name))
    return is_plain and name not in INTERNALS and not is_dunder(str(name))


def is_open(name: str) -> bool:
    """Whether `name` may stand where text names an attribute of the program's own class."""
    return not is_dunder(name) and decide(name, foreign_names=frozenset()) is Verdict.PLAIN


def explain(name: str) -> tuple[str, str]:
    """Why attribute `name` is refused, and what to use instead ("" when nothing is)."""
    alternative = ALTERNATIVES.get(name, "")
    if name in INTERNALS:
        return "it leads into the interpreter's frames and code", alternative
    if is_dunder(name):
        return "this special name is not open to programs", alternative
    instead = alternative or "its documented interface"
    return "it is private to the interpreter's own modules", instead


class Names:
    """The verdicts of this process, remembered by name.

    Attributes:
        foreign: Names that the loaded modules use; None until they are known.
    """

    __slots__ = ("_loads", "foreign")

    def __init__(self) -> None:
        self.foreign: frozenset[str] | None = None
        self._loads: dict[str, Verdict] = {}

    def learn(self, foreign: frozenset[str]) -> None:
        """Take over the names that the loaded modules use."""
        self.foreign = foreign
        self._loads.clear()

    def load(self, name: str) -> Verdict:
        """The verdict on reading `name`."""
        verdict = self._loads.get(name)
        if verdict is None:
            verdict = decide(name, foreign_names=self.foreign)
            if len(self._loads) < 10_000:
                self._loads[name] = verdict
        return verdict


NAMES: Final = Names()
