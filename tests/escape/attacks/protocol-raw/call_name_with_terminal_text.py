# class: protocol-raw
# layer: raw
# must: be bounded
# ends: ok
send(t="call", id=1, name="\x1b[2J" * 1000, line=None, arguments={})
print(len(receive()["message"]) < 2000)
