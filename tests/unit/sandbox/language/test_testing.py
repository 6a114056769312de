"""Test cases that programs define and run themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError

Run = Callable[[str], Any]

CASES = """
import unittest

class Sums(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.base = 1
    def setUp(self): self.addCleanup(done.append, self.id())
    def test_sum(self): self.assertEqual(self.base + 1, 2)
    def test_wrong(self): self.assertEqual([1, 2], [1, 3])
    def test_broken(self): {}["k"]
    def test_parts(self):
        for part in range(3):
            with self.subTest(part=part): self.assertNotEqual(part, 1)
    def test_raises(self):
        with self.assertRaisesRegex(ValueError, "invalid") as caught: int("x")
        self.assertIsInstance(caught.exception, ValueError)
    def test_logs(self):
        import logging
        with self.assertLogs("a") as logs: logging.getLogger("a").warning("m")
        self.assertEqual(logs.output, ["WARNING:a:m"])
    @unittest.skip("later")
    def test_later(self): pass
    @unittest.skipIf(False, "never")
    def test_now(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    def helper(self): raise AssertionError

done = []
"""


@pytest.mark.spec("SANDBOX 5.4")
def test_cases_are_found_run_and_counted(run: Run) -> None:
    ran = run(
        CASES + "import io\nout = io.StringIO()\n"
        "suite = unittest.TestLoader().loadTestsFromTestCase(Sums)\n"
        "count = suite.countTestCases()\n"
        "result = unittest.TextTestRunner(stream=out, verbosity=2).run(suite)\n"
        "count, result.testsRun, [len(x) for x in (result.failures, result.errors, result.skipped, result.expectedFailures)], len(done), out.getvalue()"
    )
    count, tests_run, parts, cleaned, text = ran.result
    assert (count, parts, cleaned) == (9, [2, 1, 1, 1], 8)
    assert tests_run in (8, 9)  # since 3.12.1 a skipped test is counted again
    assert "test_sum (__main__.Sums.test_sum) ... ok\n" in text
    assert "First differing element 1:\n2\n3\n" in text
    assert "FAILED (failures=2, errors=1, skipped=1, expected failures=1)" in text
    assert "codemode" not in text


@pytest.mark.spec("SANDBOX 5.4", "SANDBOX 5.1")
def test_main_runs_the_program_s_cases_and_ends_it_with_what_came_of_them(run: Run) -> None:
    program = (
        "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): self.assertTrue({value})\n"
        "class B(unittest.TestCase):\n    def test_b(self): pass\nunittest.main({options})"
    )
    is_number = sys.version_info >= (3, 12)
    for value, code in ((1, 0 if is_number else False), (0, 1 if is_number else True)):
        with pytest.raises(SystemExit) as ended:
            run(program.format(value=value, options="argv=['x']"))
        assert ended.value.code is code
    went_on = run(
        program.format(value=0, options="argv=['x', 'B.test_b'], exit=False") + ".result.testsRun"
    )
    assert went_on.result == 1


@pytest.mark.spec("SANDBOX 5.4", "SANDBOX 5.8")
def test_an_asynchronous_case_runs(run: Run) -> None:
    program = (
        "import asyncio, unittest\nclass A(unittest.IsolatedAsyncioTestCase):\n"
        "    async def asyncSetUp(self): self.x = await asyncio.sleep(0, 3)\n"
        "    async def test_x(self): self.assertEqual(self.x, 3)\n"
        "result = unittest.TestResult()\nunittest.defaultTestLoader.loadTestsFromTestCase(A).run(result)\n"
        "result.testsRun, result.wasSuccessful()"
    )
    assert run(program).result == (1, True)


def test_a_result_of_the_program_s_own_hears_of_each_test(run: Run) -> None:
    program = (
        "import io, unittest\nclass Mine(unittest.TextTestResult):\n"
        "    def addSuccess(self, test): heard.append(test.id())\n"
        "class A(unittest.TestCase):\n    def test_a(self): pass\n"
        "heard = []\nunittest.TextTestRunner(stream=io.StringIO(), resultclass=Mine).run(unittest.TestSuite([A('test_a')]))\nheard"
    )
    assert run(program).result == ["__main__.A.test_a"]


def test_a_suite_runs_without_a_result(run: Run) -> None:
    program = (
        "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): heard.append(self.id())\n"
        "heard = []\nunittest.TestSuite([A('test_a')]).debug()\nheard"
    )
    assert run(program).result == ["__main__.A.test_a"]


@pytest.mark.spec("SANDBOX 5.4")
def test_values_are_compared_by_a_function_of_the_case_and_by_its_name(run: Run) -> None:
    program = (
        "import unittest\nclass A(unittest.TestCase):\n    def runTest(self):\n"
        "        self.addTypeEqualityFunc(list, '_same')\n"
        "        self.addTypeEqualityFunc(set, self._same)\n"
        "        self.assertEqual([1], [2])\n        self.assertEqual({1}, {2})\n"
        "        self.assertEqual((1,), (1,))\n"
        "    def _same(self, one, other, msg=None): heard.append((one, other))\n"
        "heard = []\nresult = A().run()\nheard, result.wasSuccessful()"
    )
    assert run(program).result == ([([1], [2]), ({1}, {2})], True)


CLOSED = {
    "a method of a suite with a class": "class A: pass\nclass S(unittest.TestSuite): pass\nS()._handleClassSetUp(A, unittest.TestResult())",
    "a suite that gives a class": "class A: pass\nclass S(unittest.TestSuite):\n    def __iter__(self): return iter([A])\nS().run(unittest.TestResult())",
    "a program that is none": "unittest.main.__init__(unittest.defaultTestLoader, argv=['x'], exit=False)",
    "a context that is none": "class A: logger = None\nkind = type(unittest.TestCase().assertLogs())\nkind.__exit__(A(), None, None, None)",
    "a mark on a module": "unittest.skip('x')(unittest)",
    "a test by a special name": "unittest.TestCase('__class__')",
    "a test that is none": "unittest.TestSuite([print])",
    "a test that is put in": "class S(unittest.TestSuite):\n    def f(self): self._tests.append(print)\ns = S()\ns.f()\ns.run(unittest.TestResult())",
    "a result that is none": "unittest.TestSuite().run(print)",
    "a result by its class": "unittest.TextTestRunner(resultclass=lambda *_: print).run(unittest.TestSuite())",
    "a class of the library": "unittest.TestLoader().loadTestsFromTestCase(unittest.TestCase)",
    "a function of the library by name": "unittest.TestLoader().loadTestsFromName('os.getcwd')",
    "the format method of a stream": "import io\nclass S(io.StringIO): format = '{0.__class__}'.format\nunittest.TextTestRunner(stream=S()).stream.format(1)",
    "a mark on a class of the library": "unittest.skip('x')(unittest.TestCase)",
    "a mark on a function of the library": "unittest.expectedFailure(len)",
    "the namespace of the library": "unittest.case",
}


@pytest.mark.spec("SANDBOX 6.5", "SANDBOX 6.6")
@pytest.mark.parametrize("road", CLOSED)
def test_the_library_s_own_roads_are_closed(run: Run, road: str) -> None:
    with pytest.raises((DeniedError, TypeError, AttributeError)):
        run(f"import unittest\n{CLOSED[road]}")


@pytest.mark.spec("SANDBOX 5.6")
def test_what_is_not_there_says_what_to_use(run: Run) -> None:
    for source in ("from unittest.mock import patch", "from unittest import mock"):
        with pytest.raises(ImportError, match=r"functions and classes of your own"):
            run(source)
