"""A page as a reader sees it: texts, tables and requests to other places."""

import re
from html.parser import HTMLParser

VOID = {"meta", "img", "br", "link", "input"}
ASKING = ("src", "href", "srcset", "data", "action", "poster", "background")


class Page(HTMLParser):
    """Reads a page, and fails if an element stays open or is closed without being open."""

    def __init__(self, content):
        super().__init__()
        self.stack, self.tags, self.asked, self.texts, self.tables, self.ids = [], [], [], [], [], []
        self.feed(content.decode())
        self.close()
        assert not self.stack
        self.text = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.stack.append(tag)
        self._note(tag, attrs)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self._note(tag, attrs)

    def _note(self, tag, attrs):
        for name, value in attrs:
            self.asked += [value] if name in ASKING else re.findall(r"url\((.*?)\)", value or "")
            if name == "id":
                self.ids.append(value)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.stack
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.stack):
            self.tables[-1][-1][-1] += data
        if "style" in self.stack:
            self.asked += re.findall(r"url\((.*?)\)|@import", data)
        elif "svg" not in self.stack:
            self.texts.append(data)

    def table(self, *heads):
        """The rows of the first table whose headings begin with `heads`."""
        return next(t[1:] for t in self.tables if [cell.strip() for cell in t[0][: len(heads)]] == list(heads))

    @property
    def outside(self):
        """The addresses that the page requests and does not contain."""
        return [address for address in self.asked if not address.startswith(("data:", "#"))]
