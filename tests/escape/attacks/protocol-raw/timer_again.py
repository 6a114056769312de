# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="timer", n=1, seconds=9.0)
send(t="timer", n=1, seconds=9.0)
wait()
