# class: flood
# layer: raw
# must: cost the host nothing that grows
# ends: call_limit violation timeout
# limits: wall_s=2
body = b"".join(
    frame(
        pack(
            {
                "t": "call",
                "id": n,
                "name": "tools.echo",
                "line": None,
                "arguments": {"v": "x" * 1000},
            }
        )
    )
    for n in range(1, 5000)
)
write(body)
wait()
