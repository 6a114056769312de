"""Runs a filter program as the kernel would, from the very bytes that the kernel is given.

So the filter of a machine that is not at hand is tested too.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from codemode.sandbox.jail import bpf


def simulate(program: bytes, *, arch: int, number: int, arguments: Sequence[int] = ()) -> int:
    """What the kernel would answer to one system call under `program`.

    Args:
        program: As `assemble` gives it.
        arch: The convention of the call, an AUDIT_ARCH.
        number: The call.
        arguments: Up to six, as the 64-bit registers hold them; missing ones are 0.

    Raises:
        ValueError: The program is one that the kernel would not accept.
    """
    six = [value & 0xFFFF_FFFF_FFFF_FFFF for value in (*arguments, 0, 0, 0, 0, 0, 0)][:6]
    data = struct.pack("=IIQ6Q", number & 0xFFFF_FFFF, arch, 0, *six)
    code = list(bpf.INSTRUCTION.iter_unpack(program))
    accumulator, position = 0, 0
    while position < len(code):
        operation, on_true, on_false, value = code[position]
        position += 1
        if operation == bpf.RETURN:
            return int(value)
        if operation == bpf.LOAD_WORD:
            if value % 4 or value + 4 > len(data):
                raise ValueError(f"a load at offset {value}")
            accumulator = int.from_bytes(data[value : value + 4], "little")
        elif operation == bpf.JUMP_EQUAL:
            position += on_true if accumulator == value else on_false
        elif operation == bpf.JUMP_AT_LEAST:
            position += on_true if accumulator >= value else on_false
        elif operation == bpf.JUMP_ANY_BIT:
            position += on_true if accumulator & value else on_false
        else:
            raise ValueError(f"an unknown instruction {operation:#x}")
    raise ValueError("the program ends without a return")
