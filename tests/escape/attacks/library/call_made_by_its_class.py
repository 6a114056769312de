# class: library
# layer: language
# must:  send nothing that the guest has not encoded
async def main():
    made = tools.echo(v=1)
    forged = type(made)("tools.echo", 4242, b"\x81\xa1v\x07", lambda answer: answer)
    print(WON, await forged)
    await made


await main()
