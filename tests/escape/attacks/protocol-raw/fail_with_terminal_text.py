# class: protocol-raw
# layer: raw
# must: be cleaned
# ends: exception violation
# clean: yes
send(
    t="fail",
    kind="exception",
    message="\x1b[2J\0",
    traceback="\x1b]0;x\x07",
    line=1,
    limit="\x1b[2J",
    exception="\x1b[31m",
)
wait()
