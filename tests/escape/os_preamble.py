"""In front of the attacks of the layer `os`: plain Python in the jail, as if the policy were broken."""

import ctypes
import errno

WON = "ESC" + "APED"
libc = ctypes.CDLL(None, use_errno=True)
REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS)

#: This machine and its system calls' numbers; the test sets both behind this text.
MACHINE = ""
NUMBERS: dict[str, int] = {}


def call(which: str | int, *arguments: object) -> tuple[int, int]:
    """One system call, by its name or a number that is none's: its answer and errno."""
    ctypes.set_errno(0)
    number = NUMBERS[which] if isinstance(which, str) else which
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    answer: int = libc.syscall(ctypes.c_long(number), *words)
    return answer, ctypes.get_errno()


def probe(which: str | int, *arguments: object) -> None:
    """Make a call that must not reach its handler: anything but a refusal is an escape."""
    answer, code = call(which, *arguments)
    print(WON if answer != -1 or code not in REFUSED else "refused", answer, code)  # noqa: T201
    raise PermissionError("the call was refused")
