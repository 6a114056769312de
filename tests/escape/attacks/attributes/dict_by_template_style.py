# class: attributes
# layer: language
# must:  give no attributes of other objects
import asyncio
import logging


class Template:
    def substitute(self, **values):
        print(WON, values["_selector"])
        return ""


class Style(logging.StringTemplateStyle):
    pass


async def main():
    style = Style("$message")
    style._tpl = Template()
    style.format(asyncio.get_running_loop())


asyncio.run(main())
