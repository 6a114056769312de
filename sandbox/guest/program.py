"""Runs the one program of a guest, and says how it ended.

Everything that the program does wrong becomes one message to the host. Must never let an exception
pass, and never show a frame of its own.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
import traceback
from types import FrameType
from typing import Any, NoReturn

from codemode.sandbox.bridge.errors import TooManyError, WireError
from codemode.sandbox.bridge.messages import OUT_OF_MEMORY, Run
from codemode.sandbox.guest import (
    errors,
    handles,
    loop,
    present,
    recursion,
    scratch,
    sealed,
    threads,
)
from codemode.sandbox.guest.bindings import Caller
from codemode.sandbox.guest.chance import CHANCE
from codemode.sandbox.guest.console import PRINTED, STDERR, flush, program_input, program_print
from codemode.sandbox.guest.namespaces import bind, importable, program_help
from codemode.sandbox.guest.port import Port, encode
from codemode.sandbox.guest.records import RECORDS
from codemode.sandbox.guest.scheduler import SCHEDULER
from codemode.sandbox.language.compile import Compiled, compile_program
from codemode.sandbox.language.namespace import make_globals
from codemode.sandbox.language.refusals import PolicyRefusal
from codemode.sandbox.language.views import Views
from codemode.sandbox.limits import passed
from codemode.sandbox.values import InvalidValueError, snapshot


def run_program(port: Port, views: Views) -> NoReturn:
    """Wait for the program, run it, report its end, and end the process."""
    run = port.receive_run()
    SCHEDULER.attach(port)
    try:
        Runner(port, run, views).run()
    except MemoryError:
        # No memory to say so, perhaps in the middle of a frame: the exit status says it.
        os._exit(OUT_OF_MEMORY)


def _is_ordinary(end: SystemExit) -> bool:
    """Whether the program ended well by its own word, which may be anything."""
    try:
        code: Any = end.code
    except Exception:  # noqa: BLE001  # a property of the program's
        return False
    return code is None or (isinstance(code, int) and int.__index__(code) == 0)


class Runner:
    """One run, from the message that starts it to the message that ends it."""

    def __init__(self, port: Port, run: Run, views: Views) -> None:
        self._port = port
        self._run = run
        self._views = views
        self._limits = run.limits

    def run(self) -> NoReturn:
        """See `run_program`."""
        run = self._run
        SCHEDULER.on_deadlock = self._deadlock
        PRINTED.anything = False
        SCHEDULER.on_lost = self._report_lost
        threads.exception_hook = self._report_thread
        CHANCE.begin(run.seed, run.clock)
        if run.clock is not None and "datetime" in self._views.modules:
            present.move(object.__getattribute__(self._views.modules["datetime"], "__dict__"))
        errors.register_source(run.filename, run.source)
        compiled = self._compile()
        if run.policy == "none":
            sealed.unseal()
        self._install_scratch()
        namespace = self._namespace()
        recursion.make_room(inspect.currentframe())
        try:
            coroutine = compiled.start(namespace)
            if coroutine is not None:
                loop.run(coroutine)
            threads.join_threads()
        except SystemExit as error:
            if not _is_ordinary(error):
                flush()
                self._fail(error)
        except BaseException as error:  # noqa: BLE001  # whatever it is, the host must hear of it
            flush()
            if isinstance(error, MemoryError):
                namespace.clear()  # what the program holds may be all there is
            self._fail(error)
        flush()
        self._end(compiled, namespace)

    def _compile(self) -> Compiled:
        run = self._run
        try:
            return compile_program(
                run.source,
                filename=run.filename,
                policy=run.policy,
                foreign_names=self._views.foreign_names,
            )
        except PolicyRefusal as refusal:
            lines = run.source.splitlines()
            shown = [
                f"{one}\n    {lines[one.line - 1].strip()}"
                if 0 < one.line <= len(lines)
                else str(one)
                for one in refusal.refusals
            ]
            self._port.fail(
                errors.plain("policy", "\n".join(shown), line=max(refusal.refusals[0].line, 1))
            )
        except SyntaxError as error:
            self._port.fail(errors.describe_syntax(error, run.filename))

    def _install_scratch(self) -> None:
        """Put the scratch tree under the program's file functions.

        Without the policy the program is plain Python in a jail: it meets the kernel's own answers,
        unless the host has placed files for it or wants some back.
        """
        run = self._run
        if run.policy == "none" and not run.files and not run.artifacts:
            scratch.uncover()
            return
        try:
            scratch.install(
                max_bytes=self._limits["scratch_bytes"],
                max_files=self._limits["scratch_files"],
                inputs=run.files,
                seed=run.seed,
            )
        except OSError as error:
            self._port.fail(errors.plain("limit", f"the input files cannot be placed: {error}"))

    def _namespace(self) -> dict[str, Any]:
        run = self._run
        error_class = errors.call_error_class(run.error_name)
        names = bind(run.bindings, Caller(error_class, run.filename))
        spaces = importable(names)
        names[run.error_name] = error_class
        if run.policy == "none":
            sys.modules.update({**spaces, **sys.modules})
        namespace = make_globals(
            self._views,
            print_=program_print,
            bindings=names,
            # A module of the standard library wins over a namespace of its name.
            modules={name: one for name, one in spaces.items() if name not in self._views.modules},
            filename=run.filename,
            policy=run.policy,
        )
        namespace["__builtins__"].update(input=program_input, help=program_help)
        return namespace

    def _end(self, compiled: Compiled, namespace: dict[str, Any]) -> NoReturn:
        """Report a program that came to its end: forgotten calls, files, result."""
        if handles.DROPPED:
            line, name = handles.DROPPED[0]
            message = f"{errors.ForgottenAwaitError.__name__}: {handles.forgotten(line, name)}"
            self._port.fail(errors.plain("exception", message, line=line))
        has_result, value = compiled.result(namespace, printed=PRINTED.anything)
        if value is None and compiled.form == "module":
            has_result = False  # a last call that gives nothing, such as print()
        packed = self._encode_result(value, compiled) if has_result else None
        self._report_scratch()
        self._hand_over_artifacts()
        self._port.end(packed)

    def _encode_result(self, value: Any, compiled: Compiled) -> bytes | None:
        try:
            packed = encode(value)
        except TooManyError as error:
            self._port.fail(errors.plain("invalid_output", f"the result has {error}"))
        except WireError:
            try:
                snapshot(value, freeze=False, max_depth=self._limits["nesting"], records=RECORDS)
                fault = f"nested deeper than {self._limits['nesting']} levels"
            except InvalidValueError as error:
                fault = str(error)
            message = f"the result is not JSON: {fault}"
            # A value that merely stands last was perhaps not meant as the result: the output was.
            if compiled.form == "module" and PRINTED.anything:
                self._port.notice(errors.bounded(message, 500))
                return None
            self._port.fail(errors.plain("invalid_output", message))
        if len(packed) > self._limits["result_bytes"]:
            message = passed("result_bytes", self._limits["result_bytes"])
            self._port.fail(errors.plain("limit", message, limit="result_bytes"))
        return packed

    def _report_scratch(self) -> None:
        """Tell the host of limits that were passed: the program has perhaps not seen any error."""
        for text in scratch.notices():
            self._port.notice(text)

    def _hand_over_artifacts(self) -> None:
        if not self._run.artifacts:
            return
        try:
            found = scratch.collect(self._run.artifacts)
        except OSError as error:
            self._fail(error)
        for path, data in found.items():
            self._port.artifact(path, data)

    def _fail(self, error: BaseException) -> NoReturn:
        """Report an exception that the program let pass."""
        self._report_scratch()
        if isinstance(error, MemoryError):
            traceback.clear_frames(error.__traceback__)  # what they hold may be all there is
            message = passed("memory_bytes", self._limits["memory_bytes"])
            line = errors.last_line(error.__traceback__, self._run.filename)
            trace = errors.describe(error, self._run.filename).traceback
            self._port.fail(
                errors.plain("memory_limit", message, line=line, limit="memory_bytes", trace=trace)
            )
        described = errors.describe(error, self._run.filename)
        limit = scratch.limit_of(error)
        if limit is not None:
            described = errors.plain(
                "limit",
                passed(limit, self._limits[limit]),
                line=described.line,
                limit=limit,
                trace=described.traceback,
            )
        self._port.fail(described)

    def _report_thread(self, thread: threads.Thread, info: Any) -> None:
        trace = errors.describe(info[1], self._run.filename).traceback
        try:
            sys.stderr.write(f"Exception in thread {thread.name}:\n{trace}")
        except BaseException:  # noqa: BLE001  # a stream or a name of the program's; the thread ends
            STDERR.write(f"Exception in a thread:\n{trace}")

    def _report_lost(self, error: BaseException) -> None:
        trace = errors.describe(error, self._run.filename).traceback
        STDERR.write(f"Exception in a thread:\n{trace}")

    def _deadlock(self) -> NoReturn:
        """Report that every strand waits and nothing can come."""
        frames = [frame for frame, _ in self._waiting_frames()]
        own = [frame for frame in frames if frame.f_code.co_filename == self._run.filename]
        lines = [(frame, frame.f_lineno) for frame in own]
        shown = traceback.StackSummary.extract(iter(lines)).format()
        self._port.fail(
            errors.plain(
                "deadlock",
                "the program waits for something that can never happen: no call is outstanding, no"
                " timer is set, and no thread can go on",
                line=lines[-1][1] if lines else None,
                trace="Waiting here (most recent call last):\n" + "".join(shown) if shown else "",
            )
        )

    def _waiting_frames(self) -> list[tuple[FrameType, int]]:
        """Where the program itself waits, outermost first."""
        main = SCHEDULER.main
        own = inspect.currentframe()
        frame = own if SCHEDULER.current is main else main.lane.gr_frame
        stack = list(traceback.walk_stack(frame))[::-1]
        for task in asyncio.all_tasks(loop.latest()) if loop.latest() else ():
            coroutine: Any = task.get_coro()
            while coroutine is not None and getattr(coroutine, "cr_frame", None) is not None:
                stack.append((coroutine.cr_frame, coroutine.cr_frame.f_lineno))
                coroutine = coroutine.cr_await
            break
        return stack
