# class: mutation
# layer: language
# must:  leave a tool its name
import logging

try:
    logging.Handler.set_name(tools.echo, "planted")
except AttributeError as e:
    print(e)
try:
    tools.echo(1, 2, 3)
except ToolCallError as e:
    if e.tool_name == "planted":
        print(WON)
