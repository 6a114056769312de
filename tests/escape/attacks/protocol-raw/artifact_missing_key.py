# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="artifact", path="a")
wait()
