"""`unittest` for programs: the library's own cases and reports, on what is the program's.

The library's loader imports by name and calls what it finds there, its suites write to the class of
whatever they are given, and its decorators write to anything. Here cases, suites and results are
what they say they are, and tests are found in the program alone. `unittest.mock` is not there: it
replaces attributes of modules. Source: the documentation of `unittest`.
"""

from __future__ import annotations

import importlib
import sys
import unittest
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, SimpleNamespace
from typing import Any, Final

from codemode.sandbox.language import attributes
from codemode.sandbox.language.hardened.kinds import check_test
from codemode.sandbox.language.ownership import (
    PROGRAM_MODULE,
    exact_type,
    expect,
    is_class,
    is_own,
    is_own_class,
)
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.language.spelling import exact
from codemode.sandbox.language.stand_ins import has_stand_in
from codemode.sandbox.marks import override

importlib.import_module("unittest._log")  # which `assertLogs` would load when it is first called

#: Tells the library that frames of this module are none of the test's.
__unittest = True

#: What a suite makes for `debug()`.
_DebugResult: Final = vars(unittest.suite)["_DebugResult"]
TestResult = unittest.TestResult
TextTestResult = unittest.TextTestResult


def _test_name(name: object) -> str:
    text = exact(name)
    if not attributes.is_open(text):
        raise denied(f"a test called {text!r}", "it is no public or private name")
    return text


class TestCase(unittest.TestCase):
    """As `unittest.TestCase`."""

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(_test_name(methodName))

    @override
    def _getAssertEqualityFunc(self, first: Any, second: Any) -> Any:
        # It looks up the kind of both in what the test says: of classes that is no common one.
        if has_stand_in(exact_type(first)):
            return getattr(self, "_baseAssertEqual")  # noqa: B009  # not in the stubs either
        look: Any = getattr(super(), "_getAssertEqualityFunc")  # noqa: B009  # as above
        return look(first, second)

    @override
    def run(self, result: Any = None) -> Any:
        """Run the test, and collect what came of it."""
        return super().run(None if result is None else _result(result))


class IsolatedAsyncioTestCase(unittest.IsolatedAsyncioTestCase, TestCase):
    """As `unittest.IsolatedAsyncioTestCase`, on the guest's event loop."""


def _about_a_test(name: str) -> Callable[..., Any]:
    """A method of the library's suites that looks at the class of a test."""
    method = vars(unittest.TestSuite)[name]

    def look(self: Any, test: Any, result: Any) -> Any:
        return method(self, check_test(test), _result(result))

    return look


class TestSuite(unittest.TestSuite):
    """As `unittest.TestSuite`."""

    @override
    def addTest(self, test: Any) -> None:
        """Add a case or a suite."""
        super().addTest(check_test(test))

    @override
    def __iter__(self) -> Iterator[Any]:
        return map(check_test, super().__iter__())

    @override
    def run(self, result: Any, debug: bool = False) -> Any:
        """Run all of it."""
        return super().run(_result(result), debug)

    # Of a class, the class that these compare and remember would be the real `type`.
    _tearDownPreviousClass = _about_a_test("_tearDownPreviousClass")
    _handleModuleFixture = _about_a_test("_handleModuleFixture")
    _handleClassSetUp = _about_a_test("_handleClassSetUp")


def _lines_to(stream: Any) -> SimpleNamespace:
    """What a runner writes to: the library's own answers with any attribute of the stream.

    A result of the program's gets it, so it holds nothing.
    """
    write: Callable[[str], Any] = stream.write
    flush: Callable[[], Any] = getattr(stream, "flush", _nothing)

    def write_line(text: str | None = None) -> None:
        if text:
            write(text)
        write("\n")

    return SimpleNamespace(write=write, writeln=write_line, flush=flush)


def _nothing() -> None:
    pass


class TextTestRunner(unittest.TextTestRunner):
    """As `unittest.TextTestRunner`."""

    def __init__(self, stream: Any = None, *arguments: Any, **keywords: Any) -> None:
        super().__init__(None, *arguments, **keywords)
        self.stream: Any = _lines_to(sys.stderr if stream is None else stream)

    @override
    def _makeResult(self) -> Any:
        return _result(super()._makeResult())

    @override
    def run(self, test: Any) -> Any:
        """Run a case or a suite, and report."""
        return super().run(check_test(test))


def _result(value: Any) -> Any:
    if not isinstance(value, (TestResult, _DebugResult)):
        raise TypeError(f"{value!r} is no result")
    return value


