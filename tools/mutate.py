#!/usr/bin/env python3
"""Puts small faults into the library, one at a time, and counts how many the tests notice.

  tools/mutate.py [--count N] [--seed S] [--only src/core] [--list]

A mutant is one change of one place of src/: an operator (+ - * / < <= > >= == != && ||), a constant, or a
statement left out. The library is built as plain C with -O1, once; for a mutant only what the changed file
enters is compiled again. The tests (all that need no program, fastest first) run until one fails. A mutant
that does not compile, or gives the same code, does not count. Survivors are printed with their place and must
be explained in tools/mutants.txt (file: the line's text, tab, reason) or get a test. Ends with line 15 of the
scorecard; exit status 1 below 95 %."""
import argparse
import glob
import hashlib
import os
import random
import re
import resource
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-mutate")
CC = ["gcc", "-std=gnu11", "-O1", "-fPIC", "-w", "-ffp-contract=off", "-fno-math-errno", "-DJN_BUILDING", "-DJN_SMALL"]
SWAPS = [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" < ", " <= "), (r" <= ", " < "),
         (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "),
         (r" \|\| ", " && "), (r" \+= ", " -= "), (r" -= ", " += ")]
CONSTANT = re.compile(r"(?<![\w.\"'%])(\d+\.\d*|\d+)(?![\w.\"'])")
STATEMENT = re.compile(r"^\s+[\w\[\]>.()*+ -]+ (=|\+=|-=) [^{]*;$|^\s+\w+\([^{]*\);$")


def run(command, **more):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **more)


def libraries():
    return run(["pkg-config", "--cflags", "--libs", "expat", "jansson", "cmocka"]).stdout.split()


def code_lines(path):
    """Numbers and texts of lines that hold code."""
    comment = False
    with open(os.path.join(ROOT, path)) as file:
        lines = file.read().split("\n")
    found = []
    for number, line in enumerate(lines):
        text = re.sub(r"/\*.*?\*/", "", line)
        if comment:
            comment = "*/" not in text
            continue
        if "/*" in text:
            comment = True
            continue
        if text.strip() and not text.lstrip().startswith(("#", "*", "//", "static const", "typedef")) and '"' not in text:
            found.append((number, line))
    return lines, found


def mutants_of(path):
    _, found = code_lines(path)
    for number, line in found:
        code = line.split("/*")[0]
        for old, new in SWAPS:
            for hit in re.finditer(old, code):
                yield path, number, code[: hit.start()] + new + code[hit.end():]
        for hit in CONSTANT.finditer(code):
            value = hit.group(1)
            new = str(int(value) + 1) if value.isdigit() else repr(float(value) * 2 + (value.strip("0.") == ""))
            yield path, number, code[: hit.start()] + new + code[hit.end():]
        if STATEMENT.match(code) and not re.match(r"^\s+(const |double |int |size_t |jn_|return|real |v3 |six )", code):
            yield path, number, re.match(r"^\s*", code).group(0) + ";"


class Library:
    def __init__(self):
        self.sources = [s for s in sorted(glob.glob("src/*/*.c", root_dir=ROOT)) if "_avx" not in s]
        self.flags = ["-Iinclude", "-Isrc"] + [f for f in libraries() if f.startswith("-I")]
        self.libs = [f for f in libraries() if f.startswith("-l")] + ["-lm"]
        self.uses = {}
        os.makedirs(os.path.join(WORK, "object"), exist_ok=True)

    def object_of(self, source):
        return os.path.join(WORK, "object", source.replace("/", "_")[:-2] + ".o")

    def compile(self, sources, where=None, lead=None):
        """Compiles; `lead` comes before the include path, so that a changed header is found first."""
        running, failed = [], False
        for source in sources:
            command = CC + (lead or []) + self.flags + ["-c", (where or {}).get(source, source), "-o", self.object_of(source)]
            running.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE))
            if len(running) >= (os.cpu_count() or 2):
                failed |= running.pop(0).wait() != 0
        for process in running:
            failed |= process.wait() != 0
        return not failed

    def link(self):
        objects = [self.object_of(s) for s in self.sources]
        return run(["gcc", "-shared", "-o", os.path.join(WORK, "libjounce.so")] + objects + self.libs).returncode == 0

    def build(self):
        if not self.compile(self.sources) or not self.link():
            sys.exit("mutate: the library does not build")
        for source in self.sources:
            text = run(["gcc"] + self.flags + ["-DJN_BUILDING", "-DJN_SMALL", "-MM", source]).stdout
            for used in re.findall(r"(?:src|include)/\S+", text):
                self.uses.setdefault(used, []).append(source)

    def digest(self):
        h = hashlib.sha256()
        for source in self.sources:
            with open(self.object_of(source), "rb") as file:
                h.update(file.read())
        return h.hexdigest()


