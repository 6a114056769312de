"""What the policy refuses by syntax, and what it leaves as it is."""

from __future__ import annotations

import ast
import dis

import pytest

from codemode.sandbox.language import PolicyRefusal, Views, compile_program
from codemode.sandbox.language.methods import Uses
from codemode.sandbox.language.transformer import Transformer

REFUSED = {
    "().__class__.__closure__": "attribute __closure__",
    "x = ().__class__.__flags__": "attribute __flags__",
    "(i for i in ()).gi_frame": "attribute gi_frame",
    "e.__traceback__": "attribute __traceback__",
    "f.__globals__": "attribute __globals__",
    "f.__code__": "attribute __code__",
    "f.__code__.co_consts": "attribute co_consts",
    "f.__code__.replace": "attribute __code__",
    "c = f.__code__; c.co_varnames": "attribute co_varnames",
    "f.__code__.co_name": "attribute __code__",
    "f.__code__.co_argcount = 1": "attribute __code__",
    "f._\uff3fglobals__": "attribute __globals__",
    "eval('1')": "eval()",
    "[exec][0]": "exec()",
    "print(globals())": "globals()",
    "print(locals())": "locals()",
    "def f():\n    class A: locals()['x'] = 1": "locals()",
    "import _thread": "import of _thread",
    "from os._x import y": "import of os._x",
    "__builtins__": "name __builtins__",
    "__builtins__ = {}": "name __builtins__",
    "import json as __builtins__": "name __builtins__",
    "for __loader__ in []: pass": "name __loader__",
    "def f(__spec__): pass": "name __spec__",
    "lambda __spec__: 0": "name __spec__",
    "try: pass\nexcept E as __spec__: pass": "name __spec__",
    "match {}:\n case {**__builtins__}: pass": "name __builtins__",
    "match 1:\n case __builtins__: pass": "name __builtins__",
    "match [1]:\n case [*__builtins__]: pass": "name __builtins__",
    "(__builtins__ := 1)": "name __builtins__",
    "def f():\n global __builtins__": "name __builtins__",
    "class A:\n def __del__(self): pass": "name __del__",
    "class A:\n def __init_subclass__(cls): pass": "name __init_subclass__",
    "class A:\n __class__ = int": "name __class__",
    "match x:\n case A(__class__=c): pass": "attribute __class__ in a class pattern",
    "match x:\n case str(format=f): pass": "attribute format in a class pattern",
    "try: pass\nexcept* f(): pass": "except* with an expression",
    "try: pass\nexcept* (ValueError, a.b): pass": "except* with an expression",
    "x.__class__ = A": "setting attribute __class__",
    "del x.__code__": "setting attribute __code__",
    "x.__traceback__ += 1": "setting attribute __traceback__",
    "f'{x:{x.__globals__}}'": "attribute __globals__",
    "s = super": "super without a call",
}


@pytest.mark.spec("SANDBOX 5.6", "SANDBOX 6.2", "SANDBOX 6.7")
@pytest.mark.parametrize(("source", "construct"), REFUSED.items(), ids=REFUSED.values())
def test_a_refusal_names_the_construct(source: str, construct: str) -> None:
    with pytest.raises(PolicyRefusal) as caught:
        compile_program(source)
    assert construct in {refusal.construct for refusal in caught.value.refusals}


@pytest.mark.spec("SANDBOX 7.2")
def test_all_refusals_of_a_program_come_at_once_with_line_and_column() -> None:
    with pytest.raises(PolicyRefusal) as caught:
        compile_program("x = 1\ny = x.__code__\n\nz = 1; eval('')\n")
    first, second = caught.value.refusals
    assert (first.line, first.column, second.line, second.column) == (2, 5, 4, 8)
    assert "the function itself" in str(first)
    assert str(caught.value) == f"{first}\n{second}"


ACCEPTED = [
    "d = {}\nd['a'] = d.get('a', 0) + 1\nd['a'] += 1",
    "class A:\n    _x = 1\n    def f(self): self._x += 1; return self.__y\n    __y = 2",
    "def f(*, _from=1, **_rest): return _from\nf(_from=2, _to=3)",
    "__version__ = '1'\nif __name__ == '__main__': pass",
    "from __future__ import annotations\nasync def f():\n    async with x as y:\n        async for z in y: yield z",
    "a, (b, *c) = 1, (2, 3)\nmatch a:\n    case [x, *_] | {'k': x}: pass\n    case A(y=z): pass",
    "def eval(x): return x\neval(1)",
    "try:\n    pass\nexcept ExceptionGroup as group:\n    group.exceptions",
]


@pytest.mark.spec("SANDBOX 5.1")
@pytest.mark.parametrize("source", ACCEPTED)
def test_ordinary_code_is_accepted(source: str) -> None:
    compile_program(source)


@pytest.mark.spec("SANDBOX 6.1", "SANDBOX 6.5")
def test_what_the_tree_decides_is_the_bytecode_of_plain_python(views: Views) -> None:
    source = (
        "class A:\n"
        "    def __init__(self, x):\n        self.x = x\n"
        "    def add(self, n):\n        self.x += n\n        return self.x\n"
        "def f(d, k, items):\n"
        "    d[k] += 1\n    for a, b in items:\n        print(f'{a!r:>3}', *b, **d)\n"
        "    return [i for i in items if i not in d]\n"
    )
    ours = compile_program(source, foreign_names=views.foreign_names).code

    plain = compile(source, "program.py", "exec", dont_inherit=True)
    assert _operations(ours) == _operations(plain)


def _operations(code: object) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for instruction in dis.get_instructions(code):  # type: ignore[arg-type]  # a code object
        if hasattr(instruction.argval, "co_code"):
            found += _operations(instruction.argval)
        else:
            found.append((instruction.opname, instruction.argval))
    return found


@pytest.mark.spec("SANDBOX 6.7")
def test_a_node_that_the_table_does_not_know_is_refused() -> None:
    class Novelty(ast.stmt):
        """A node of some later Python."""

    tree = ast.Module([Novelty(lineno=3, col_offset=0)], [])
    transformer = Transformer(Uses(tree), None)
    transformer.visit(tree)
    transformer.finish()
    (refusal,) = transformer.refusals
    assert refusal.line == 3
    assert "Novelty" in refusal.construct
