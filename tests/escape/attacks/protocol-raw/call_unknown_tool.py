# class: protocol-raw
# layer: raw
# must: find only what was granted
# ends: ok
send(t="call", id=1, name="admin_secret", line=None, arguments={})
answer = receive()
print(WON if answer["t"] == "reply" else "refused")
