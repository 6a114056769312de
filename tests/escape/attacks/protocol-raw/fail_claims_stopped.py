# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="fail", kind="stopped", message="m", traceback="", line=None, limit=None, exception=None)
wait()
