#!/usr/bin/env python3
"""Pages of the program in headless Chromium: no message on the console, nothing fetched, figures painted, the robot where it
should be (screenshots against references), dragging, clicking, the keyboard alone.

usage: pages.py PROGRAM [--full] [--update]
    --full    all pages; else a sample
    --update  write the references instead of comparing with them"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import chromium  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
FULL, UPDATE = "--full" in sys.argv, "--update" in sys.argv
TOLERANCE = 0.006  # share of the pixels of a screenshot that may differ

ARM = {"kind": "minimum", "derivative": 5, "times": [0, 0.8, 2],
       "joints": {"joint1": [0, 1, 0.5], "joint2": [0, -0.5, 1], "joint3": [0, 0.7, -0.4], "joint4": [0, 0.2, 0.9],
                  "joint5": [0, 0.5, 0.2], "joint6": [0, 1, 2]}}
FLIGHT = {"kind": "minimum", "derivative": 4, "times": [0, 1, 2.5],
          "base": {"values": [[1, 0, 0, 0, 0, 0, 1], [0.96, 0, 0.28, 0, 0.6, 0, 1.3], [0.8, 0, 0, 0.6, 0.6, 0.9, 1]]},
          "joints": {"q2": [0, 1, 0.5], "q3": [0.2, 0.4, 0.1], "q4": [0, 0.8, 0.8], "q5": [0, 0.1, 0.4], "q6": [0, 1, 0.2],
                     "q7": {"kind": "hold", "value": 0.3}}}
HOSTILE = {"name": "</title><script>window.owned=1</script><img src=x onerror=window.owned=1>", "bodies": [
    {"name": "a<b>", "joint": {"name": "</script><script>window.owned=1</script>", "type": "revolute", "axis": [0, 1, 0],
                               "point": [0, 0, 0]}, "home": {"p": [1, 0, 0]}, "mass": 1},
    {"name": "b", "parent": "a<b>", "joint": {"name": "q<img src=x onerror=window.owned=1>", "type": "prismatic",
                                              "axis": [1, 0, 0], "point": [0, 0, 0]}, "home": {"p": [2, 0, 0]}, "mass": 1}]}

INERTIA = '<inertial><origin xyz="0 0 0.2"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
CART = """<robot name="cart"><link name="rail"><visual><geometry><box size="2 0.1 0.1"/></geometry></visual></link>
<link name="box">%s<visual><geometry><mesh filename="meshes/corner.obj" scale="0.3 0.3 0.3"/></geometry></visual></link>
<link name="pole">%s<visual><geometry><mesh filename="meshes/gone.stl"/></geometry></visual></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="box"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" velocity="2" effort="50"/></joint>
<joint name="swing" type="continuous"><parent link="box"/><child link="pole"/><axis xyz="0 1 0"/></joint></robot>""" % (INERTIA, INERTIA)

failures = []


def check(good, what):
    print(("ok    " if good else "FAILED ") + what, flush=True)
    if not good:
        failures.append(what)


def make(name, *arguments, status=(0,)):
    """A page; returns its path."""
    page = name + ".html"
    option = "--output" if arguments[0] == "show" else "--report"
    done = subprocess.run([PROGRAM, *arguments, option, page, "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in status:
        raise SystemExit("%s: %s" % (name, done.stderr))
    return page


STATE = """(() => {
  const panels = [...document.querySelectorAll(".panel")], links = [...document.querySelectorAll("a[download]")];
  const painted = panels.filter((p) => [...p.querySelectorAll("canvas")].some((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((x) => x !== 0)));
  const folded = panels.filter((p) => p.classList.contains("folded"));
  return { panels: panels.length, drawn: painted.length + folded.length, folded: folded.length, blobs: links.every((a) => a.href.startsWith("blob:")),
    wide: document.documentElement.scrollWidth > innerWidth + 1, owned: Boolean(window.owned), replay: Boolean(document.querySelector("section.replay").replay),
    unnamed: [...document.querySelectorAll("button, input, select, canvas[tabindex]")].filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || (e.labels && e.labels.length))).length };
})()"""


def look(browser, page, panels=True):
    browser.open(page)
    s = browser.evaluate(STATE)
    quiet = browser.messages == [] and all(u.startswith(("file:", "data:", "blob:")) for u in browser.requests)
    good = quiet and s["drawn"] == s["panels"] and (s["panels"] > 0) == panels and s["blobs"] and s["replay"] and not s["wide"] \
        and not s["owned"] and s["unnamed"] == 0
    check(good, "%s: %d panels, %d folded%s" % (page, s["panels"], s["folded"], "" if good else " %s %s" % (s, browser.messages)))


def stage(browser):
    """The scene alone, of a fixed size, as a small PNG."""
    browser.evaluate("document.activeElement.blur()")
    browser.evaluate("""(() => { const s = document.querySelector(".stage"); Object.assign(s.style, { width: "480px", height: "360px", border: "0", borderRadius: "0" }); s.parentElement.style.maxHeight = "none"; })()""")
    browser.settle()
    browser.evaluate("document.querySelector('section.replay').replay.view.look('corner')")
    browser.settle()
    return browser.picture(".stage", scale=0.5)


def compare(browser, name, plant):
    """The scene against its reference; the fault that `plant` makes must be seen."""
    picture = stage(browser)
    path = os.path.join(HERE, "references", name + ".png")
    if UPDATE:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "wb").write(picture)
    reference = open(path, "rb").read()
    same = chromium.difference(picture, reference)
    browser.evaluate(plant)
    browser.settle()
    wrong = chromium.difference(browser.picture(".stage", scale=0.5), reference)
    check(same <= TOLERANCE < wrong, "%s as its reference: %.4f of the pixels differ; with a wrong pose %.4f; allowed %.4f" % (name, same, wrong, TOLERANCE))
    if same > TOLERANCE:
        open(os.path.join(tempfile.gettempdir(), "jounce_" + name + ".png"), "wb").write(picture)


# the robot at a time, and with joint i turned by x at that time
def at(t):
    return "(() => { const r = document.querySelector('section.replay').replay; r.seek(%g); return r.t; })()" % t


def turned(index, by):
    return """(() => { const r = document.querySelector('section.replay').replay, row = r.motion.q, n = r.scene.home.length;
      for (let k = 0; k < r.motion.rows; k++) row[k * n + %d] += %g; r.update(); })()""" % (index, by)


NOW = "document.querySelector('section.replay').replay.t"
TOOL = "JSON.stringify(document.querySelector('section.replay').replay.poses)"


def dragging(browser):
    browser.evaluate("scrollTo(0, 0)")
    x, y, w, h = browser.box(".panel .u-over")
    before = browser.evaluate(TOOL)
    browser.drag((x + 0.1 * w, y + h / 2), (x + 0.65 * w, y + h / 2))
    t, slider = browser.evaluate(NOW), float(browser.evaluate("document.querySelector('.time').value"))
    line = browser.evaluate("""(() => { const a = document.querySelector('.panel .now').getBoundingClientRect(), b = document.querySelector('.panel .u-over').getBoundingClientRect(); return (a.x + 1 - b.x) / b.width; })()""")
    check(abs(t - 1.3) < 0.02 and abs(slider - t) < 1e-9 and abs(line - 0.65) < 0.01 and browser.evaluate(TOOL) != before,
          "dragging in a figure to t = 1.3 s: robot at %.4f, slider at %.4f, line at %.3f of the width" % (t, slider, line))
    x, y, w, h = browser.box(".panel .u-over")
    browser.drag((x + 0.3 * w, y + h / 2), (x + 0.6 * w, y + h / 2), shift=True)
    outside = browser.evaluate("document.querySelector('.panel .now').style.display === 'none'")
    check(outside and abs(browser.evaluate(NOW) - t) < 1e-9, "dragging with Shift zooms and leaves the robot where it is")
    name = "document.querySelectorAll('.panel .u-series')[1]"
    browser.evaluate(name + ".querySelector('th').click()")
    check(browser.evaluate(name + ".classList.contains('u-off')"), "a click on a name hides its curve")


def wait_until_later(browser, than):
    """Time passes while it plays; slowly, so that a slow machine does not reach the end."""
    browser.evaluate("document.querySelector('section.replay').replay.speed = 0.1")
    while browser.evaluate(NOW) <= than:
        browser.settle()
    return browser.evaluate(NOW)


def playing(browser):
    browser.evaluate(at(0))
    browser.click(".play")
    moved = wait_until_later(browser, 0)
    browser.click(".play")
    stopped = browser.evaluate(NOW)
    browser.evaluate("new Promise((r) => setTimeout(r, 200))")
    still = browser.evaluate(NOW)
    text = browser.evaluate("document.querySelector('.status').textContent")
    check(0 < moved < 2 and still == stopped and "t = " in text, "play and pause by clicks: t = %.2f s, '%s'" % (moved, text.strip()))
    a = browser.box(".stage canvas")
    camera = "JSON.stringify(document.querySelector('section.replay').replay.view.camera.position)"
    before = browser.evaluate(camera)
    browser.drag((a[0] + 100, a[1] + 100), (a[0] + 180, a[1] + 130))
    check(browser.evaluate(camera) != before, "dragging in the scene turns the camera")


def keyboard(browser):
    """With the keyboard alone: time, camera, and every control within reach of Tab."""
    browser.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    browser.key("End")
    end = browser.evaluate(NOW)
    browser.key("Home")
    browser.key("ArrowRight", shift=False)
    step = browser.evaluate(NOW)
    camera = "JSON.stringify(document.querySelector('section.replay').replay.view.camera.position)"
    before = browser.evaluate(camera)
    browser.key("4", "Digit4")
    turned_to = browser.evaluate(camera)
    browser.key(" ", "Space")
    played = wait_until_later(browser, step)
    browser.key(" ", "Space")
    check(end > 1.99 and played < 2 and 0 < step < 0.1 and turned_to != before and played > step, "keys: End %.2f, arrow %.3f, camera, space %.2f" % (end, step, played))
    reached = []
    for _ in range(14):
        browser.key("Tab")
        reached.append(browser.evaluate("(document.activeElement.className || document.activeElement.tagName) + ' ' + (document.activeElement.getAttribute('aria-label') || '')"))
    wanted = ["play", "time in seconds", "play speed", "coloured by", "Camera: top"]
    check(all(any(w in r for r in reached) for w in wanted), "Tab reaches %s" % ", ".join(wanted))


def sliders(browser):
    browser.evaluate("document.querySelector('.slide input').focus()")
    before = browser.evaluate(TOOL)
    for _ in range(5):
        browser.key("ArrowRight")
    check(browser.evaluate(TOOL) != before, "show: a slider moves the robot by the keyboard")
    browser.evaluate("document.querySelector('.sliders input[type=search]').focus()")
    for c in "knee":
        browser.key(c, "Key" + c.upper())
    names = browser.evaluate("[...document.querySelectorAll('.slide')].filter((r) => !r.hidden).map((r) => r.dataset.name).join()")
    check(names == "left_knee,right_knee", "show: the search box leaves " + names)


def sample(browser):
    json.dump(ARM, open("arm.json", "w"))
    json.dump(HOSTILE, open("hostile.json", "w"))
    page = make("traj", "traj", "arm6", "arm.json")
    look(browser, page)
    keyboard(browser)
    dragging(browser)
    playing(browser)
    browser.evaluate(at(1.3))
    compare(browser, "arm6", turned(1, 0.15))
    look(browser, make("hostile", "simulate", "hostile.json", "--time", "0.5"))
    # negative control: a page that throws, runs a name, and fetches
    text = open(page).read().replace("</main>", '<script>window.owned=1; new Image().src="http://nowhere.invalid/x.png"; throw new Error("planted")</script></main>')
    open("planted.html", "w").write(text)
    browser.open("planted.html")
    browser.evaluate("new Promise((r) => setTimeout(r, 200))")
    said = " ".join(browser.messages)
    check("planted" in said and "Content Security Policy" in said and browser.evaluate("window.owned") == 1, "planted faults are seen")


def rest(browser):
    json.dump(FLIGHT, open("flight.json", "w"))
    limits = ["--effort-rate", "1e4", "--velocity", "10"]
    json.dump({"kind": "minimum", "derivative": 5, "times": [0, 0.8, 2], "joints": {"joint1": [0, 1, 0.5], "joint2": [0, -0.5, 1]}}, open("reach.json", "w"))
    look(browser, make("limits", "limits", "double_pendulum", "reach.json", *limits, status=(0, 3)))
    look(browser, make("retime", "retime", "arm6", "arm.json", "--effort-rate", "1e4", status=(0, 3)))
    look(browser, make("elastic", "elastic", "double_pendulum", "reach.json", "--stiffness", "500", "--motor-inertia", "0.1"))
    look(browser, make("ik", "ik", "arm6", "--link", "link6", "--pose", "0.4,0.2,0.5"), panels=False)
    browser.size(390, 800)
    look(browser, make("flight", "traj", "tilthex", "flight.json"))
    browser.size(1200, 900)
    browser.open("flight.html")
    browser.evaluate(at(1.2))
    arrows = browser.evaluate("document.querySelector('section.replay').replay.arrows.map((a) => a.size)")
    check(len(arrows) == 6 and max(arrows) > 1, "tilthex: thrusts are arrows: %s N" % ", ".join("%.3g" % x for x in arrows))
    compare(browser, "tilthex", turned(5, 0.2))
    look(browser, make("fall", "simulate", "humanoid", "--time", "0.4"))
    browser.evaluate(at(0.2))
    compare(browser, "humanoid", turned(6, 0.15))
    # a URDF with a mesh, and one whose mesh is missing: that link is a capsule, and a note says why
    os.mkdir("meshes")
    open("meshes/corner.obj", "w").write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    open("cart.urdf", "w").write(CART)
    look(browser, make("cart", "show", "cart.urdf"), panels=False)
    shapes = browser.evaluate("""document.querySelector('section.replay').replay.robot.bodies.map((g) => g.children.map((m) =>
      m.geometry.type + (m.geometry.type === 'BufferGeometry' ? m.geometry.attributes.position.count : '')).join())""")
    notes = browser.evaluate("[...document.querySelectorAll('.replay .note')].map((p) => p.textContent).join()")
    check(shapes[0] == "BoxGeometry" and shapes[1] == "BufferGeometry12" and "Geometry" in shapes[2] and "gone.stl" in notes,
          "a URDF is drawn as %s; %s" % (shapes, notes))
    look(browser, make("show", "show", "humanoid"), panels=False)
    sliders(browser)
    browser.size(1200, 900, dark=True)
    look(browser, "fall.html")
    # a browser without WebGL: a sentence instead of the scene, and the figures
    script = "const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return /webgl/.test(kind) ? null : get.call(this, kind, ...rest); };"
    browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)
    browser.open("traj.html")
    text = browser.evaluate("document.querySelector('section.replay').textContent.includes('needs WebGL') && !document.querySelector('.stage') && document.querySelectorAll('.panel canvas').length")
    thrown = [m for m in browser.messages if "WebGL" not in m]
    check(text == 7 and thrown == [], "without WebGL: a sentence, and %s figures %s" % (text, thrown))


work = tempfile.mkdtemp()
os.chdir(work)
browser = chromium.Browser(1200, 900)
try:
    sample(browser)
    if FULL:
        rest(browser)
finally:
    browser.close()
    subprocess.run(["rm", "-rf", work])
sys.exit(1 if failures else 0)
