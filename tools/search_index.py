#!/usr/bin/env python3
"""Writes the index of the site's search: one row for each section of each page.

usage: search_index.py FOLDER; writes FOLDER/search_index.js
A row is [page, anchor, title of the page, heading of the section, text]. The file is a script, so that pages opened from
a disk can load it.
"""
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

HEADINGS = ("h1", "h2", "h3")
SKIP = ("script", "style", "nav", "aside", "footer", "header", "form", "annotation")
BLOCKS = ("p", "li", "td", "th", "tr", "pre", "div", "h1", "h2", "h3", "h4", "mtr", "br")


class Sections(HTMLParser):
    """The text of <main>, split at headings and at the functions of the C reference."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.title, self.skip, self.main, self.heading = [["", "", ""]], "", 0, False, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.main |= tag == "main"
        if tag in SKIP:
            self.skip += 1
        if not self.main or self.skip:
            return
        place = values.get("id")
        if tag in HEADINGS:
            self.rows.append([place or "", "", ""])
            self.heading = tag
        elif place and place.startswith("jn_") and tag == "span":
            # declarations that share a comment share a row
            if self.rows[-1][1].startswith("jn_") and not self.rows[-1][2].strip():
                self.rows[-1][1] += " " + place
            else:
                self.rows.append([place, place, ""])
        if tag in BLOCKS:
            self.rows[-1][2] += " "

    def handle_endtag(self, tag):
        if tag in SKIP:
            self.skip -= 1
        if tag == "main":
            self.main = False
        if tag == self.heading:
            if tag == "h1":
                self.title, self.rows[-1][1] = self.rows[-1][1], ""
                self.rows[-1][0] = ""
            self.heading = None
        if tag in BLOCKS and self.main and not self.skip:
            self.rows[-1][2] += " "

    def handle_data(self, data):
        if self.main and not self.skip:
            self.rows[-1][1 if self.heading else 2] += data


def main():
    folder, rows = Path(sys.argv[1]), []
    for path in sorted(folder.glob("*.html")):
        if path.name == "search.html":
            continue
        page = Sections(path.read_text())
        for place, part, text in page.rows:
            text = re.sub(r"\s+", " ", text).strip()
            part = re.sub(r"\s+", " ", part).strip()
            if text or part:
                rows.append([path.stem, place, re.sub(r"\s+", " ", page.title).strip(), part, text])
    text = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    (folder / "search_index.js").write_text("jounceIndex([\n" + text.replace("</", "<\\/") + "\n]);\n")
    print("search: %d sections of %d pages" % (len(rows), len({row[0] for row in rows})))
    return 0 if rows else 1


sys.exit(main())
