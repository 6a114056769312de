# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="end", has_value=1, value=1)
wait()
