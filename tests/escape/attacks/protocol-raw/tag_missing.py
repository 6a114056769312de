# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(text="x")
wait()
