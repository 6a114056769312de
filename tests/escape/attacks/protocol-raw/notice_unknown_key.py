# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="notice", text="x", parent="root", token="x")
wait()
