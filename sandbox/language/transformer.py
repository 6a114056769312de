"""The language policy over syntax trees: a RestrictedPython transformer that refuses or lets be.

What the tree decides stays plain bytecode; only an attribute whose verdict needs the object, and a
store to an object that may be foreign, become a check, of those in `checks`. Names are never
renamed. A node that `table` does not list is refused, which is how RestrictedPython treats the
unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, Final

from RestrictedPython.transformer import RestrictingNodeTransformer

from codemode.sandbox.language import attributes, checks, literals, names
from codemode.sandbox.language.attributes import Verdict
from codemode.sandbox.language.functions import FACTS
from codemode.sandbox.language.methods import MethodTrust, Uses, is_harmless, self_use
from codemode.sandbox.language.refusals import IN_PLACE, Refusal
from codemode.sandbox.language.table import BY_NODE
from codemode.sandbox.language.words import words
from codemode.sandbox.marks import override

_LEAF: Final = ast.Constant(None)


class Transformer(RestrictingNodeTransformer):
    """Visits one program's tree, in place; all refusals are collected.

    Args:
        uses: How the text uses names.
        foreign_names: Names that the loaded modules use; None for unknown.
        trusted: For text that comes late, what it reads with a check: methods of earlier text that
            are called bound only, as far as that text goes. Its own methods trust nobody, since
            earlier text may call them in any way. None for a program's first text.

    Attributes:
        refusals: What was refused, in the order met.
        unchecked: Name and line of the functions whose first parameter is trusted.
    """

    def __init__(
        self,
        uses: Uses,
        foreign_names: frozenset[str] | None,
        trusted: frozenset[str] | None = None,
    ) -> None:
        super().__init__()
        self._is_late = trusted is not None
        self._trusted = trusted or frozenset()
        self.refusals: list[Refusal] = []
        self.unchecked: set[tuple[str, int]] = set()
        self._uses = uses
        self._foreign = foreign_names
        self._bound: set[str] = set()
        self._withheld: list[ast.Name] = []
        self._class: str | None = None
        self._is_class_body = False
        self._own_self: str | None = None
        self._is_own_checked: bool = False
        #: The first parameter of the method that is being visited, if nothing binds it anew.
        self._first: str | None = None
        self._trust: MethodTrust | None = None
        self._in_function = False

    @override
    def visit(self, node: ast.AST) -> Any:
        """Apply the table's decision to `node`."""
        handler = _HANDLERS.get(node.__class__)
        if handler is None:
            return self._refuse_node(node)
        return handler(self, node)

    def finish(self) -> None:
        """Refuse the withheld builtins that the program used without defining them itself."""
        for node in self._withheld:
            if node.id not in self._bound:
                reason, alternative = names.WITHHELD_BUILTINS[node.id]
                self._refuse(node, f"{node.id}()", reason, alternative)
        self.refusals.sort(key=lambda refusal: (refusal.line, refusal.column))

    # ---- reporting

    def _refuse(self, node: ast.AST, construct: str, message: str, alternative: str = "") -> None:
        self.refusals.append(
            Refusal(
                line=getattr(node, "lineno", 1),
                column=getattr(node, "col_offset", 0) + 1,
                construct=construct,
                message=message,
                alternative=alternative,
            )
        )

    def _refuse_node(self, node: ast.AST) -> Any:
        row = BY_NODE.get(node.__class__.__name__)
        construct = f"syntax {node.__class__.__name__}"
        if row is None:
            self._refuse(node, construct, "the policy does not know this syntax")
        else:
            self._refuse(node, construct, row.reason, row.alternative)
        return node

    # ---- descending

    def descend(self, node: ast.AST) -> Any:
        """Visit the children of a node that is itself compiled as written."""
        for field in node._fields:
            value: Any = getattr(node, field, None)
            if value.__class__ is list:
                for index, item in enumerate(value):
                    handler = _HANDLERS.get(item.__class__)
                    if handler is not _leave:
                        value[index] = self.visit(item) if isinstance(item, ast.AST) else item
            elif isinstance(value, ast.AST):
                handler = _HANDLERS.get(value.__class__)
                if handler is _leave:
                    continue
                visited = handler(self, value) if handler else self._refuse_node(value)
                if visited is not value:
                    setattr(node, field, visited)
        return node

    # ---- names

    def _bind(self, node: ast.AST, name: str | None) -> None:
        """Check a name that the program binds, by whatever syntax."""
        if name is None:
            return
        self._bound.add(name)
        if name[:2] != "__" or not attributes.is_dunder(name):
            return
        # A vetted literal of `__slots__` or `__match_args__` does not come here.
        if name in names.BINDABLE or (self._is_class_body and name in names.CLASS_BINDABLE):
            return
        reason, alternative = attributes.explain(name)
        self._refuse(node, f"name {name}", reason, alternative)

    @override
    def check_name(self, node: Any, name: str | None, allow_magic_methods: bool = False) -> None:
        """RestrictedPython's own check, answered by ours."""
        self._bind(node, name)

    def _name(self, node: ast.Name) -> ast.AST:
        name = node.id
        if node.ctx.__class__ is not ast.Load:
            self._bind(node, name)
        elif name in names.WITHHELD_BUILTINS:
            self._withheld.append(node)
        elif name[:2] == "__" and attributes.is_dunder(name) and name not in names.LOADABLE:
            reason, alternative = attributes.explain(name)
            self._refuse(node, f"name {name}", reason, alternative)
        return node

    @override
    def visit_Global(self, node: Any) -> Any:
        """Check the names."""
        for name in node.names:
            self._bind(node, name)
        return node

    visit_Nonlocal = visit_Global

    @override
    def visit_ExceptHandler(self, node: Any) -> Any:
        """Check the `name` that the node binds; many nodes have one."""
        self._bind(node, node.name)
        return self.descend(node)

    visit_MatchStar = visit_MatchAs = visit_ExceptHandler
    visit_TypeVar = visit_ParamSpec = visit_TypeVarTuple = visit_ExceptHandler

    @override
    def visit_MatchMapping(self, node: Any) -> Any:
        """Check the name of `**rest`."""
        self._bind(node, node.rest)
        return self.descend(node)

    @override
    def visit_MatchClass(self, node: Any) -> Any:
        """Refuse keyword patterns that would read more than an open attribute."""
        for name in node.kwd_attrs:
            name = attributes.mangled(name, self._class)
            verdict = attributes.decide(name, foreign_names=self._foreign)
            if verdict is not Verdict.PLAIN or name in self._trusted:
                self._refuse(
                    node,
                    f"attribute {name} in a class pattern",
                    "the pattern would read it unchecked",
                    "a guard: case C() if ...",
                )
        visited = self.descend(node)
        if not node.patterns or self._is_match_self(node.cls):
            return visited
        # Positions read attributes by text: a gate that matches the subject itself stands in front.
        return checks.gated(node, visited)

    def _is_match_self(self, kind: ast.expr) -> bool:
        return (
            isinstance(kind, ast.Name)
            and kind.id in _MATCH_SELF
            and kind.id not in self._uses.bound
            and not (self._uses.has_star_import or self._is_late)
        )

    # ---- attributes

    @override
    def visit_Attribute(self, node: Any) -> Any:
        """Apply the verdict on the name: plain bytecode, a check, or a refusal."""
        if node.ctx.__class__ is not ast.Load:
            return self._stored_attribute(node)
        if node.attr == "tb_lineno" and getattr(node.value, "attr", "") == "__traceback__":
            return checks.call("$line", node, self.visit(node.value.value))
        if node.attr in FACTS and getattr(node.value, "attr", "") == "__code__":
            return checks.fact(node, self.visit(node.value.value))
        name = attributes.mangled(node.attr, self._class)
        verdict = attributes.decide(name, foreign_names=self._foreign)
        if name in self._trusted and verdict is Verdict.PLAIN:
            verdict = Verdict.HOOK  # it may be a method whose `self` nobody would check
        value = node.value
        node.value = self.visit(value)
        if verdict is Verdict.PLAIN:
            return node
        if verdict is Verdict.REFUSED:
            self._refuse(node, f"attribute {node.attr}", *attributes.explain(name))
            return node
        if name in ("format", "format_map") and literals.is_vetted_text(value):
            return node
        hooked = checks.loaded(node, name)
        if name == "__init__" and self._first is not None and self._is_super(value):
            return checks.unless_own(checks.named(self._first, node), node, hooked)
        if isinstance(node.value, ast.Name) and name not in attributes.ALWAYS_HOOKED:
            if node.value.id == self._own_self and not self._is_own_checked:
                return node
            return checks.unless_own(node.value, node, hooked)
        return hooked

    def _is_super(self, node: ast.expr) -> bool:
        """Whether `node` is `super()`, which is about the first argument of the function around."""
        match node:
            case ast.Call(func=ast.Name(id="super"), args=[], keywords=[]):
                is_rebound = "super" in self._uses.bound or self._uses.has_star_import
                return not (is_rebound or self._is_late)
            case _:
                return False

    def _stored_attribute(self, node: ast.Attribute) -> Any:
        name = attributes.mangled(node.attr, self._class)
        if attributes.decide(name, store=True) is Verdict.REFUSED:
            self._refuse(node, f"setting attribute {node.attr}", *attributes.explain(name))
        value = node.value
        node.value = self.visit(value)
        if isinstance(value, ast.Name) and value.id == self._own_self:
            return node
        checked = checks.call("$inside" if name.startswith("_") else "$write", value, node.value)
        if isinstance(value, ast.Name):
            checked = checks.unless_own(value, value, checked)
        node.value = checked
        return node

    @override
    def visit_Call(self, node: Any) -> Any:
        """Look at `super(a, b)`, `locals()` and `vars()`; all else is plain."""
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            if node.args or node.keywords:
                node.func.id = "$super"
            func = node.func
            node.func = _LEAF
            self.descend(node)
            node.func = func
            return node
        in_body = self._in_function and not self._is_class_body
        if in_body and self._asks_for_names(node):
            node.func.id = "$locals"
            return node
        checks.show_traces(node)
        return self.descend(node)

    def _asks_for_names(self, node: Any) -> bool:
        """Whether a call is `locals()`, or `vars()` without an argument."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        is_builtin = name == "locals" or (
            name == "vars" and not (name in self._uses.bound or self._uses.has_star_import)
        )
        return is_builtin and not (node.args or node.keywords)

    @override
    def visit_AugAssign(self, node: Any) -> Any:
        """Refuse `x.a += y` where reading `x.a` needs a check: the interpreter reads it itself."""
        target = node.target
        if not isinstance(target, ast.Attribute):
            return self.descend(node)
        name = attributes.mangled(target.attr, self._class)
        verdict = attributes.decide(name, foreign_names=self._foreign)
        is_hooked = name in attributes.ALWAYS_HOOKED or attributes.is_dunder(name)
        if (is_hooked and verdict is not Verdict.PLAIN) or name in self._trusted:
            self._refuse(target, f"changing attribute {target.attr} in place", *IN_PLACE)
        value = target.value
        is_mine = isinstance(value, ast.Name) and value.id == self._own_self
        self.descend(node)
        if verdict is Verdict.HOOK and not (is_mine and not self._is_own_checked):
            target.value = checks.in_place(target, name)
        return node

    # ---- functions

    @override
    def visit_FunctionDef(self, node: Any) -> Any:
        """Check the names, and find out whether the first parameter can be trusted."""
        self._bind(node, node.name)
        in_class = self._is_class_body
        saved: tuple[str | None, bool] = self._own_self, self._is_own_checked
        outer_first, self._first = self._first, None
        trust = self._trust
        is_bound_only = in_class and trust is not None and trust.is_bound_only(node)
        # Decorators, defaults and annotations run outside the function, where `self` is not bound.
        self._own_self = None
        for index, decorator in enumerate(node.decorator_list):
            node.decorator_list[index] = self.visit(decorator)
        self._is_class_body = False
        outer_function = self._in_function
        self.visit(node.args)
        if node.returns is not None:
            node.returns = self.visit(node.returns)
        for parameter in getattr(node, "type_params", ()):
            self.visit(parameter)
        used: ast.Attribute | None = None
        me, check = "", "$inside"
        if not in_class:
            self._own_self, self._is_own_checked = saved
        elif (use := self_use(node)) is not None:
            self._first = me = use.me
            used = use.store
            if is_bound_only and is_harmless(node.name, use, self._class, self._foreign):
                self._own_self, self._is_own_checked, used = me, False, None
                first = node.decorator_list[0] if node.decorator_list else node
                self.unchecked.add((node.name, first.lineno))
            elif is_bound_only and not any(map(attributes.is_dunder, use.stored | use.loaded)):
                # One check at its entry, and `self` is the program's own.
                self._own_self, self._is_own_checked, used = me, False, used or use.load
                check = "$self"
            elif used is not None:
                self._own_self, self._is_own_checked = me, True
        self._in_function = node.name != "<module>"
        for index, statement in enumerate(node.body):
            node.body[index] = self.visit(statement)
        self._in_function, self._first = outer_function, outer_first
        if used is not None:
            checks.check_on_entry(node, used, me, check)
        (self._own_self, self._is_own_checked), self._is_class_body = saved, in_class
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    @override
    def visit_Lambda(self, node: Any) -> Any:
        """Check the parameters; the body is a function of its own."""
        saved = self._is_class_body, self._own_self, self._first
        self.visit(node.args)
        self._is_class_body, self._first = False, None
        node.body = self.visit(node.body)
        self._is_class_body, self._own_self, self._first = saved
        return node

    @override
    def visit_arg(self, node: Any) -> Any:
        """Check the parameter."""
        self._bind(node, node.arg)
        return self.descend(node)

    # ---- classes

    @override
    def visit_ClassDef(self, node: Any) -> Any:
        """Check the names and the special names of the body."""
        self._bind(node, node.name)
        saved = self._class, self._is_class_body, self._own_self, self._first, self._trust
        outer_function = self._in_function
        self._own_self = self._first = None
        for part in (node.decorator_list, node.bases, node.keywords):
            for index, item in enumerate(part):
                part[index] = self.visit(item)
        if parameters := getattr(node, "type_params", ()):
            self._refuse_mangled((*node.bases, *node.keywords, *parameters))
        for parameter in parameters:
            self.visit(parameter)
        self._class, self._is_class_body = node.name, True
        self._in_function = False  # `locals()` would show the plain functions of the class
        is_trusting = not (node.keywords or self._is_late)
        self._trust = MethodTrust(self._uses, node.name) if is_trusting else None
        for index, statement in enumerate(node.body):
            literals.vet_in_class(statement)
            node.body[index] = self.visit(statement)
        self._class, self._is_class_body, self._own_self, self._first, self._trust = saved
        self._in_function = outer_function
        return node

    def _refuse_mangled(self, parts: Iterable[ast.AST]) -> None:
        """Refuse private names in the head of a generic class: 3.12 spells them otherwise."""
        for item in (item for part in parts for item in ast.walk(part)):
            name = getattr(item, "attr", "")
            if attributes.mangled(name, "C") != name:
                self._refuse(item, f"attribute {name} here", "its spelling depends on the class")

    @override
    def visit_Name(self, node: Any) -> Any:
        """Check a name that is loaded or bound."""
        if self._is_class_body and node.id in attributes.CLASS_LITERALS:
            if not isinstance(node.ctx, ast.Store) or not literals.is_vetted(node):
                self._refuse(
                    node,
                    f"name {node.id}",
                    "it must be a literal of public or private names, without special ones",
                    "names that are written out",
                )
            return node
        if node.id == "super" and isinstance(node.ctx, ast.Load):
            self._refuse(
                node,
                "super without a call",
                "it could be called from another class",
                "super().method(...)",
            )
            return node
        return self._name(node)

    # ---- groups

    @override
    def visit_TryStar(self, node: Any) -> Any:
        """Let `except*` see plain groups only, and nothing run between that check and the match."""
        for handler in node.handlers:
            types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            if not all(isinstance(item, ast.Name) for item in types):
                self._refuse(
                    handler,
                    "except* with an expression",
                    "code could run between the check of the group and the match",
                    "the name of an error class, bound before",
                )
        self.descend(node)
        checks.check_group(node)
        return node

    # ---- imports

    @override
    def visit_Import(self, node: Any) -> Any:
        """Check the module names and what they bind."""
        for alias in node.names:
            self._module_name(node, alias.name)
            self._bind(node, alias.asname or alias.name.split(".")[0])
        return node

    @override
    def visit_ImportFrom(self, node: Any) -> Any:
        """Check the module name and what is bound."""
        if node.module == "__future__":
            return node
        self._module_name(node, node.module or "")
        for alias in node.names:
            if alias.name != "*":
                self._bind(node, alias.asname or alias.name)
                # Read without a check, of a module or of what else is imported by name.
                verdict = attributes.decide(alias.name, foreign_names=self._foreign)
                if attributes.is_dunder(alias.name) and verdict is not Verdict.PLAIN:
                    self._refuse(node, f"import of {alias.name}", *attributes.explain(alias.name))
        return node

    def _module_name(self, node: ast.AST, module: str) -> None:
        if any(part.startswith("_") for part in module.split(".")):
            self._refuse(
                node, f"import of {module}", "modules whose name begins with _ are private"
            )


#: Classes whose one positional pattern is the subject itself: no attribute is read.
_MATCH_SELF: Final = frozenset(
    words("bool bytearray bytes dict float frozenset int list set str tuple")
)


def _leave(_: Transformer, node: ast.AST) -> ast.AST:
    return node


_LEAVES: Final = frozenset(
    words(
        "Load Store Del And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor",
        "BitAnd FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn Constant",
        "Pass Break Continue TypeIgnore MatchSingleton",
    )
)


def _handlers() -> dict[type, Callable[[Any, Any], Any]]:
    handlers: dict[type, Callable[[Any, Any], Any]] = {}
    for row in BY_NODE.values():
        kind = getattr(ast, row.node, None)
        if kind is None or row.decision == "refused":
            continue
        if row.decision == "checked":
            handlers[kind] = getattr(Transformer, f"visit_{row.node}")
        else:
            handlers[kind] = _leave if row.node in _LEAVES else Transformer.descend
    return handlers


_HANDLERS: Final = _handlers()
