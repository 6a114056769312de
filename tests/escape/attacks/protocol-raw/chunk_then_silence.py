# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: timeout violation
# limits: wall_s=0.3
send(t="chunk", of="call", size=100, data=b"x")
wait()
