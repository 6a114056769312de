# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="artifact", path=1, data=b"x")
wait()
