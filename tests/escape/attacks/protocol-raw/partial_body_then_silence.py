# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: timeout
# limits: wall_s=0.3
write(struct.pack(">I", 100) + b"\x82")
wait()
