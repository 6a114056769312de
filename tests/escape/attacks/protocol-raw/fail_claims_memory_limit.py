# class: protocol-raw
# layer: raw
# must: be a claim and no more
# ends: memory_limit
send(
    t="fail",
    kind="memory_limit",
    message="m",
    traceback="",
    line=None,
    limit="memory_bytes",
    exception=None,
)
wait()
