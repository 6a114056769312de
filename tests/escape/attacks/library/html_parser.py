# class: library
# layer: language
# must: give nothing of the host
import html.parser


class P(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        print(WON, self.__class__.__base__)


P().feed("<a>")
