# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="grant", tool="admin_secret")
wait()
