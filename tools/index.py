#!/usr/bin/env python3
"""Checks that what pages name exists: functions `jn_...`, files `src/...`, tests `test_...` and the names of
their cases (`test_x`: case, case*). usage: index.py SOURCE PAGE..."""
import fnmatch
import glob
import os
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def declared(source):
    names = set()
    for path in glob.glob(os.path.join(source, "include/jounce/**/*.h"), recursive=True):
        names |= set(re.findall(r"\b(jn_\w+)\s*\(", read(path)))
        names |= set(re.findall(r"\}\s*(jn_\w+);", read(path)))
    return names


def check(source, page, functions):
    text = read(page)
    wrong = []
    for token in re.findall(r"`([^`]+)`", text):
        token = token.strip()
        if re.fullmatch(r"jn_[\w*]+", token):
            if not fnmatch.filter(functions, token):
                wrong.append("no function " + token)
        elif re.fullmatch(r"test_\w+", token):
            if not any(os.path.exists(os.path.join(source, "tests", token + e)) for e in (".c", ".sh")):
                wrong.append("no test " + token)
        elif re.fullmatch(r"(src|include|cli|tests|examples|python|tools|web)(/[\w.]+)+/?", token):
            if not os.path.exists(os.path.join(source, token)):
                wrong.append("no file " + token)
    # `test_x`: case_one*, case_two
    for test, cases in re.findall(r"`(test_\w+)`: ([\w*, ]+)", text):
        path = os.path.join(source, "tests", test + ".c")
        body = read(path) if os.path.exists(path) else ""
        for case in re.findall(r"\w+", cases):
            if not re.search(r"static void %s\(" % case, body):
                wrong.append("no test %s in %s" % (case, test))
    return ["%s: %s" % (os.path.basename(page), w) for w in wrong]


def main():
    functions = declared(sys.argv[1])
    wrong = [w for page in sys.argv[2:] for w in check(sys.argv[1], page, functions)]
    print("\n".join(wrong) if wrong else "%d functions are declared; all names exist" % len(functions))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
