"""From a program's text to code that the guest can run, with the way to its result.

`return` at the top level makes the program the body of a function whose top-level names are global;
otherwise the value of the last expression is the result, or that of a last plain assignment
when nothing was printed. All refusals of a program are raised at once; nothing is run here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Coroutine, Iterable, Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any, Final, Literal

from codemode.sandbox.language.methods import PROPERTY_PARTS, Uses
from codemode.sandbox.language.ownership import UNCHECKED
from codemode.sandbox.language.refusals import PolicyRefusal, Refusal
from codemode.sandbox.language.toplevel import as_function, has_return, mark_result, show_values
from codemode.sandbox.language.transformer import Transformer
from codemode.sandbox.program import Policy

_RESULT: Final = "$result"
_ASSIGNED: Final = "$assigned"
#: What each value goes to at a prompt.
SHOW: Final = "$show"
_MAIN: Final = "<module>"
_COROUTINE: Final = 0x80
#: Where the interpreter ends a line; `str.splitlines` knows more ends.
_LINE_END: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A program ready to run in a namespace of `make_globals`.

    Attributes:
        code: Of the module, or of the definition of a function when `form` is "function".
        form: Where the result comes from.
        is_async: The program awaits at its top level.
        unchecked: Name and line of the functions that trust their first parameter.
    """

    code: CodeType
    form: Literal["module", "function"]
    is_async: bool
    unchecked: frozenset[tuple[str, int]] = frozenset()

    def start(self, namespace: dict[str, Any]) -> Coroutine[Any, Any, None] | None:
        """Run a plain program to its end; for an asynchronous one give the coroutine to drive."""
        UNCHECKED.update(self.unchecked)
        if self.form == "function":
            exec(self.code, namespace)  # noqa: S102 - running programs is what this is for
            main = namespace.pop(_MAIN)
            if self.is_async:
                return _keep(main(), namespace)
            namespace[_RESULT] = main()
            return None
        if self.is_async:
            started: Coroutine[Any, Any, None] = eval(self.code, namespace)  # noqa: S307 - as above
            return started
        exec(self.code, namespace)  # noqa: S102 - as above
        return None

    def result(self, namespace: dict[str, Any], *, printed: bool) -> tuple[bool, Any]:
        """Whether the finished program has a result, and the result.

        Args:
            namespace: The one that `start` was given.
            printed: Whether anything was printed, which makes a last assignment no result.
        """
        if _RESULT in namespace:
            return True, namespace[_RESULT]
        if _ASSIGNED in namespace and not printed:
            return True, namespace[_ASSIGNED]
        return False, None


async def _keep(main: Coroutine[Any, Any, Any], namespace: dict[str, Any]) -> None:
    namespace[_RESULT] = await main


def compile_program(
    source: str,
    *,
    filename: str = "program.py",
    policy: Policy = "restricted",
    foreign_names: frozenset[str] | None = None,
    is_prompt: bool = False,
) -> Compiled:
    """Parse, check and compile one program.

    Args:
        source: Python text.
        filename: Given to the code objects, so that tracebacks name it.
        policy: "none" compiles plain Python with the same rules for the result.
        foreign_names: `Views.foreign_names`; None checks every underscore name at run time, and
            trusts fewer methods.
        is_prompt: For text that the running program holds, as if it were typed at a prompt: the
            value of each expression goes to `$show`. Methods that the program trusts to be
            called bound are read with a check, since nothing of this text was seen before.

    Raises:
        SyntaxError: As the interpreter reports it; also for text it cannot parse at all.
        PolicyRefusal: The policy refuses something; every refusal is in it.
    """
    tree = parse(source, filename)
    form: Literal["module", "function"] = "module"
    is_async = False
    if is_prompt:
        show_values(tree.body, SHOW)
    elif has_return(tree):
        form = "function"
        tree, is_async = as_function(tree, _MAIN)
    else:
        mark_result(tree, _RESULT, _ASSIGNED)
    unchecked: frozenset[tuple[str, int]] = frozenset()
    if policy == "restricted":
        trusted = PROPERTY_PARTS.union(name for name, _ in UNCHECKED) if is_prompt else None
        unchecked = check(tree, foreign_names, source, trusted)
    try:
        code = compile(
            tree, filename, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
    except (RecursionError, MemoryError, ValueError) as error:
        raise SyntaxError(f"the program is nested too deeply or is no text: {error}") from None
    is_async = is_async or bool(code.co_flags & _COROUTINE)
    return Compiled(code=code, form=form, is_async=is_async, unchecked=unchecked)


def parse(source: str, filename: str) -> ast.Module:
    """The tree of `source`.

    Raises:
        SyntaxError: Also where the interpreter itself would give up with another error.
    """
    try:
        return ast.parse(source, filename, "exec")
    except (RecursionError, MemoryError):
        raise SyntaxError("the program is nested too deeply to be parsed") from None
    except (ValueError, UnicodeEncodeError) as error:
        raise SyntaxError(f"the program is not valid text: {error}") from None


def check(
    tree: ast.Module,
    foreign_names: frozenset[str] | None,
    source: str,
    trusted: frozenset[str] | None = None,
) -> frozenset[tuple[str, int]]:
    """Apply the language policy to the tree of `source`, in place; gives `Compiled.unchecked`.

    Raises:
        PolicyRefusal: With every refusal.
        SyntaxError: The tree is nested too deeply to be checked.
    """
    transformer = Transformer(Uses(tree), foreign_names, trusted)
    try:
        transformer.visit(tree)
    except RecursionError:
        raise SyntaxError("the program is nested too deeply to be checked") from None
    transformer.finish()
    if transformer.refusals:
        raise PolicyRefusal(tuple(_in_characters(transformer.refusals, source)))
    return frozenset(transformer.unchecked)


def _in_characters(refusals: Iterable[Refusal], source: str) -> Iterator[Refusal]:
    """The refusals with columns that count characters; a tree counts bytes of UTF-8."""
    lines = _LINE_END.split(source)
    for refusal in refusals:
        line = lines[refusal.line - 1] if refusal.line <= len(lines) else ""
        before = line.encode("utf-8", "surrogatepass")[: refusal.column - 1]
        yield replace(refusal, column=len(before.decode("utf-8", "replace")) + 1)
