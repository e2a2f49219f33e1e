#!/usr/bin/env python3
"""Checks the layers of the source tree: which folder may include which.

  tools/layers.py [ROOT]      prints every include that breaks the rule; exit status 1 if there is one

The table below is the rule; CONTRIBUTING.md explains it. A folder may include itself and the folders in its entry."""
import os
import re
import sys

PUBLIC = "include/jounce"

# folder: folders and files that it may include besides itself; all may include the public headers
MAY = {
    "include/jounce": ["include/jounce/textbook"],
    "include/jounce/textbook": [PUBLIC],
    "src/base": [],
    "src/model": ["src/base"],
    "src/scalar": ["src/base", "src/model"],
    "src/core/algebra": ["src/scalar"],
    "src/core/body": ["src/base", "src/core/algebra", "src/core/work.h", "src/model/generic_robot.h"],
    "src/core/spatial": ["src/core/algebra", "src/core/body", "src/core/boundary.h", "src/core/poses.h",
                         "src/core/work.h"],
    "src/core/hybrid": ["src/core/algebra", "src/core/body", "src/core/spatial", "src/core/work.h"],
    "src/core/derivatives": ["src/model", "src/scalar", "src/core/algebra", "src/core/body", "src/core/spatial",
                             "src/core/coupled.h", "src/core/engine.h", "src/core/external.h", "src/core/observe.h",
                             "src/core/poses.h", "src/core/work.h"],
    "src/core/constraints": ["src/base/block.h", "src/model", "src/scalar", "src/core/algebra", "src/core/body",
                             "src/core/spatial",
                             "src/core/derivatives", "src/core/engine.h", "src/core/external.h",
                             "src/core/group.h", "src/core/work.h", "src/core/poses.h", "src/core/boundary.h"],
    "src/core": ["src/base", "src/model", "src/scalar", "src/core/algebra", "src/core/body", "src/core/spatial",
                 "src/core/hybrid"],
    "src/inst": ["src/base", "src/scalar", "src/core", "src/core/body", "src/core/derivatives", "src/core/constraints",
                 "src/motion/clock_rows.h"],
    "src/textbook": ["src/model", "src/core", "src/core/derivatives", "src/core/algebra", "src/core/spatial"],
    "src/trajectory": ["src/base", "src/model"],
    "src/motion": ["src/base", "src/trajectory"],
    "src/integrate": ["src/base", "src/model", "src/core", "src/core/constraints/project.h"],
    "src/batch": ["src/base", "src/model", "src/core"],
    "src/generate": ["src/base", "src/model"],
    "src/gpu": ["src/base", "src/integrate/rollout.h"],
    "src/io": ["src/base", "src/model"],
    "src/io/urdf": ["src/base", "src/model", "src/io"],
    "src/io/xacro": ["src/base", "src/model", "src/io"],
    "src/io/mjcf": ["src/base", "src/model", "src/io"],
    "src/io/native": ["src/base", "src/model", "src/io"],
    "src/io/tables": ["src/base", "src/trajectory", "src/io"],
    "src/sweep": ["src/base", "src/io", "src/io/tables"],
    "cli": ["src/base", "cli/output"],
    "cli/output": ["cli", "src/base", "src/io", "src/io/tables"],
    "cli/job": ["cli", "cli/output", "cli/page/page.h", "src/base", "src/io", "src/io/tables"],
    "cli/page": ["cli", "cli/job", "cli/output", "src/base", "src/io"],
    "cli/commands": ["cli", "cli/job", "cli/output", "cli/page"],
    "cli/bench": ["cli", "cli/job", "cli/output", "cli/page", "src/base/temporary.h", "src/io"],
    "cli/demo": ["cli", "cli/bench", "cli/output", "cli/page"],
    "python/src": ["python/src/model"],
    "python/src/call": ["python/src"],
    "python/src/algorithms": ["python/src", "python/src/call"],
    "python/src/model": ["python/src"],
    "python/src/motion": ["python/src"],
    "python/src/batches": ["python/src"],
}
# only these folders may use the kinds of primitive joints, or name an instruction set
ONLY = [
    (re.compile(r"\bJN_K_[A-Z]+\b"), ["src/model", "src/core/body"], "kinds of joints (JN_K_...)"),
    (re.compile(r"\b_mm\d*_|immintrin|__AVX|__FMA__"), ["src/scalar"], "an instruction set"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def folder_of(path):
    folder = os.path.dirname(path)
    while folder and folder not in MAY:
        folder = os.path.dirname(folder)
    return folder


def resolve(root, path, name):
    """The file an include means, from the root; None: not of this project."""
    own = [base for base in ("cli", "python/src") if path.startswith(base + "/")]
    for base in [os.path.dirname(path)] + own + ["src", "include"]:
        full = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(os.path.join(root, full)):
            return full
    return None


def check(root):
    broken = []
    for top in ("include", "src", "cli", "python/src"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if not name.endswith((".c", ".h")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), root)
                own = folder_of(path)
                with open(os.path.join(root, path), encoding="utf-8") as f:
                    text = f.read()
                for m in INCLUDE.finditer(text):
                    target = resolve(root, path, m.group(2))
                    if target is None:
                        continue
                    to = folder_of(target)
                    if to == own or target in MAY[own] or to in MAY[own]:
                        continue
                    if to.startswith(PUBLIC) and not own.startswith(PUBLIC):
                        continue
                    broken.append("%s:%d: %s may not include %s" %
                                  (path, text.count("\n", 0, m.start(2)) + 1, own, target))
                if not top == "src":
                    continue
                for pattern, folders, what in ONLY:
                    m = pattern.search(text)
                    if m and own not in folders:
                        broken.append("%s:%d: only %s may name %s" %
                                      (path, text.count("\n", 0, m.start()) + 1, ", ".join(folders), what))
    return broken


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    broken = check(root)
    for line in broken:
        print(line)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
