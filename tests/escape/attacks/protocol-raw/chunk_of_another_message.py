# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
body = pack({"t": "end", "has_value": True, "value": WON})
send(t="chunk", of="call", size=len(body), data=body)
wait()
