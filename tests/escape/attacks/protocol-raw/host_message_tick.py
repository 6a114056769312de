# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="tick", id=1, n=1, value=1)
wait()
