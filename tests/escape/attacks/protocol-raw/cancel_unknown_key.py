# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="cancel", id=1, parent="root", token="x")
wait()
