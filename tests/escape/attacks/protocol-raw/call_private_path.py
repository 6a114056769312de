# class: protocol-raw
# layer: raw
# must: find only what was granted
# ends: ok
for n, name in enumerate(
    (
        "tools.__class__",
        "tools.echo.__call__",
        "",
        "tools",
        "tools.echo ",
        "Tools.echo",
        "tools.echo\0",
        "__import__",
        "tools..echo",
        "../admin_secret",
    ),
    1,
):
    send(t="call", id=n, name=name, line=None, arguments={})
    print(WON if receive()["t"] == "reply" else "refused")
