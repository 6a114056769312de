# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(
    t="fail",
    kind="exception",
    message="m",
    traceback="",
    line=1,
    limit=None,
    exception="E",
    parent="root",
    token="x",
)
wait()
