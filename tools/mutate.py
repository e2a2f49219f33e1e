#!/usr/bin/env python3
"""Mutation testing: puts small faults into the library, one at a time, and counts how many the tests detect.

  tools/mutate.py [--count N] [--seed S] [--only src/core] [--jobs N] [--list]

A mutant is one change of one place of src/, cli/ or python/src/: an operator (+ - * / < <= > >= == != && ||), a constant, or a
statement left out; 1 becomes 0 (2 is as true), memset fills with 255, a larger array is not a mutant. The library
is built once, as plain C with -O1 and bounds checks of arrays, and so are the program and the Python module; for a
mutant only the sources that include the changed file are compiled again. The tests (those of ctest in C and Python
and the scorecard's programs with few cases; behind every block of memory lie ones) that cover the line, according to gcov, run until one fails:
first those that most often detected a fault nearby for the time they take. A test that takes far more processor
time than usual counts as failed. A mutant that does not compile, or gives the same code (with -O1 or with -O2),
does not count. Survivors are printed with their place and must be explained in tools/mutants.txt or get a test.
Prints line 15 of the scorecard; exit status 1 below 95 % or with an unexplained survivor."""
import argparse
import glob
import json
import os
import pickle
import random
import re
import resource
import shutil
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-mutate")
PYTHON = "/usr/bin/python3"  # Debian's, with numpy
CC = ["gcc", "-std=gnu11", "-fPIC", "-w", "-Wno-psabi", "-ffp-contract=off", "-fno-math-errno", "-DJN_SMALL"]
TRAP = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]  # as the sanitized tests of line 8 would
SWAPS = [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" < ", " <= "), (r" <= ", " < "),
         (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "),
         (r" \|\| ", " && "), (r" \+= ", " -= "), (r" -= ", " += ")]
CONSTANT = re.compile(r"(?<![\w.\"'%])(\d+\.\d*|\d+)(?![\w.\"'])")
# the larger or smaller of two: if they are equal it does not matter which
STRICT = (" < ", " <= ", " > ", " >= ")
LARGER = re.compile(r"(?<!\S)\(?([\w.>\[\]-]+) [<>]=? ([\w.>\[\]-]+) \? (\1 : \2|\2 : \1)(?=[;,)])"
                    r"|if \((.+) [<>]=? (.+)\) (\4 = \5|\5 = \4);")
# up to a number in the size of an array that is declared (listed: simulation.h, data.h; allocated), where more makes it larger
ARRAY = re.compile(r"^\s*(const |static )*(?!return|else|case)[a-z]\w*( [a-z]\w*)? ((\w|[\[\], *+]|= \{0\})*, )?\*?\w+\[[\w *+]*$"
                   r"|^\s*A\(\w+, [^/-]*$"
                   r"|(^\s*|.*\bjn_block_new\()&[\w>.-]*hooks, ([^/-]|->)*$")
FILLED = re.compile(r"\bmemset\([^;]*, $")  # bytes 255 make no number, bytes 1 one below rounding
STATEMENT = re.compile(r"^\s+[\w\[\]>.()*+ -]+ (=|\+=|-=) [^{]*;$|^\s+\w+\([^{]*\);$")


