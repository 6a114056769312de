# class: protocol-raw
# layer: raw
# must: count only the first end
# ends: exception
send(t="fail", kind="exception", message="m", traceback="", line=None, limit=None, exception=None)
send(t="end", has_value=True, value=WON)
wait()
