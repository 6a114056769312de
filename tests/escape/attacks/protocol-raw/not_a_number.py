# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="end", has_value=True, value=float("nan"))
wait()
