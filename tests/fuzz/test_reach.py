"""What a program can reach by the policy's own operations holds no forbidden object.

The invariant: from every name and every module that a program has, through `getattr` as the policy
gives it, through items, arguments of aliases, defaults and members, no path leads to a module, a frame,
a code object, a traceback, a namespace of the interpreter, the real `type` or an unchecked accessor.
The walk runs in a process of its own, since preparing an image changes the interpreter for good.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

WALK = r"""
import builtins, collections, os, sys, types
write, leave = os.write, os._exit  # the image replaces what a program can see
from codemode.sandbox.guest import image
image.prepare({"policy": "restricted"})
views = image._views
from codemode.sandbox.language import make_globals
from codemode.sandbox.language.refusals import DeniedError
namespace = make_globals(views)
builtin = namespace["__builtins__"]
look = builtin["getattr"]

real = {name: vars(builtins)[name] for name in ("getattr", "setattr", "delattr", "eval", "exec", "compile", "__import__", "globals", "locals", "type", "vars", "__build_class__")}
modules = {id(vars(module)) for module in sys.modules.values() if isinstance(module, types.ModuleType)}
kinds = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, types.CellType)
SEEN_MOST = 60_000

def forbidden(value):
    if isinstance(value, kinds):
        return type(value).__name__
    for name, held in real.items():
        if value is held:
            return "the real " + name
    if type(value) is dict and id(value) in modules:
        return "a module's namespace"
    if isinstance(value, type) and issubclass(value, type):
        return None if value in (type(builtin["type"]),) else "metaclass " + value.__name__ if callable(value) and value.__module__ not in ("abc", "enum", "typing") else None
    return None

def neighbours(value):
    for name in dir(value):
        if type(name) is not str:
            continue
        try:
            yield "." + name, look(value, name)
        except Exception:
            continue
    if type(value) in (list, tuple, set, frozenset, collections.deque):
        for index, item in enumerate(list(value)[:200]):
            yield f"[{index}]", item
    elif isinstance(value, (dict, types.MappingProxyType)) and type(value).__module__ in ("builtins", "collections"):
        for key, item in list(value.items())[:200]:
            yield f"[{key!r:.40}]", item
    if isinstance(value, type) and type(value) is type and value.__module__ not in ("threading",):
        try:
            yield "()", value()
        except BaseException:
            pass

found, kept, seen = [], [], set()
todo = collections.deque((name, value) for name, value in builtin.items() if name not in ("__build_class__", "__import__"))
todo.extend((f"<{name}>", view) for name, view in views.modules.items())
while todo and len(seen) < SEEN_MOST:
    path, value = todo.popleft()
    if id(value) in seen or path.count(".") > 3:
        continue
    seen.add(id(value))
    kept.append(value)
    why = forbidden(value)
    if why:
        found.append(f"{path}: {why}")
        continue
    if type(value) in (int, float, str, bytes, bool, complex, type(None)):
        continue
    try:
        todo.extend((path + step, item) for step, item in neighbours(value))
    except DeniedError:
        continue
write(1, ("\n".join(found) + f"\nwalked {len(seen)}\n").encode())
leave(0)  # the interpreter's own end would wait for locks that the walk has taken
"""


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
def test_no_path_of_open_names_leads_to_a_forbidden_object() -> None:
    walked = subprocess.run(  # our own text
        [sys.executable, "-c", WALK], capture_output=True, text=True, timeout=120, check=False
    )
    assert walked.returncode == 0, walked.stderr[-2_000:]
    *found, last = walked.stdout.strip().splitlines()
    assert [line for line in found if line] == []
    assert int(last.removeprefix("walked ")) > 5_000
