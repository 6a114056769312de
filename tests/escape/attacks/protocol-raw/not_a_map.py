# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(frame(pack([1, 2])))
wait()
