#!/usr/bin/env python3
"""Checks that every link of a folder of pages has a target: the file and the anchor in it.

usage: check_links.py FOLDER; exit status 1 with a list of what is broken
"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.places.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def main():
    folder = Path(sys.argv[1])
    pages = {path.name: Page(path) for path in folder.glob("*.html")}
    broken, count = [], 0
    for name, page in sorted(pages.items()):
        for link in page.links:
            if ":" in link.split("/")[0]:
                continue
            count += 1
            path, _, place = unquote(link).partition("#")
            target = path or name
            if not (folder / target).exists():
                broken.append("%s: %s: no such file" % (name, link))
            elif place and target in pages and place not in pages[target].places:
                broken.append("%s: %s: no such place" % (name, link))
    print("\n".join(broken))
    print("%d pages, %d links, %d broken" % (len(pages), count, len(broken)))
    return 1 if broken or not pages else 0


sys.exit(main())
