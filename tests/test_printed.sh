#!/bin/sh
# What the program prints, and the scripts it gives to gnuplot, are as stored (tests/data/printed.txt): words exactly, numbers to
# 1e-6 of the largest of their line, times left out. The numbers themselves are tested elsewhere; here: tables, units, names, signs, order.
# usage: sh test_printed.sh SOURCE_DIR BUILD_DIR [--update]
. "$1/tests/helpers/head.sh"
cp -r "$source/examples/data" "$source/tests/data/odd" .
printf '#!/bin/sh\nexec "%s" "$@"\n' "$build/jounce" >jounce
# in the place of gnuplot: keeps the script without the rows of the data
printf '#!/bin/sh\nsed "/^\\$[a-z0-9]* << END/,/^END/d" >>script.gp\nprintf "<svg>%%80s</svg>" " "\n' >gnuplot
chmod +x jounce gnuplot
JOUNCE_ISA=plain PATH=$work:$PATH python3 - "$source/tests/data/printed.txt" "${3:-}" <<'END'
import base64, json, math, os, struct, re, subprocess, sys
path, update = sys.argv[1], sys.argv[2] == "--update"
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w])")

def moving(model, options=""):
    """A state of a model in which everything moves."""
    count = [0]
    def fill(x, key=""):
        if isinstance(x, dict):
            return {k: fill(v, k) for k, v in x.items()}
        if isinstance(x, list):
            return x if key in ("quat", "R") else [fill(v, key) for v in x]
        count[0] += 1
        return round(0.4 * math.sin(1.7 * count[0]), 3) if isinstance(x, (int, float)) else x
    text = subprocess.run(f"jounce state {model} {options}", shell=True, capture_output=True, text=True, check=True).stdout
    return fill(json.loads(text))

for name, model in (("tilt", "tilthex"), ("two", "double_pendulum"), ("human", "humanoid"), ("arm", "arm6"), ("all", "odd/all_joint_types.json"), ("four", "fourbar")):
    with open(name + ".json", "w") as file:
        json.dump(moving(model, "--order 2"), file)

def packed(match):
    """The numbers of an array in a page: how many, the first, the last, their sum; of a text its first line and last line."""
    if len(match.group(1)) % 4:
        return match.group(0)
    data = base64.b64decode(match.group(1))
    try:
        text = data.decode("ascii")
        if text.isprintable() or "\n" in text:
            return '"%s ... %s"' % (text.splitlines()[0], text.splitlines()[-1])
    except UnicodeDecodeError:
        pass
    for kind, size in (("d", 8), ("f", 4), ("H", 2)):
        x = struct.unpack("<%d%s" % (len(data) // size, kind), data[:len(data) // size * size])
        middle = sorted(abs(v) for v in x)[len(x) // 2]
        if len(data) % size == 0 and (kind == "H" or max(map(abs, x)) < 1e12 and (middle > 1e-6 or middle == 0)):
            return '"%d numbers %.7g %.7g %.7g %.7g"' % (len(x), x[0], x[len(x) // 2], x[-1], sum(x))
    return '"%d bytes"' % len(data)

def page(name):
    """What a page says, without scripts and styles."""
    text = open(name).read()
    text = re.sub(r"<style>.*?</style>|<script>.*?</script>|<head>.*?</head>", "", text, flags=re.S)
    text = re.sub(r"in [0-9.e+-]+ s on this machine|, [0-9.e+-]+ s on this machine", "TIME", text)
    text = re.sub(r'"(?:data:[a-z/;=0-9-]*,)?([A-Za-z0-9+/=]{24,})"', packed, text)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip()) + "\n"

blocks = open(path).read().split("\n$ ")
head, blocks = blocks[0], [b.split("\n", 1) for b in blocks[1:]]
wrong = 0

def numbers(line):
    return [float(x) for x in NUMBER.findall(line)]

def same(got, want):
    if NUMBER.sub("#", got).split() != NUMBER.sub("#", want).split():
        return False
    a, b = numbers(got), numbers(want)
    scale = max((abs(x) for x in b), default=0)
    # what is rounding has no digits to compare
    return all(abs(x - y) <= 1e-6 * scale or max(abs(x), abs(y)) < 1e-9 for x, y in zip(a, b))

subprocess.run("jounce show pendulum --output x.html", shell=True, capture_output=True)
whole = "application/json" in open("x.html").read()
for i, block in enumerate(blocks):
    command, want = block[0], block[1] if len(block) > 1 else ""
    if ".html" in command and not whole:
        print("left out, this program was built without figures and scenes: $ " + command)
        continue
    if os.path.exists("script.gp"):
        os.remove("script.gp")
    done = subprocess.run(command, shell=True, capture_output=True)
    got = done.stdout.decode() + done.stderr.decode() + (f"exit status {done.returncode}\n" if done.returncode else "")
    if ".html" in command:
        got += page("x.html")
    if "--plot" in command:
        got += open("script.gp").read() if os.path.exists("script.gp") else ""
    got = re.sub(r'(order \d+, |"seconds": )[\d.e+-]+', r"\1TIME", got)
    got = got.replace("\n$ ", "\n $ ").rstrip("\n") + "\n"
    if update:
        block[:] = [command, got]
        continue
    a, b = got.splitlines(), want.rstrip("\n").splitlines()
    for n in range(max(len(a), len(b))):
        x, y = a[n] if n < len(a) else "(nothing)", b[n] if n < len(b) else "(nothing)"
        if not same(x, y):
            print(f"FAILED: $ {command}\n  line {n + 1}\n    prints {x}\n    stored {y}")
            wrong += 1
            break
if update:
    with open(path, "w") as file:
        file.write(head + "".join(f"\n$ {c}\n{t}" for c, t in blocks))
print(f"{len(blocks)} commands, {wrong} print something else")
sys.exit(wrong > 0)
END
