#!/usr/bin/env python3
"""Writes the C reference (HTML without a page frame) from the comments of the public headers.

usage: api.py INCLUDE_DIR > api.html

A header starts with a comment that describes it. After that, a comment and the declarations up to the next comment or
blank line belong together. Comments inside a function or a structure stay with it.
"""
import html
import re
import sys
from pathlib import Path


def comment_text(lines):
    """The lines of a comment without its marks."""
    text = "\n".join(lines).strip()
    text = re.sub(r"^/\*+ ?", "", text)
    text = re.sub(r" ?\*/$", "", text)
    return [re.sub(r"^ \* ?", "", line).rstrip() for line in text.split("\n")]


def prose(lines):
    """Paragraphs; lines that are indented, or hold columns, stay as they are."""
    out, paragraph, fixed = [], [], []

    def flush():
        if fixed:
            out.append("<pre><code>%s</code></pre>" % html.escape("\n".join(fixed)))
            fixed.clear()
        if paragraph:
            text = html.escape(" ".join(paragraph))
            out.append("<p>%s</p>" % re.sub(r"`([^`]+)`", r"<code>\1</code>", text))
            paragraph.clear()

    for line in lines:
        if line.startswith("  "):
            if paragraph:
                flush()
            fixed.append(line)
        else:
            if fixed or not line.strip():
                flush()
            if line.strip():
                paragraph.append(line.strip())
    flush()
    return "\n".join(out)


def pieces(text):
    """(comment lines, code lines) pairs of a header."""
    text = re.sub(r"(?ms)^#if(def __cplusplus| defined\(_WIN32\))$.*?^#endif$\n?", "", text)
    lines = text.split("\n")
    comment, code, depth, i = [], [], 0, 0
    while i < len(lines):
        line = lines[i]
        if depth == 0 and line.startswith("/*"):
            start = i
            while "*/" not in lines[i]:
                i += 1
            if lines[i].rstrip().endswith("*/"):
                if code or comment:
                    yield comment, code
                comment, code = lines[start : i + 1], []
                i += 1
                continue
            i = start
        if depth == 0 and not line.strip():
            if code or comment:
                yield comment, code
            comment, code = [], []
        elif line.startswith("#") and not line.startswith("#define JN_"):
            pass
        else:
            code.append(line)
            bare = re.sub(r"/\*.*?\*/|//.*", "", line)
            depth += bare.count("{") - bare.count("}")
        i += 1
    if code or comment:
        yield comment, code


def without_bodies(code):
    """Inline functions without their bodies."""
    text = "\n".join(code)
    text = re.sub(r"^JN_API ", "", text, flags=re.M)
    return re.sub(r"(?ms)^(static inline [^{;]*?\)) \{.*?(?:^\}|\})$", r"\1;", text).strip("\n")


def names(code):
    """The names that a piece declares."""
    found = re.findall(r"\b(jn_[a-z0-9_]+)\(", code)
    found += re.findall(r"^typedef (?:struct|enum)\s+(jn_\w+)", code, re.M)
    found += re.findall(r"^#define (JN_\w+)", code, re.M)
    return list(dict.fromkeys(found))


def main():
    folder = Path(sys.argv[1])
    order = re.findall(r"#include <jounce/([\w/]+)\.h>", (folder / "jounce.h").read_text())
    every = (str(p.relative_to(folder).with_suffix("")) for p in folder.rglob("*.h"))
    order += sorted(name for name in every if name not in order + ["jounce"])
    print("<h1>C reference</h1>\n<p>Made from the headers in <code>include/jounce/</code>; "
          "<code>jounce/jounce.h</code> includes them all.</p>")
    seen = set()
    for stem in order:
        path = folder / (stem + ".h")
        if not path.exists():
            continue
        first = True
        for comment, code in pieces(path.read_text()):
            text, declared = comment_text(comment) if comment else [], without_bodies(code)
            if first:
                title = text[0].split(":", 1)[-1].strip() if text else ""
                print('<h2 id="%s"><code>%s.h</code></h2>' % (stem.replace("/", "-"), stem))
                print(prose([title] + text[1:]))
                first = False
                if not declared:
                    continue
                text = []
            if not declared.strip():
                if text:
                    print(prose(text))
                continue
            anchors = [n for n in names(declared) if n not in seen]
            seen.update(anchors)
            print('<div class="item">')
            print("".join('<span id="%s"></span>' % n for n in anchors))
            print('<pre class="c"><code>%s</code></pre>' % html.escape(declared))
            print(prose(text))
            print("</div>")


main()
