# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(b"J")
write(b"J" * 10)
wait()