def run(command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def code_lines(path):
    """Numbers and texts of lines with code."""
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
                if old in STRICT and any(m.start() <= hit.start() < m.end() for m in LARGER.finditer(code)):
                    continue
                yield path, number, code[: hit.start()] + new + code[hit.end():]
        for hit in CONSTANT.finditer(code):
            value = hit.group(1)
            if value != "1" and ARRAY.match(code[: hit.start()]):
                continue
            new = repr(float(value) * 2 + (value.strip("0.") == ""))
            if value.isdigit():
                filled = value == "0" and FILLED.search(code[: hit.start()])
                new = "255" if filled else "0" if value == "1" else str(int(value) + 1)
            yield path, number, code[: hit.start()] + new + code[hit.end():]
        if STATEMENT.match(code) and not re.match(r"^\s+(const |double |int |size_t |jn_|return|real |v3 |six )", code):
            yield path, number, re.match(r"^\s*", code).group(0) + ";"


def pkg_config(what):
    return run(["pkg-config", what, "expat", "jansson", "yaml-0.1", "cmocka"]).stdout.split()


def sources_of(pattern):
    return sorted(glob.glob(pattern, root_dir=ROOT, recursive=True))


def python_config():
    """Flags of the interpreter that the tests run with, and of numpy; none: without the module."""
    ask = ("import sysconfig, numpy; print(sysconfig.get_paths()['include'], numpy.get_include(), "
           "sysconfig.get_config_var('EXT_SUFFIX'))")
    found = run([PYTHON, "-c", ask]).stdout.split()
    return ([f"-I{found[0]}", f"-I{found[1]}"], found[2]) if len(found) == 3 and os.path.exists(found[0] + "/Python.h") else None


class Library:
    """The library, the program and the module without a fault: their objects, and the sources that include each file."""

    def __init__(self):
        self.flags = ["-Iinclude", "-Isrc"] + pkg_config("--cflags")
        self.libs = pkg_config("--libs") + ["-lm", "-lpthread", "-ldl"]
        self.python = python_config()
        self.assets = os.path.join("build-mutate", "report_assets.c")
        self.parts = {"src": sources_of("src/**/*.c"), "cli": sources_of("cli/**/*.c") + [self.assets],
                      "python": sources_of("python/src/*.c") if self.python else []}
        self.sources = sum(self.parts.values(), [])
        self.uses = {}
        self.lock = threading.Lock()

    @staticmethod
    def object_of(source, folder):
        return os.path.join(WORK, folder, source.replace("/", "_")[:-2] + ".o")

    def options(self, source):
        if source in self.parts["python"]:
            return self.flags + self.python[0]
        return (["-DJN_BUILDING"] if source in self.parts["src"] else ["-iquote", "cli"]) + self.flags

    def compile(self, source, folder, flags=("-O1",), text=None, lead=()):
        """`lead` comes before the include path, so that a changed header is found first."""
        return run(CC + TRAP + list(flags) + list(lead) + self.options(source)
                   + ["-c", text or source, "-o", self.object_of(source, folder)]).returncode == 0

    def link(self, folder, changed, flags=()):
        """Links what has a changed source: libjounce.so, jounce, python/jounce/_jounce*.so."""
        at = os.path.join(WORK, folder)
        for old in ("libjounce.so", "jounce", "python"):
            path = os.path.join(at, old)
            shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
        for part, sources in self.parts.items():
            if not any(s in changed for s in sources):
                continue
            objects = [self.object_of(s, folder if s in changed else "base") for s in sources]
            out, more = os.path.join(at, "jounce"), [f"-L{WORK}/base", "-ljounce"]
            if part == "src":
                out, more = os.path.join(at, "libjounce.so"), []
            elif part == "python":
                package = os.path.join(at, "python", "jounce")
                shutil.copytree(os.path.join(ROOT, "python", "jounce"), package)
                out = os.path.join(package, "_jounce" + self.python[1])
            shared = [] if part == "cli" else ["-shared", "-Wl,-Bsymbolic"]
            if run(["gcc", "-o", out] + shared + list(flags) + objects + more + self.libs).returncode:
                return False
        return True

    def build(self, jobs):
        counting = ["-O1", "--coverage", "-fno-inline"]
        run(["cmake", f"-DOUTPUT={os.path.join(ROOT, self.assets)}", "-DUPLOT=", f"-DWEB={ROOT}/web", "-P", "cmake/embed.cmake"])
        good = parallel(jobs, lambda s: self.compile(s, "base") and self.compile(s, "cover", counting), self.sources)
        for source, built in zip(self.sources, good):
            if not built:
                sys.exit(f"mutate: {source} does not compile")
        if not self.link("base", self.sources) or not self.link("cover", self.sources, ["--coverage"]):
            sys.exit("mutate: the library, the program or the module cannot be linked")
        for source in self.sources:
            text = run(["gcc"] + self.options(source) + ["-DJN_SMALL", "-MM", source]).stdout
            for used in re.findall(r"(?:src|include|cli|python)/\S+", text):
                self.uses.setdefault(used, []).append(source)

    def same(self, source, folder, level="-O1"):
        """Whether the mutant's object is that of the library itself."""
        if level == "-O1":
            base = "base"
        else:
            base = "base" + level
            with self.lock:
                if not os.path.exists(self.object_of(source, base)):
                    self.compile(source, base, [level])
        with open(self.object_of(source, base), "rb") as one, open(self.object_of(source, folder), "rb") as other:
            return one.read() == other.read()


def parallel(jobs, work, items):
    """[work(item)], `jobs` at a time."""
    results, todo = [None] * len(items), iter(enumerate(items))
    lock = threading.Lock()

    def loop():
        while True:
            with lock:
                at, item = next(todo, (None, None))
            if at is None:
                return
            results[at] = work(item)
    threads = [threading.Thread(target=loop) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class Test:
    def __init__(self, name, command):
        self.name, self.command, self.seconds = name, command, 60.0
        self.kills, self.lines, self.functions = {}, {}, {}

    def run(self, folder, room, **more):
        """Whether it passes with the library in that folder, and its processor time. A mutant may run or wait for
        ever, or request all memory, so time and memory are limited."""
        room = os.path.join(WORK, room, "tmp")
        shutil.rmtree(room, ignore_errors=True)
        os.makedirs(room)
        bound = f"ulimit -c 0 -t {int(5 + 10 * self.seconds)} -v {4 << 20}; exec \"$@\""
        where = [os.path.join(WORK, folder), os.path.join(WORK, "base")]  # what has no mutant is the base's
        more.update(LD_LIBRARY_PATH=":".join(where), PYTHONPATH=":".join(w + "/python" for w in where),
                    JOUNCE_PROGRAM=os.path.join(WORK, "jounce"), MUTANT=where[0], PYTHONDONTWRITEBYTECODE="1", TMPDIR=room,
                    CMOCKA_TEST_ABORT="1", MALLOC_PERTURB_="165", LC_ALL="C")
        if self.name != "oom":  # it has a malloc of its own
            more["LD_PRELOAD"] = os.path.join(WORK, "guard.so")
        process = subprocess.Popen(["bash", "-c", bound, "test"] + self.command, cwd=room, env={**os.environ, **more},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        alarm = threading.Timer(120 + 60 * self.seconds, os.killpg, (process.pid, 9))
        alarm.start()
        _, status, used = os.wait4(process.pid, 0)
        alarm.cancel()
        process.returncode = status
        return status == 0, used.ru_utime + used.ru_stime

    def learn(self):
        """Runs with the instrumented library: whether it passes, its time, and the lines it covers."""
        room = "learn-" + self.name
        counts = os.path.join(WORK, room, "counts")
        os.makedirs(counts)
        good, self.seconds = self.run("cover", room, GCOV_PREFIX=counts, GCOV_PREFIX_STRIP="99")
        for data in glob.glob(counts + "/*.gcda"):
            note = os.path.basename(data)[:-4] + "gcno"
            os.symlink(os.path.join(WORK, "cover", note), os.path.join(counts, note))
        done = subprocess.run("gcov -j -t *.gcda", shell=True, cwd=counts, capture_output=True, text=True)
        for line in done.stdout.splitlines():
            for file in json.loads(line)["files"]:
                seen = self.lines.setdefault(file["file"], {})
                for at in file["lines"]:
                    seen[at["line_number"]] = seen.get(at["line_number"], False) or at["count"] > 0
                self.functions.setdefault(file["file"], []).extend(
                    (f["start_line"], f["end_line"], f["execution_count"] > 0) for f in file["functions"])
        shutil.rmtree(os.path.join(WORK, room))
        return good

    def reaches(self, path, line):
        """Whether it covers the line; for a line without code: its function; else assumed."""
        if line in self.lines.get(path, {}):
            return self.lines[path][line]
        around = [run for first, last, run in self.functions.get(path, []) if first <= line <= last]
        return any(around) or not around

    def promise(self, path):
        """Faults detected per second; those nearby count most."""
        words = [w for w in re.findall(r"[a-z]+", os.path.basename(path)[:-2]) if len(w) > 2]
        near = any(w in self.name for w in words)
        folder = os.path.dirname(path)
        chance = (0.02 + 0.3 * near + sum(self.kills.values()) / 20
                  + sum(n for p, n in self.kills.items() if os.path.dirname(p) == folder) / 4
                  + 2 * self.kills.get(path, 0))
        return chance / (self.seconds + 0.02)


# programs of the scorecard, with few cases: their sources and arguments
PROGRAMS = {
    "identities": ("tests/identities/*.c tests/oracle/*.c", ["--laws"]),
    "oracle_inverse": ("tests/oracle/*.c", ["--cases", "20", "--order", "6", "--ruler", "2"]),
    "oracle_forward": ("tests/oracle/*.c", ["--forward", "--cases", "20", "--order", "6"]),
    "oracle_shift": ("tests/oracle/*.c", ["--cases", "10", "--order", "4", "--shift", "0,1e3,1e6"]),
    "poison": ("tests/poison.c", []),
    "bad_models": ("tests/bad_models.c", []),
    "oom": ("tests/oom.c tests/failing_malloc.c", []),
}


def build_tests(library, jobs):
    """Every test program with its processor time; those that fail without a mutant are left out and listed."""
    flags = CC + ["-O1"] + library.flags + [
        "-Itests", "-iquote", "cli", f'-DTEST_DATA="{ROOT}/tests/data"', f'-DTEST_SHARED="{ROOT}/../shared"',
        f'-DTEST_PROGRAM="{WORK}/jounce"', f'-DTEST_INCLUDE="{ROOT}/include"',
        f'-DTEST_FAILING_MALLOC="{WORK}/failing_malloc.so"']
    link = [f"-L{WORK}/base", "-ljounce"] + library.libs

    def object_of(source):
        return Library.object_of(os.path.relpath(source, ROOT) if os.path.isabs(source) else source, "tests")

    def compile_one(source):
        done = run(flags + ["-c", source, "-o", object_of(source)])
        return done.stderr.strip().splitlines()[-1:] if done.returncode else None

    def program(name, objects):
        out = os.path.join(WORK, name)
        done = run(["gcc", "-o", out] + [object_of(o) for o in objects] + link)
        return out if done.returncode == 0 else None

    helpers = sorted(glob.glob("tests/helpers/*.c", root_dir=ROOT))
    single = sorted(glob.glob("tests/test_*.c", root_dir=ROOT))
    parts = {name: [f for p in what.split() for f in sorted(glob.glob(p, root_dir=ROOT)) if not f.endswith("plant.c")
                    and not (name == "identities" and f.endswith("oracle_ulp.c"))] for name, (what, _) in PROGRAMS.items()}
    sources = sorted(set(helpers + single + sum(parts.values(), [])))
    for source, wrong in zip(sources, parallel(jobs, compile_one, sources)):
        if wrong is not None:
            print("does not compile:", source, *wrong)
    run(flags + ["-shared", "-DPRELOADED", "tests/failing_malloc.c", "-o", os.path.join(WORK, "failing_malloc.so"), "-ldl"])
    run(CC + ["-O1", "-shared", "tests/preload/guard.c", "-o", os.path.join(WORK, "guard.so")])
    with open(os.path.join(WORK, "jounce"), "w") as script:  # the program with the mutant, or without
        script.write(f'#!/bin/sh\n[ -x "$MUTANT/jounce" ] && exec "$MUTANT/jounce" "$@"\nexec {WORK}/base/jounce "$@"\n')
    os.chmod(os.path.join(WORK, "jounce"), 0o755)
    tests = [(os.path.basename(s)[:-2], [s], []) for s in single]
    tests += [(name, parts[name], more) for name, (_, more) in PROGRAMS.items()]
    made = parallel(jobs, lambda t: program(t[0], t[1] + helpers), tests)
    found = [Test(t[0], [path] + t[2]) for t, path in zip(tests, made) if path]
    if library.python:
        found += [Test(os.path.basename(s)[:-3].replace("test_", "test_python_"), [PYTHON, os.path.join(ROOT, s)])
                  for s in sources_of("tests/python/test_*.py") if "wheel" not in s and "cost" not in s]
    for test, path in zip(tests, made):
        if not path:
            print("left out, cannot be built:", test[0])
    for test, good in zip(found, parallel(jobs, Test.learn, found)):
        if not good:
            print("left out, fails here:", test.name)
            found = [t for t in found if t is not test]
    return found


def try_mutant(library, tests, mutant, folder):
    """'killed by X', 'survived', 'does not compile' or 'same code'."""
    path, number, text = mutant
    lines, _ = code_lines(path)
    lines[number] = text
    shadow = os.path.join(WORK, folder, "shadow")
    shutil.rmtree(shadow, ignore_errors=True)
    changed = os.path.join(shadow, path)
    os.makedirs(os.path.dirname(changed))
    with open(changed, "w") as file:
        file.write("\n".join(lines))
    lead = [f"-I{shadow}/src"] + [x for f in ("cli", "python/src") for x in ("-iquote", f"{shadow}/{f}")]
    lead += ["-iquote", os.path.dirname(os.path.join(ROOT, path))]
    affected = library.uses.get(path, [])

    def compiled(sources, level):
        """The sources whose object is another one; None where one does not compile."""
        other = []
        for source in sources:
            if not library.compile(source, folder, [level], changed if source == path else None, lead):
                return None
            if not library.same(source, folder, level):
                other.append(source)
        return other
    different = compiled(affected, "-O1")
    if different is None:
        return "does not compile"
    if not different:
        return "same code"
    if not library.link(folder, different):
        return "does not compile"
    able = [t for t in tests if t.reaches(path, number + 1)]
    for test in sorted(able, key=lambda t: -t.promise(path)):
        if not test.run(folder, folder)[0]:
            test.kills[path] = test.kills.get(path, 0) + 1
            return "killed by " + test.name
    return f"survived {len(able)} tests" if compiled(different, "-O2") else "same code"


def explained(place, text):
    """The reason a survivor is known for: tools/mutants.txt."""
    with open(os.path.join(ROOT, "tools", "mutants.txt")) as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(fields) >= 2 and fields[0] == place and (len(fields) == 2 or fields[1] == text):
                return fields[-1]
    return None


def try_all(library, tests, mutants, count, jobs):
    """[(mutant, result)] of the first mutants until `count` of them count."""
    todo = iter(mutants)
    lock = threading.Lock()
    busy, counted, results = [0], [0], {}

    def loop(folder):
        while True:
            with lock:
                if counted[0] >= count:
                    return
                mutant = next(todo, None) if counted[0] + busy[0] < count else ()
                if mutant is None:
                    return
                busy[0] += mutant != ()
            if mutant == ():
                time.sleep(0.1)
                continue
            result = try_mutant(library, tests, mutant, folder)
            with lock:
                busy[0] -= 1
                counted[0] += result.startswith(("killed", "survived"))
                results[mutant] = result
                print(f"{mutant[0]}:{mutant[1] + 1}: {mutant[2].strip()[:90]}: {result}", flush=True)
    threads = []
    for k in range(jobs):
        os.makedirs(os.path.join(WORK, f"worker{k}"), exist_ok=True)
        threads.append(threading.Thread(target=loop, args=(f"worker{k}",)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    return [(m, results[m]) for m in mutants if m in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="mutants to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose path starts with this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time")
    parser.add_argument("--keep", action="store_true", help="with the build of the run before: nothing has changed")
    parser.add_argument("--list", action="store_true", help="count the mutants there are")
    options = parser.parse_args()
    files = [f for p in ("src/**/*.[ch]", "cli/**/*.[ch]", "python/src/*.[ch]") for f in sources_of(p)
             if f.startswith(options.only) and not f.endswith("scalar/lanes.h")]
    everything = list(dict.fromkeys(m for f in files for m in mutants_of(f)))
    if options.list:
        print(len(everything), "mutants in", len(files), "files")
        return 0
    random.Random(options.seed).shuffle(everything)
    start = time.time()
    library = Library()
    ready = os.path.join(WORK, "ready")
    if options.keep and os.path.exists(ready):
        with open(ready, "rb") as file:
            library.uses, tests = pickle.load(file)
    else:
        shutil.rmtree(WORK, ignore_errors=True)
        for folder in ("base", "base-O2", "cover", "tests"):
            os.makedirs(os.path.join(WORK, folder))
        library.build(options.jobs)
        tests = build_tests(library, options.jobs)
        with open(ready, "wb") as file:
            pickle.dump((library.uses, tests), file)
    print(f"{len(tests)} tests of {sum(t.seconds for t in tests):.0f} s built in {time.time() - start:.0f} s; seed {options.seed}")
    survivors, killed, total, folders = [], 0, 0, {}
    for (path, number, text), result in try_all(library, tests, everything, options.count, options.jobs):
        dead, alive = result.startswith("killed"), result.startswith("survived")
        killed, total = killed + dead, total + dead + alive
        folder = "/".join(path.split("/")[:2]) if path.startswith("src/") else path.split("/")[0]
        there = folders.setdefault(folder, [0, 0])
        there[0], there[1] = there[0] + dead, there[1] + dead + alive
        if alive:
            with open(os.path.join(ROOT, path)) as file:
                place = f"{path}: {file.read().split(chr(10))[number].strip()}"
            survivors.append((place, text.strip(), explained(place, text.strip())))
    for place, text, reason in survivors:
        print(f"survivor: {place}\n      as: {text}\n  reason: {reason or 'not explained'}")
    by_kills = sorted(tests, key=lambda t: -sum(t.kills.values()))
    print("most telling:", ", ".join(f"{t.name} {sum(t.kills.values())}" for t in by_kills[:8]))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{total} mutants in {time.time() - start:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time, "
          f"by {len(tests)} tests")
    score = 100.0 * killed / total if total else 0.0
    open_ones = sum(reason is None for _, _, reason in survivors)
    good = score >= 95 and open_ones == 0
    reasons = [f"{place.split(':')[0]}: {reason or 'not explained'}" for place, _, reason in survivors]
    print("score " + json.dumps({
        "line": 15, "measured": f"{killed} of {total} killed ({score:.1f} %), in src/core {'%d of %d' % tuple(folders.get('src/core', (0, 0)))}; "
        f"{len(survivors) - open_ones} survivors explained, {open_ones} not",
        "detail": "; ".join([f"seed {options.seed}"] + [f"{f} {d} of {n}" for f, (d, n) in sorted(folders.items())] + reasons),
        "target": ">= 95 % killed, each survivor explained", "pass": good}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
