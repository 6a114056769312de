# class: flood
# layer: raw
# must: be limited
# ends: limit violation
# limits: result_bytes=2000000
body = pack({"t": "end", "has_value": True, "value": "x" * 3000000})
for at in range(0, len(body), 500000):
    send(t="chunk", of="end", size=len(body), data=body[at : at + 500000])
wait()
