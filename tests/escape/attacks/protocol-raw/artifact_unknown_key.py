# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="artifact", path="a", data=b"x", parent="root", token="x")
wait()
