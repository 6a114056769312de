# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="fail", kind="timeout", message="m", traceback="", line=1, limit=None, exception="E")
wait()
