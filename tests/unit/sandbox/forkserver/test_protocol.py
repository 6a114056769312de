"""The messages of the control socket."""

from __future__ import annotations

import pytest

from codemode.sandbox.forkserver import protocol


@pytest.mark.parametrize(
    "request_",
    [
        protocol.Fork(3, is_urgent=True),
        protocol.Fork(0, is_urgent=False, forgotten=(1, 2**40)),
        protocol.Withdraw(61),
        protocol.Reap(2**40),
    ],
)
def test_requests_come_out_as_they_went_in(
    request_: protocol.Fork | protocol.Withdraw | protocol.Reap,
) -> None:
    assert protocol.decode_request(request_.encode()) == request_


@pytest.mark.parametrize(
    "report",
    [
        protocol.Guest(7, 1 << 40),
        protocol.ForkError(11),
        protocol.Withdrawn(61, 3),
        protocol.Exited(9, 31, 0.25, 0.5, 12 << 20),
    ],
)
def test_reports_come_out_as_they_went_in(
    report: protocol.Guest | protocol.ForkError | protocol.Withdrawn | protocol.Exited,
) -> None:
    assert protocol.decode_report(report.encode()) == report


@pytest.mark.parametrize(
    "packet", [b"", b"?", b"K", b"Kxxxxxx", b"R\0", b"U\0", b"G\0\0\0\0\0\0\0\0"]
)
def test_anything_else_is_refused(packet: bytes) -> None:
    with pytest.raises(ValueError, match=r"no request|a request"):
        protocol.decode_request(packet)


@pytest.mark.parametrize("packet", [b"", b"?", b"G", b"X\0", b"E\0", b"W\0", b"K\0\0\0\0"])
def test_anything_else_is_no_report(packet: bytes) -> None:
    with pytest.raises(ValueError, match=r"no report|a report"):
        protocol.decode_report(packet)
