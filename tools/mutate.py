#!/usr/bin/env python3
"""Mutation testing: puts small faults into the library, the program and the Python module, one at a time, and counts how many
the tests detect.

  tools/mutate.py [--per-folder N | --count N] [--seed S] [--only src/core] [--jobs N] [--keep] [--budget S] [--without TEST]
                  [--list]

A mutant is one change of one place of src/, cli/ or python/src/: an operator (+ - * / < <= > >= == != && ||), a constant, or a
statement left out; 1 becomes 0 (2 is as true), memset fills with 255, a larger array is not a mutant. Which mutants are in a
sample depends on the seed and on their own text: a change elsewhere leaves it as it is. All is built once, as plain C with
-O1, bounds checks of arrays, and huge numbers in variables until they are set; for a mutant only the sources whose code it
changes are compiled again. The tests (those of ctest in C, Python and shell, the code of the documentation, and the scorecard's
programs with few cases; behind every block of memory lie ones, which nobody may overwrite) that cover the line, according to
gcov, run until one fails: first those that most often detected a fault nearby for the time they take. A test is built when it
is first needed, and its lines are found when it has passed in vain for longer than finding them takes. One that takes far more
processor time than usual counts as failed; a mutant on which tests have spent the budget has survived. One that does not
compile, or gives the same code (with -O1 or with -O2), does not count.
--keep goes on in the folder of the run before, build-mutate: what changed is built again, mutants that were tried are not tried
again, survivors only by tests that are new or have changed.
Survivors are printed with their place; those explained in tools/mutants.txt change nothing that can be observed (equivalent, which
do not count) or are left to AddressSanitizer and counts, the others need a test. Prints line 15 of the scorecard; exit status 1 below 95 % or
with an unexplained survivor."""
import argparse
import collections
import glob
import hashlib
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
CACHE = ["ccache"] if shutil.which("ccache") else []  # not for mutants: none is compiled twice
CC = ["gcc", "-std=gnu11", "-fPIC", "-w", "-Wno-psabi", "-ffp-contract=off", "-fno-math-errno", "-DJN_SMALL"]
LINK = ["gcc"] + (["-fuse-ld=lld"] if shutil.which("ld.lld") else [])
# what the sanitized tests of line 8 would find: an array's bounds, a variable that is read before it is set
TRAP = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error", "-ftrivial-auto-var-init=pattern"]
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
LEARNING = 20.0  # seconds that it takes to find out the lines of a test
# words in the names of the tests that most often detected faults below a folder
TELLING = {
    "src/base": "base elementary io_text", "src/batch": "batch", "src/core": "dynamics identities kinematics formulations jacobian",
    "src/core/algebra": "constraints_closed digits", "src/core/derivatives": "partials linearise second regressor",
    "src/core/hybrid": "hybrid digits", "src/core/spatial": "spatial digits", "src/generate": "generate", "generated": "gpu python_gpu",
    "src/gpu": "gpu", "src/inst": "batch clock hybrid", "src/integrate": "simulate integrate", "src/io": "io_ lint",
    "src/io/tables": "table trajectory_file stamps", "src/io/native": "io_json io_save", "src/model": "model spec inertia lock",
    "src/motion": "retime limits ik", "src/scalar": "batch linearise_tables hybrid", "src/sweep": "sweep",
    "src/textbook": "newton_euler cmtm lagrange grouped", "src/trajectory": "trajectory recordings", "cli": "cli printed",
    "cli/bench": "cli_bench", "cli/demo": "demo", "cli/page": "scene report", "cli/output": "cli_output hostile_program",
    "python": "python"}
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


def newer(made, sources):
    """Whether a file is missing, or older than one of the sources."""
    if not os.path.exists(made):
        return True
    at = os.path.getmtime(made)
    return any(os.path.getmtime(os.path.join(ROOT, s)) > at for s in sources)


def included(object_file):
    """The files that an object was made from, as gcc wrote them down."""
    try:
        with open(object_file[:-1] + "d") as file:
            names = file.read().replace("\\\n", " ").split()[1:]
    except OSError:
        return None
    return [os.path.relpath(os.path.join(ROOT, n), ROOT) for n in names]