def build_tests(library):
    helpers = sorted(glob.glob("tests/helpers/*.c", root_dir=ROOT))
    tests = []
    flags = library.flags + ["-Itests", f'-DTEST_DATA="{ROOT}/tests/data"', f'-DTEST_SHARED="{ROOT}/../shared"',
                             f'-DTEST_PROGRAM="{ROOT}/build/jounce"', "-DJN_SMALL"]
    common = [c for c in CC if c not in ("-DJN_BUILDING",)]
    objects = []
    for helper in helpers:
        out = os.path.join(WORK, "object", "helper_" + os.path.basename(helper)[:-2] + ".o")
        if run(common + flags + ["-c", helper, "-o", out]).returncode == 0:
            objects.append(out)
    for source in sorted(glob.glob("tests/test_*.c", root_dir=ROOT)):
        with open(os.path.join(ROOT, source)) as file:
            text = file.read()
        if "helpers/program.h" in text or "system(" in text:
            continue
        program = os.path.join(WORK, os.path.basename(source)[:-2])
        done = run(common + flags + [source, "-o", program] + objects + [f"-L{WORK}", "-ljounce", f"-Wl,-rpath,{WORK}"]
                   + library.libs + ["-lpthread"])
        if done.returncode:
            print("left out:", source, done.stderr.splitlines()[-1:] or "")
            continue
        tests.append(program)
    timed = []
    for program in tests:
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        if run_test(program, 600):
            timed.append((resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start, program))
        else:
            print("left out, fails here:", os.path.basename(program))
    return sorted(timed)


def run_test(program, seconds):
    """Whether it passes; a mutant may run for ever, so that the processor time is limited."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    done = subprocess.run([program], cwd=WORK, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
    return done.returncode == 0


def try_mutant(library, tests, mutant, before):
    """'killed by X', 'survived', 'does not compile' or 'same code'."""
    path, number, text = mutant
    lines, _ = code_lines(path)
    lines[number] = text
    shadow = os.path.join(WORK, "shadow")
    changed = os.path.join(shadow, path)
    os.makedirs(os.path.dirname(changed), exist_ok=True)
    with open(changed, "w") as file:
        file.write("\n".join(lines))
    affected = library.uses.get(path, [])
    where = {path: changed} if path.endswith(".c") else {}
    try:
        if not library.compile(affected, where, [f"-I{shadow}/src", f"-I{shadow}/include"]):
            return "does not compile"
        if library.digest() == before:
            return "same code"
        if not library.link():
            return "does not compile"
        words = re.findall(r"[a-z]+", os.path.basename(path))
        near = [t for t in tests if any(w in os.path.basename(t[1]) for w in words if len(w) > 2)]
        for seconds, program in near + [t for t in tests if t not in near]:
            if not run_test(program, 20 + 20 * seconds):
                return "killed by " + os.path.basename(program)
        return "survived"
    finally:
        os.remove(changed)
        library.compile(affected)


def explained():
    """Reasons of known survivors, by 'file: text of the line'."""
    known = {}
    path = os.path.join(ROOT, "tools", "mutants.txt")
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                if not line.startswith("#") and "\t" in line:
                    place, reason = line.rstrip("\n").split("\t", 1)
                    known[place] = reason
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="mutants to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="src/", help="files whose path starts with this")
    parser.add_argument("--list", action="store_true", help="count the mutants there are")
    options = parser.parse_args()
    files = [f for f in sorted(glob.glob("src/*/*.[ch]", root_dir=ROOT)) if f.startswith(options.only) and "_avx" not in f
             and not f.endswith("scalar/lanes.h")]
    everything = [m for f in files for m in mutants_of(f)]
    if options.list:
        print(len(everything), "mutants in", len(files), "files")
        return 0
    random.Random(options.seed).shuffle(everything)
    library = Library()
    library.build()
    tests = build_tests(library)
    before = library.digest()
    known = explained()
    counts = {"killed": 0, "survived": 0, "explained": 0}
    start = time.time()
    survivors = []
    for mutant in everything:
        if sum(counts.values()) >= options.count:
            break
        path, number, text = mutant
        result = try_mutant(library, tests, mutant, before)
        print(f"{path}:{number + 1}: {text.strip()[:90]}: {result}", flush=True)
        if result.startswith("killed"):
            counts["killed"] += 1
        elif result == "survived":
            with open(os.path.join(ROOT, path)) as file:
                place = f"{path}: {file.read().split(chr(10))[number].strip()}"
            counts["explained" if place in known else "survived"] += 1
            survivors.append((place, text.strip(), known.get(place, "not explained")))
    total = sum(counts.values())
    score = 100.0 * counts["killed"] / total if total else 0.0
    for place, text, reason in survivors:
        print(f"survivor: {place}\n      as: {text}\n  reason: {reason}")
    print(f"{total} mutants in {time.time() - start:.0f} s by {len(tests)} tests")
    good = score >= 95 and counts["survived"] == 0
    print('score {"line": 15, "measured": "%d of %d mutants killed (%.1f %%), %d survivors explained, %d not", '
          '"target": ">= 95 %% killed, each survivor explained", "pass": %s}'
          % (counts["killed"], total, score, counts["explained"], counts["survived"], "true" if good else "false"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
