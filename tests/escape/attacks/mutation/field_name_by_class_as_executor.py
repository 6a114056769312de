# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import json, asyncio
class A:
    def submit(self): self.evil = 7; raise KeyError
async def main():
    l = asyncio.get_running_loop()
    try: l.run_in_executor(A, json.JSONEncoder)
    except KeyError: pass
asyncio.run(main())
print(WON, json.JSONEncoder.evil)
