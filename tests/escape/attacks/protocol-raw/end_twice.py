# class: protocol-raw
# layer: raw
# must: count only the first end
# ends: ok
send(t="end", has_value=True, value="first")
send(t="end", has_value=True, value=WON)
wait()
