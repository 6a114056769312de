# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="fail", kind="abort", message="m", traceback="", line=None, limit=None, exception=None)
wait()
