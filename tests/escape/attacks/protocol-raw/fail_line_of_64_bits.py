# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: exception violation
send(
    t="fail",
    kind="exception",
    message="m",
    traceback="",
    line=(1 << 63) - 1,
    limit=None,
    exception=None,
)
wait()
