# class: library
# layer: language
# must: give nothing of the host
async def main():
    h = tools.echo(v=1)
    print(WON, h._future)


await main()