class TestLoader:
    """As `unittest.TestLoader`: it finds the tests of the program."""

    testMethodPrefix = "test"
    sortTestMethodsUsing: Any = None
    suiteClass = TestSuite

    def getTestCaseNames(self, testCaseClass: Any) -> list[str]:
        """The names of the tests of a class, in order."""
        kind = _case_class(testCaseClass)
        prefix = exact(self.testMethodPrefix)
        return sorted(
            name
            for name in dir(kind)
            if name.startswith(prefix)
            and attributes.is_open(name)
            and callable(getattr(kind, name, None))
        )

    def loadTestsFromTestCase(self, testCaseClass: Any) -> TestSuite:
        """A suite of the tests of a class."""
        kind = _case_class(testCaseClass)
        names = self.getTestCaseNames(kind)
        if not names and hasattr(kind, "runTest"):
            names = ["runTest"]
        return self.suiteClass(map(kind, names))

    def loadTestsFromModule(self, *_: Any, **__: Any) -> TestSuite:
        """A suite of all tests of the program, whatever module is named."""
        found = [value for _, value in sorted(_program().items()) if _is_case_class(value)]
        return self.suiteClass(map(self.loadTestsFromTestCase, dict.fromkeys(found)))

    def loadTestsFromName(self, name: Any, module: Any = None) -> TestSuite:
        """A suite of one class of the program, or of one of its tests."""
        first, _, rest = exact(name).removeprefix(f"{PROGRAM_MODULE}.").partition(".")
        kind: Any = _program().get(first)
        if not _is_case_class(kind):
            raise AttributeError(f"the program has no test case {first!r}")
        return self.suiteClass([kind(rest)]) if rest else self.loadTestsFromTestCase(kind)

    def loadTestsFromNames(self, names: Iterable[Any], module: Any = None) -> TestSuite:
        """A suite of several classes or tests."""
        return self.suiteClass([self.loadTestsFromName(name) for name in names])


def _program() -> dict[str, Any]:
    return vars(sys.modules[PROGRAM_MODULE])


def _is_case_class(value: Any) -> bool:
    return is_class(value) and is_own_class(value) and issubclass(value, TestCase)


def _case_class(value: Any) -> Any:
    if not _is_case_class(value):
        raise TypeError(f"{value!r} is no test case of the program's")
    return value


_LOADER: Final = TestLoader()
#: Options of the command line of `unittest` that mean something here, by what they set.
_VERBOSITY: Final = {"-v": 2, "--verbose": 2, "-q": 0, "--quiet": 0}


class TestProgram:
    """`unittest.main`: run the tests of the program, and end it with what came of them.

    Attributes:
        result: What came of the tests.
    """

    def __init__(
        self,
        module: Any = PROGRAM_MODULE,
        defaultTest: Any = None,
        argv: Any = None,
        testRunner: Any = None,
        testLoader: Any = None,
        exit: bool = True,
        verbosity: int = 1,
        failfast: Any = None,
        catchbreak: Any = None,
        buffer: Any = None,
        warnings: Any = None,
        **_: Any,
    ) -> None:
        expect(self, TestProgram)  # a method of a class is called with anything
        arguments = [exact(one) for one in (sys.argv if argv is None else argv)][1:]
        names = [one for one in arguments if not one.startswith("-")]
        if not names and defaultTest is not None:
            names = [defaultTest] if isinstance(defaultTest, str) else list(defaultTest)
        for one in arguments:
            verbosity = _VERBOSITY.get(one, verbosity)
        loader = _LOADER if testLoader is None else testLoader
        tests = loader.loadTestsFromNames(names) if names else loader.loadTestsFromModule(module)
        runner: Any = TextTestRunner if testRunner is None else testRunner
        if is_class(runner):
            runner = runner(
                verbosity=verbosity,
                failfast=bool(failfast) or "-f" in arguments,
                buffer=bool(buffer) or "-b" in arguments,
                warnings=warnings,
            )
        self.result = runner.run(tests)
        if exit:
            has_failed = not self.result.wasSuccessful()
            is_empty = not (self.result.testsRun or self.result.skipped)
            is_number = sys.version_info >= (3, 12)
            sys.exit((5 if is_empty else int(has_failed)) if is_number else has_failed)


def _on_own(decorate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`decorate`, which marks a class or a function, for the program's own."""

    def mark(test_item: Any) -> Any:
        if not is_own(test_item):
            raise denied("marking this as a test", "it belongs to the interpreter")
        return decorate(test_item)

    return mark


def skip(reason: Any) -> Any:
    """As `unittest.skip`."""
    if type(reason) is FunctionType:  # used without a reason
        return _on_own(unittest.skip(""))(reason)
    return _on_own(unittest.skip(reason))


def skip_if(condition: Any, reason: Any) -> Any:
    """As `unittest.skipIf`."""
    return skip(reason) if condition else _same


def skip_unless(condition: Any, reason: Any) -> Any:
    """As `unittest.skipUnless`."""
    return _same if condition else skip(reason)


def _same(test_item: Any) -> Any:
    return test_item


def expected_failure(test_item: Any) -> Any:
    """As `unittest.expectedFailure`."""
    return _on_own(unittest.expectedFailure)(test_item)


for _kind, _home in {
    TestCase: "case",
    IsolatedAsyncioTestCase: "async_case",
    TestSuite: "suite",
    TextTestRunner: "runner",
    TestLoader: "loader",
    TestProgram: "main",
}.items():
    _kind.__module__ = f"unittest.{_home}"

#: What programs know as `unittest`.
UNITTEST: Final[dict[str, Any]] = {
    "IsolatedAsyncioTestCase": IsolatedAsyncioTestCase,
    "SkipTest": unittest.SkipTest,
    "TestCase": TestCase,
    "TestLoader": TestLoader,
    "TestProgram": TestProgram,
    "TestResult": TestResult,
    "TestSuite": TestSuite,
    "TextTestResult": TextTestResult,
    "TextTestRunner": TextTestRunner,
    "defaultTestLoader": _LOADER,
    "expectedFailure": expected_failure,
    "main": TestProgram,
    "skip": skip,
    "skipIf": skip_if,
    "skipUnless": skip_unless,
}
