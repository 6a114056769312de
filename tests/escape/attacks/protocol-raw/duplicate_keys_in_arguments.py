# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
body = (
    pack({"t": "call", "id": 1, "name": "tools.echo", "line": None, "arguments": 0})[:-1]
    + b"\x82\xa1v\x01\xa1v\x02"
)
write(frame(body))
wait()
