# class: flood
# layer: raw
# must: be bounded
# ends: ok limit violation
body = (
    pack({"t": "end", "has_value": True, "value": 0})[:-1]
    + b"\xdd"
    + struct.pack(">I", 900000)
    + b"\x90" * 900000
)
write(frame(body))
wait()
