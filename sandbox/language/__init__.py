"""The language policy: what programs may say, and what they find when they run."""

from codemode.sandbox.language.compile import Compiled, compile_program
from codemode.sandbox.language.namespace import make_globals
from codemode.sandbox.language.refusals import DeniedError, PolicyRefusal, Refusal
from codemode.sandbox.language.views import Provider, Views, build_views

__all__ = [
    "Compiled",
    "DeniedError",
    "PolicyRefusal",
    "Provider",
    "Refusal",
    "Views",
    "build_views",
    "compile_program",
    "make_globals",
]
