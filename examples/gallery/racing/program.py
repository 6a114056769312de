"""Racing: take the first answer; the calls that lost are cancelled and settled by the host."""

import asyncio

mirrors = ["lima", "oslo", "cairo"]
tasks = {asyncio.create_task(tools.ask_mirror(mirror=name)): name for name in mirrors}
done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
for task in done:
    print(f"{tasks[task]} was first: {task.result()}")
for task in waiting:
    task.cancel()
print(f"not waited for: {', '.join(sorted(tasks[task] for task in waiting))}")