def core_text(at):
    """The headers of the core as text: of those below `at` where it has them."""
    with open(os.path.join(ROOT, "cmake", "core_text.cmake")) as file:
        names = re.search(r"set\(JOUNCE_CORE_TEXT ([^)]*)\)", file.read()).group(1).split()
    out, table = '#include "generate/generate.h"\n', ""
    for n, name in enumerate(names):
        path = os.path.normpath(os.path.join("src", name))
        other = os.path.join(at, path)
        with open(other if os.path.exists(other) else os.path.join(ROOT, path)) as file:
            lines = file.read().split("\n")
        out += f"static const char text{n}[] =\n" + "\n".join(json.dumps(x + "\n", ensure_ascii=False) for x in lines[:-1]) + ";\n"
        table += f'    {{"{name}", text{n}}},\n'
    return out + f"const jn_core_file jn_core_files[] = {{\n{table}    {{0, 0}}}};\n", ["src/" + n for n in names]


class Library:
    """The library (with libjounce_gpu), the program and the module without a fault: their objects, and the sources that include
    each file."""

    def __init__(self):
        self.flags = ["-Iinclude", "-Isrc"] + pkg_config("--cflags")
        self.libs = pkg_config("--libs") + ["-lm", "-lpthread", "-ldl"]
        self.python = python_config()
        self.assets, self.text = (os.path.join("build-mutate", n) for n in ("report_assets.c", "core_text.c"))
        self.parts = {"src": [s for s in sources_of("src/**/*.c") if "/ptx/" not in s] + [self.text],
                      "cli": sources_of("cli/**/*.c") + [self.assets],
                      "python": sources_of("python/src/**/*.c") if self.python else []}
        self.sources = sum(self.parts.values(), [])
        self.uses = {}
        self.lock, self.covering, self.covered, self.jobs = threading.Lock(), threading.Lock(), False, 1

    @staticmethod
    def object_of(source, folder):
        return os.path.join(WORK, folder, source.replace("/", "_")[:-2] + ".o")

    def options(self, source):
        if source in self.parts["python"]:
            return ["-DJOUNCE_HAS_GPU", "-iquote", "python/src"] + self.flags + self.python[0]
        return (["-DJN_BUILDING"] if source in self.parts["src"] else ["-iquote", "cli"]) + self.flags

    def compile(self, source, folder, flags=("-O1",), text=None, lead=()):
        """`lead` comes before the include path, so that a changed header is found first."""
        return run(([] if lead else CACHE) + CC + TRAP + list(flags) + list(lead) + self.options(source)
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
            shared += [f"-Wl,-rpath,{at}:{WORK}/base"]
            if run(LINK + ["-o", out] + shared + list(flags) + objects + more + self.libs).returncode:
                return False
        return True

    def build(self, jobs):
        """All that is not there, or older than its sources."""
        self.jobs = jobs
        assets, text = os.path.join(ROOT, self.assets), core_text("")[0]
        if newer(assets, sources_of("web/*.*")):
            web = os.path.join(WORK, "web")  # in the place of the libraries for figures and scenes
            os.makedirs(web, exist_ok=True)
            for name in ("uPlot.iife.min.js", "uPlot.min.css", "replay.js"):
                with open(os.path.join(web, name), "w") as file:
                    file.write("/* none */")
            run(["cmake", f"-DOUTPUT={assets}", f"-DUPLOT={web}", f"-DREPLAY={web}/replay.js", f"-DWEB={ROOT}/web", "-P",
                 "cmake/embed.cmake"])
        old = open(os.path.join(ROOT, self.text)).read() if os.path.exists(os.path.join(ROOT, self.text)) else None
        if text != old:
            with open(os.path.join(ROOT, self.text), "w") as file:
                file.write(text)

        self.make_all("base")
        for source in self.sources:
            for used in included(self.object_of(source, "base")):
                self.uses.setdefault(used, []).append(source)

    def make(self, source, folder):
        """The object of a source, in "base" or, counting lines, in "cover"."""
        made = self.object_of(source, folder)
        files = included(made)
        if files is not None and not newer(made, files):
            return True
        level = self.object_of(source, "base-O2")
        if folder == "base" and os.path.exists(level):
            os.remove(level)
        return self.compile(source, folder, (["-O1"] if folder == "base" else ["-O1", "--coverage", "-fno-inline"]) + ["-MMD"])

    def make_all(self, folder):
        for source, built in zip(self.sources, parallel(self.jobs, lambda s: self.make(s, folder), self.sources)):
            if not built:
                sys.exit(f"mutate: {source} does not compile")
        made = [os.path.join(WORK, folder, "libjounce.so"), os.path.join(WORK, folder, "jounce")]
        if any(newer(m, [self.object_of(s, folder) for s in self.sources]) for m in made):
            if not self.link(folder, self.sources, [] if folder == "base" else ["--coverage"]):
                sys.exit("mutate: the library, the program or the module cannot be linked")

    def cover(self):
        """The library that counts lines, built when it is first needed."""
        with self.covering:
            if not self.covered:
                self.make_all("cover")
                self.covered = True

    def lines_of(self, source):
        """{header: lines} with code in the object of a source, found out once."""
        made = self.object_of(source, "cover")
        with self.covering:
            self.make(source, "cover")
        kept = made[:-1] + "lines"
        if newer(kept, [made]):
            done = subprocess.run(["gcov", "-j", "-t", os.path.basename(made)[:-1] + "gcno"], cwd=os.path.dirname(made),
                                  capture_output=True, text=True)
            found = {}
            for line in done.stdout.splitlines():
                for file in json.loads(line)["files"]:
                    if file["file"].endswith(".h"):
                        found.setdefault(file["file"], set()).update(at["line_number"] for at in file["lines"])
            with open(made + str(threading.get_ident()), "wb") as file:
                pickle.dump(found, file)
            os.replace(file.name, kept)
        with open(kept, "rb") as file:
            return pickle.load(file)

    def affected(self, path, line):
        """The sources whose objects a changed line may change: of a header's line with code, those that hold it."""
        users = [s for s in self.uses.get(path, []) if s != self.text]
        return users if users == [path] else [s for s in users if line in self.lines_of(s).get(path, ())] or users

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
    """A test: `make` builds its command, where it has one to build. It is built when a mutant first needs it, runs without a
    mutant when it first fails, and its lines are found out when it has passed in vain for longer than that takes."""
    cover = None  # builds the library that counts lines
    KEPT = ("stamp", "seconds", "learned", "kills", "lines", "functions", "good", "vain")

    def __init__(self, name, command, sources, make=None):
        self.name, self.command, self.make, self.made, self.lock = name, command, make, False, threading.Lock()
        self.seconds, self.learned, self.good, self.vain = 5.0, 0.0, None, 0.0  # good: passes without a mutant; None: not known
        self.kills, self.lines, self.functions = {}, {}, {}
        text = b"".join(open(os.path.join(ROOT, s), "rb").read() for s in sources)
        self.stamp = name + " " + hashlib.sha1(text).hexdigest()[:12]
        self.kept = os.path.join(WORK, "learned", name)
        if os.path.exists(self.kept):
            with open(self.kept, "rb") as file:
                before = pickle.load(file)
            self.kills = before["kills"]
            if before["stamp"] == self.stamp and before["good"]:
                vars(self).update(before)

    def keep(self):
        with open(self.kept, "wb") as file:
            pickle.dump({k: getattr(self, k) for k in self.KEPT}, file)

    def is_built(self):
        with self.lock:
            if self.make and not self.made:
                self.made = self.make()
                if not self.made:
                    self.leave_out()
        return self.good is not False

    def leave_out(self):
        self.good = False
        print("left out, fails here:", self.name, flush=True)
        self.keep()

    def detects(self, folder):
        """Whether it fails with the mutant in that folder and passes without, and its processor time."""
        good, seconds = self.run(folder, folder)
        with self.lock:
            if self.good is None:  # the first time: is it the mutant, or the test?
                self.good, self.seconds = good, seconds
                if not good:
                    self.seconds = 120.0  # a bound: how long it takes is not known yet
                    self.good, self.seconds = self.run("base", folder)
                    if not self.good:
                        self.leave_out()
                        return False, seconds
                    good = self.run(folder, folder)[0]  # within the time that it takes
            self.vain += seconds * good
            if good and not self.learned and self.vain > 3 * self.seconds + LEARNING:
                self.learn()
            self.keep()
        return not good, seconds

    def run(self, folder, room, **more):
        """Whether it passes with the library in that folder, and its processor time. A mutant may run or wait for
        ever, or request all memory, so time and memory are limited."""
        room = os.path.join(WORK, room, "tmp")
        shutil.rmtree(room, ignore_errors=True)
        os.makedirs(room)
        bound = f"ulimit -c 0 -t {int(4 + 5 * self.seconds)} -v {4 << 20}; exec \"$@\""
        where = [os.path.join(WORK, folder), os.path.join(WORK, "base")]  # what has no mutant is the base's
        more.update(LD_LIBRARY_PATH=":".join(where), PYTHONPATH=":".join(w + "/python" for w in where),
                    JOUNCE_PROGRAM=os.path.join(WORK, "shell", "jounce"), MUTANT=where[0], PYTHONDONTWRITEBYTECODE="1", TMPDIR=room,
                    CMOCKA_TEST_ABORT="1", MALLOC_PERTURB_="165", PYTHONMALLOC="debug", LC_ALL="C")
        if self.name != "oom":  # it has a malloc of its own
            more["LD_PRELOAD"] = os.path.join(WORK, "guard.so")
        process = subprocess.Popen(["bash", "-c", bound, "test"] + self.command, cwd=room, env={**os.environ, **more},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        alarm = threading.Timer(600 + 120 * self.seconds, os.killpg, (process.pid, 9))
        alarm.start()
        _, status, used = os.wait4(process.pid, 0)
        alarm.cancel()
        process.returncode = status
        return status == 0, used.ru_utime + used.ru_stime

    def learn(self):
        """Runs with the instrumented library: the lines it covers."""
        Test.cover()
        room = "learn-" + self.name
        counts = os.path.join(WORK, room, "counts")
        shutil.rmtree(os.path.join(WORK, room), ignore_errors=True)
        os.makedirs(counts)
        usual, self.seconds = self.seconds, 10 * self.seconds + 20  # a bound: it takes longer than usual
        good, _ = self.run("cover", room, GCOV_PREFIX=counts, GCOV_PREFIX_STRIP="99")
        self.seconds = usual
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
        if not good:
            self.lines, self.functions = {}, {}  # reaches every line
        self.learned = time.time()

    def reaches(self, path, line):
        """Whether it covers the line; for a line without code: its function; else assumed. A program in C has no Python."""
        if path.startswith("python/") and self.command[0] not in (PYTHON, "sh"):
            return False
        if not self.learned or os.path.getmtime(os.path.join(ROOT, path)) > self.learned:
            return True
        if line in self.lines.get(path, {}):
            return self.lines[path][line]
        around = [run for first, last, run in self.functions.get(path, []) if first <= line <= last]
        return any(around) or not around

    def promise(self, path):
        """Faults detected per second; those nearby count most."""
        folder = os.path.dirname(path)
        words = [w for w in re.findall(r"[a-z]+", path[:-2]) if len(w) > 2 and w not in ("src", "core", "commands", "output")]
        near = sum(w[:6] in self.name for w in words)
        near += 2 * any(w in self.name for p, t in TELLING.items() if folder.startswith(p) for w in t.split())
        near += 4 * (path.startswith("cli/") and self.name == "test_printed" or path.startswith("cli/page/") and self.name == "test_scene")
        chance = (0.01 + 0.3 * near + sum(self.kills.values()) / 20
                  + sum(n for p, n in self.kills.items() if os.path.dirname(p) == folder) / 4
                  + 2 * self.kills.get(path, 0))
        return chance / (self.seconds + 0.02)


# programs of the scorecard, with few cases: their sources and arguments
PROGRAMS = {
    "identities": ("tests/identities/*.c", ["--laws"]),
    "oracle_inverse": ("tests/oracle/oracle_ulp.c", ["--cases", "20", "--order", "6", "--ruler", "2"]),
    "oracle_forward": ("tests/oracle/oracle_ulp.c", ["--forward", "--cases", "20", "--order", "6"]),
    "oracle_shift": ("tests/oracle/oracle_ulp.c", ["--cases", "10", "--order", "4", "--shift", "0,1e3,1e6"]),
    "poison": ("tests/poison.c", []),
    "bad_models": ("tests/bad_models.c", []),
    "oom": ("tests/oom.c tests/failing_malloc.c", []),
}


# tests in shell that run nothing but the program; test_generate, minutes of compilers, would spend a mutant's time alone
SCRIPTS = ["printed", "hostile_program", "sweep_program", "resume", "report", "scene", "site"]


def build_folder(library):
    """A build folder for scripts: the program and the module with the mutant, or without; the library without."""
    shell = os.path.join(WORK, "shell")
    where = f'LD_LIBRARY_PATH="$MUTANT:{WORK}/base" exec'
    start = f'#!/bin/sh\n[ -x "$MUTANT/jounce" ] && {where} "$MUTANT/jounce" "$@"\n{where} {WORK}/base/jounce "$@"\n'
    fault = ('#!/bin/sh\nprintf "#include <stdio.h>\\nint main(void) { return puts(\\"id0 FAILED\\") > 0; }\\n" '
             '>$1/fault_test.c; echo >$1/fault.c\n')
    module = ("import os\n__path__ = [p for p in (d + '/python/jounce' for d in (os.environ['MUTANT'], %r)) if os.path.isdir(p)][:1]\n"
              "with open(__path__[0] + '/__init__.py') as file:\n    exec(file.read())\n" % (WORK + "/base"))
    install = (f'file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}/lib" TYPE FILE FILES "{shell}/libjounce.a")\n'
               f'file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}/bin" TYPE PROGRAM FILES "{shell}/jounce")\n'
               f'file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}/include" TYPE DIRECTORY FILES "{ROOT}/include/jounce")\n')
    for name, text in (("jounce", start), ("tests/jounce_still", start), ("tests/generate_fault", fault),
                       ("python/jounce/__init__.py", module), ("cmake_install.cmake", install), ("jounce.pc", "Libs.private: -lm\n"),
                       ("CMakeCache.txt", "CMAKE_C_COMPILER:FILEPATH=gcc\n")):
        path = os.path.join(shell, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)
    archive = os.path.join(shell, "libjounce.a")
    if os.path.exists(archive):
        os.remove(archive)
    run(["ar", "rcs", archive] + [library.object_of(s, "base") for s in library.parts["src"]])
    return shell


def all_tests(library, jobs):
    """Every test, not built yet."""
    flags = CACHE + CC + ["-O1"] + library.flags + [
        "-MMD", "-Itests", "-iquote", "cli", f'-DTEST_DATA="{ROOT}/tests/data"', f'-DTEST_SHARED="{ROOT}/../shared"',
        f'-DTEST_PROGRAM="{WORK}/shell/jounce"', f'-DTEST_INCLUDE="{ROOT}/include"',
        f'-DTEST_FAILING_MALLOC="{WORK}/failing_malloc.so"', f'-DTEST_FAKE_DRIVER="{WORK}/fake_driver.so"']

    def object_of(source):
        return Library.object_of(source, "tests")

    def compile_one(source):
        made = object_of(source)
        files = included(made)
        return files and not newer(made, files) or run(flags + ["-c", source, "-o", made]).returncode == 0

    def maker(out, sources):
        def make():
            objects = [object_of(s) for s in sources]
            return all([compile_one(s) for s in sources]) and (not newer(out, objects + [helping]) or run(
                LINK + ["-o", out] + objects + [helping, f"-L{WORK}/base", "-ljounce"] + library.libs).returncode == 0)
        return make

    helpers = [s for s in sources_of("tests/helpers/*.c") + sources_of("tests/oracle/*.c") if not s.endswith("oracle_ulp.c")]
    helpers.append("tests/gpu/check.c")
    helping = os.path.join(WORK, "helping.a")
    if not all(parallel(jobs, compile_one, helpers)):
        sys.exit("mutate: the helpers of the tests do not compile")
    if newer(helping, [object_of(s) for s in helpers]):
        run(["ar", "rcs", helping] + [object_of(s) for s in helpers])
        for program in glob.glob(os.path.join(WORK, "programs", "*")):
            os.remove(program)
    run(flags + ["-shared", "-DPRELOADED", "tests/failing_malloc.c", "-o", os.path.join(WORK, "failing_malloc.so"), "-ldl"])
    run(CC + ["-O1", "-shared", "-Itests", "-Wl,-soname,libcuda.so.1", "tests/gpu/fake_driver.c", "-o", os.path.join(WORK, "fake_driver.so")])
    run(CC + ["-O1", "-shared", "tests/preload/guard.c", "-o", os.path.join(WORK, "guard.so")])
    programs = [(os.path.basename(s)[:-2], [s], []) for s in sources_of("tests/test_*.c")]
    programs += [(name, [f for p in what.split() for f in sources_of(p) if not f.endswith("plant.c")], more)
                 for name, (what, more) in PROGRAMS.items()]
    tests = []
    for name, sources, more in programs:
        out = os.path.join(WORK, "programs", name)
        tests.append(Test(name, [out] + more, sources, maker(out, sources)))
    if library.python:
        tests += [Test(os.path.basename(s)[:-3].replace("test_", "test_python_"), [PYTHON, os.path.join(ROOT, s)], [s])
                  for s in sources_of("tests/python/test_*.py") if not any(w in s for w in ("wheel", "cost", "torch", "types"))]
    Test.cover = library.cover
    shell = build_folder(library)
    for page in ["README.md"] + sources_of("docs/*.md") + sources_of("docs/tutorials/*.md"):
        with open(os.path.join(ROOT, page)) as file:
            if re.search(r"^ *```(sh|console|python)$", file.read(), re.M):
                tests.append(Test("docs_" + os.path.basename(page)[:-3], ["sh", f"{ROOT}/tests/test_docs.sh", ROOT, shell, page], [page]))
    return tests + [Test("test_" + s, ["sh", f"{ROOT}/tests/test_{s}.sh", ROOT, shell],
                         [f"tests/test_{s}.sh"] + sources_of(f"tests/data/{s}.txt")) for s in SCRIPTS]


class Mutant:
    """One change of a line; known by its text."""

    def __init__(self, path, number, text, line, nth):
        self.path, self.number, self.text, self.place = path, number, text, f"{path}: {line.strip()}"
        self.name = hashlib.sha1(f"{self.place}\t{text.strip()}\t{nth}".encode()).hexdigest()[:16]

    def rank(self, seed):
        return hashlib.sha1(f"{seed} {self.name}".encode()).hexdigest()

    def folder(self):
        return os.path.dirname(self.path).replace("src/gpu/ptx", "src/gpu")


def all_mutants(files):
    for path in files:
        lines, _ = code_lines(path)
        seen = {}
        for _, number, text in dict.fromkeys(mutants_of(path)):
            same = lines[number], text
            seen[same] = seen.get(same, 0) + 1
            yield Mutant(path, number, text, lines[number], seen[same])


def try_mutant(library, tests, mutant, folder, budget, passed):
    """'killed by X', 'survived', 'does not compile' or 'same code'; and the stamps of tests that it passes, those of `passed`
    without trying."""
    path, number = mutant.path, mutant.number
    lines, _ = code_lines(path)
    lines[number] = mutant.text
    shadow = os.path.join(WORK, folder, "shadow")
    shutil.rmtree(shadow, ignore_errors=True)
    changed = os.path.join(shadow, path)
    os.makedirs(os.path.dirname(changed))
    with open(changed, "w") as file:
        file.write("\n".join(lines))
    lead = [f"-I{shadow}/src"] + [x for f in ("cli", "python/src") for x in ("-iquote", f"{shadow}/{f}")]
    lead += ["-iquote", os.path.dirname(os.path.join(ROOT, path))]
    able = [t for t in tests if t.good is not False and t.reaches(path, number + 1)]
    affected = library.affected(path, number + 1)
    text, names = core_text(shadow)
    if path in names:
        affected.append(library.text)
        with open(os.path.join(shadow, "core_text.c"), "w") as file:
            file.write(text)

    def compiled(sources, level):
        """The sources whose object is another one; None where one does not compile."""
        other = []
        for source in sources:
            at = changed if source == path else os.path.join(shadow, "core_text.c") if source == library.text else None
            if not library.compile(source, folder, [level], at, lead):
                return None
            if not library.same(source, folder, level):
                other.append(source)
        return other
    different = compiled(affected, "-O1")
    if different is None:
        return "does not compile", []
    if not different:
        return "same code", []
    if not library.link(folder, different):
        return "does not compile", []
    # what only generated code and kernels are made of, such as text under JN_FOLDED, is seen by their tests alone
    near = "generated/code.c" if different == [library.text] else path
    spent, done = 0.0, list(passed)
    for test in sorted(able, key=lambda t: -t.promise(near)):
        if spent > budget:
            return f"survived {len(done)} of {len(able)} tests", done
        if test.stamp in done or not test.is_built():
            continue
        detected, seconds = test.detects(folder)
        spent += seconds
        if detected:
            test.kills[path] = test.kills.get(path, 0) + 1
            test.keep()
            return "killed by " + test.name, done
        if test.good:
            done.append(test.stamp)
    return (f"survived {len(able)} tests" if compiled(different, "-O2") else "same code"), done


def is_equivalent(reason):
    """Whether nothing that can be observed changes. Such mutants do not count: no test can detect them."""
    return reason is not None and not reason.startswith("left: ")


def explained(place, text):
    """The reason a survivor is known for: tools/mutants.txt."""
    with open(os.path.join(ROOT, "tools", "mutants.txt")) as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(fields) >= 2 and fields[0] == place and (len(fields) == 2 or fields[1] == text):
                return fields[-1]
    return None


class Results:
    """What is known of mutants: a line a mutant in build-mutate/results, the last one counts."""

    def __init__(self):
        self.path, self.known = os.path.join(WORK, "results"), {}
        if os.path.exists(self.path):
            with open(self.path) as file:
                for line in file:
                    record = json.loads(line)
                    self.known[record["name"]] = record

    def put(self, mutant, result, passed):
        self.known[mutant.name] = record = dict(name=mutant.name, place=mutant.place, result=result, passed=passed)
        with open(self.path, "a") as file:
            file.write(json.dumps(record) + "\n")


def try_all(library, tests, queues, count, options):
    """[(mutant, result)] of the first mutants of every queue until `count` of each count."""
    known = Results()
    lock = threading.Lock()
    results, start = [], time.time()

    def attempt(mutant, folder):
        record = known.known.get(mutant.name, {"result": "", "passed": []})
        able = {t.stamp for t in tests if t.good is not False and t.reaches(mutant.path, mutant.number + 1)}
        if record["result"] and (not record["result"].startswith("survived") or able <= set(record["passed"])):
            return record["result"]
        result, passed = try_mutant(library, tests, mutant, folder, options.budget, record["passed"])
        with lock:
            known.put(mutant, result, passed)
            print(f"{time.time() - start:5.0f} s {mutant.path}:{mutant.number + 1}: {mutant.text.strip()[:90]}: {result}", flush=True)
        return result

    turns = collections.deque((iter(q), 0) for q in queues)  # one mutant of each in turn

    def work(folder):
        os.makedirs(os.path.join(WORK, folder), exist_ok=True)
        while True:
            try:
                queue, counted = turns.popleft()
            except IndexError:
                return
            for mutant in queue:
                result = attempt(mutant, folder)
                with lock:
                    results.append((mutant, result))
                if result.startswith(("killed", "survived")):
                    counted += 1
                    if counted < count:
                        turns.append((queue, counted))
                    break
    parallel(options.jobs, work, [f"worker{k}" for k in range(options.jobs)])
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="mutants to try, of all folders together")
    parser.add_argument("--per-folder", type=int, metavar="N", help="mutants to try in every folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", help="files whose path starts with this (may be repeated)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time")
    parser.add_argument("--budget", type=float, default=60.0, metavar="S", help="processor time of the tests of one mutant")
    parser.add_argument("--without", action="append", default=[], help="leaves out tests with this in their name (may be repeated)")
    parser.add_argument("--keep", action="store_true", help="go on where the run before ended")
    parser.add_argument("--list", action="store_true", help="count the mutants there are")
    options = parser.parse_args()
    files = [f for p in ("src/**/*.[ch]", "cli/**/*.[ch]", "python/src/**/*.[ch]") for f in sources_of(p)
             if f.startswith(tuple(options.only or [""])) and not f.endswith("scalar/lanes.h") and "/ptx/" not in f]
    everything = sorted(all_mutants(files), key=lambda m: m.rank(options.seed))
    folders = {}
    for mutant in everything:
        folders.setdefault(mutant.folder(), []).append(mutant)
    if options.list:
        print("\n".join(f"{len(m):6} {f}" for f, m in sorted(folders.items())))
        print(len(everything), "mutants in", len(files), "files")
        return 0
    start = time.time()
    library = Library()
    if not options.keep:
        shutil.rmtree(WORK, ignore_errors=True)
    for folder in ("base", "base-O2", "cover", "tests", "programs", "learned"):
        os.makedirs(os.path.join(WORK, folder), exist_ok=True)
    library.build(options.jobs)
    tests = [t for t in all_tests(library, options.jobs) if not any(w in t.name for w in options.without)]
    print(f"built in {time.time() - start:.0f} s; {len(tests)} tests; seed {options.seed}", flush=True)
    queues, count = (list(folders.values()), options.per_folder)
    if not options.per_folder:
        queues, count = [everything[k::options.jobs] for k in range(options.jobs)], -(-options.count // options.jobs)
    results = try_all(library, tests, queues, count, options)
    return report(results, tests, options, start)


def report(results, tests, options, start):
    survivors, table = [], {}
    for mutant, result in results:
        dead, alive = result.startswith("killed"), result.startswith("survived")
        reason = explained(mutant.place, mutant.text.strip()) if alive else None
        row = table.setdefault(mutant.folder(), [0, 0, 0])
        row[0], row[1], row[2] = row[0] + dead, row[1] + dead + alive, row[2] + is_equivalent(reason)
        if alive:
            survivors.append((mutant, reason))
    for mutant, reason in survivors:
        print(f"survivor: {mutant.place}\n      as: {mutant.text.strip()}\n  reason: {reason or 'not explained'}")
    by_kills = sorted(tests, key=lambda t: -sum(t.kills.values()))
    print("most telling:", ", ".join(f"{t.name} {sum(t.kills.values())}" for t in by_kills[:8]))
    killed, total, equivalent = (sum(r[i] for r in table.values()) for i in range(3))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{total} mutants in {time.time() - start:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time, "
          f"by {len(tests)} tests")
    count = total - equivalent
    score = 100.0 * killed / count if count else 0.0
    rest = sum(reason is None for _, reason in survivors)
    left = len(survivors) - equivalent - rest
    lowest = min((r[0] / (r[1] - r[2]) for r in table.values() if r[1] > r[2]), default=1.0)
    good = score >= 95 and rest == 0
    rows = [f"{f} {d} of {n}" + (f" ({e} equivalent)" if e else "") for f, (d, n, e) in sorted(table.items())]
    print("score " + json.dumps({
        "line": 15, "measured": f"{killed} of {count} killed ({score:.1f} %) in {len(table)} folders; {left} left to sanitizers and counts, explained; "
        f"{rest} unexplained; the lowest folder {100 * lowest:.0f} %; {equivalent} more are equivalent, explained",
        "detail": "; ".join([f"seed {options.seed}"] + rows),
        "target": ">= 95 % killed; in every folder every survivor is explained", "pass": good}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
