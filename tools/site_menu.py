#!/usr/bin/env python3
"""Writes the menu of the site as metadata for pandoc: groups of pages in the order of docs/site/pages.txt.

usage: site_menu.py SOURCE_DIR > menu.json
A page that is named but not there is an error; a page that is there but not named follows at the end.
"""
import json
import sys
from pathlib import Path

# written by tools/site itself
MADE = {"readme", "commands", "examples", "api", "trust", "contributing", "changelog", "security", "license", "citation"}


def main():
    docs = Path(sys.argv[1]) / "docs"
    there = {}
    for path in sorted(docs.glob("*.md")) + sorted(docs.glob("tutorials/*.md")):
        if path.stem in there or path.stem in MADE - {"trust"} or path.stem == "search":
            sys.exit("%s: the site has no folders, and another page is called '%s'" % (path, path.stem))
        there[path.stem] = path
    menu, named = [], set()
    for line in (docs / "site" / "pages.txt").read_text().splitlines()[2:]:
        if line.startswith("#"):
            menu.append({"title": line[1:].strip(), "pages": []})
        elif line.strip():
            page, title = line.split(None, 1)
            if page not in there and page not in MADE:
                sys.exit("docs/site/pages.txt names '%s', which is not a page" % page)
            named.add(page)
            menu[-1]["pages"].append({"page": page, "title": title})
    rest = [name for name in there if name not in named]
    if rest:
        first = {name: there[name].read_text().splitlines()[0].lstrip("# ") for name in rest}
        menu.append({"title": "More", "pages": [{"page": name, "title": first[name]} for name in rest]})
    json.dump({"menu": menu}, sys.stdout)


main()
