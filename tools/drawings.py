#!/usr/bin/env python3
"""Draws docs/figures/*.svg: the schematic figures of the pages, and two that show a motion computed by the program.

usage: tools/drawings.py [PROGRAM]
All figures share one style and follow the reader's light or dark setting.
"""
import csv
import io
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(SOURCE / "build" / "jounce")

STYLE = """
.panel { fill: #ffffff; stroke: #dcdfe4; }
.ink { stroke: #1c2430; } .soft { stroke: #8a94a1; } .a { stroke: #005f96; } .b { stroke: #b5520b; } .c { stroke: #3c7d2d; }
.ink, .soft, .a, .b, .c { fill: none; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.thin { stroke-width: 1.1; } .wide { stroke-width: 2.6; } .dash { stroke-dasharray: 5 4; } .dots { stroke-dasharray: 1 4; }
.fink { fill: #1c2430; } .fa { fill: #005f96; } .fb { fill: #b5520b; } .fc { fill: #3c7d2d; } .fsoft { fill: #8a94a1; } .fpanel { fill: #ffffff; }
.body { fill: #d5e6f2; stroke: #005f96; stroke-width: 1.8; stroke-linejoin: round; }
.ground { fill: #e4e6ea; stroke: #596472; stroke-width: 1.8; stroke-linejoin: round; }
text { fill: #1c2430; font: 15px "TeX Gyre Pagella", "Palatino Linotype", Palatino, "P052", Georgia, serif; }
text.t { font-weight: bold; } text.m { font-style: italic; } text.s { font-size: 13px; fill: #596472; }
text.fa { fill: #005f96; } text.fb { fill: #b5520b; } text.fc { fill: #3c7d2d; }
@media (prefers-color-scheme: dark) {
.panel { fill: #1b2026; stroke: #353c45; }
.ink { stroke: #e3e6ea; } .soft { stroke: #7f8a97; } .a { stroke: #74c0ee; } .b { stroke: #f0a261; } .c { stroke: #8fd07c; }
.fink { fill: #e3e6ea; } .fa { fill: #74c0ee; } .fb { fill: #f0a261; } .fc { fill: #8fd07c; } .fsoft { fill: #7f8a97; } .fpanel { fill: #1b2026; }
.body { fill: #1f3a4d; stroke: #74c0ee; } .ground { fill: #2b323a; stroke: #9fa9b5; }
text { fill: #e3e6ea; } text.s { fill: #9fa9b5; } text.fa { fill: #74c0ee; } text.fb { fill: #f0a261; } text.fc { fill: #8fd07c; }
}
"""


def num(x):
    return ("%.2f" % x).rstrip("0").rstrip(".") if abs(x) > 0.004 else "0"


class Figure:
    def __init__(self, width, height, title, more=""):
        self.width, self.height, self.title, self.more = width, height, title, more
        self.parts = ['<rect class="panel" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>' % (width - 1, height - 1)]

    def add(self, text):
        self.parts.append(text)

    def path(self, d, kind):
        self.add('<path class="%s" d="%s"/>' % (kind, d))

    def line(self, x0, y0, x1, y1, kind):
        self.path("M%s %sL%s %s" % (num(x0), num(y0), num(x1), num(y1)), kind)

    def poly(self, points, kind, closed=False):
        self.path("M" + "L".join("%s %s" % (num(x), num(y)) for x, y in points) + ("Z" if closed else ""), kind)

    def head(self, x, y, angle, kind, size=8):
        """An arrow head with its tip at (x, y)."""
        c, s = math.cos(angle), math.sin(angle)
        p = [(x, y)] + [(x - size * c + e * size * 0.42 * s, y - size * s - e * size * 0.42 * c) for e in (1, -1)]
        self.path("M" + "L".join("%s %s" % (num(a), num(b)) for a, b in p) + "Z", "f" + kind.split()[0])

    def arrow(self, x0, y0, x1, y1, kind, size=8):
        angle = math.atan2(y1 - y0, x1 - x0)
        self.line(x0, y0, x1 - 0.7 * size * math.cos(angle), y1 - 0.7 * size * math.sin(angle), kind)
        self.head(x1, y1, angle, kind, size)

    def turn(self, x, y, rx, ry, start, end, kind, tilt=0.0, size=8):
        """An arc of an ellipse with an arrow at its end; angles in degrees, clockwise on the screen."""
        def at(t):
            a, b = rx * math.cos(math.radians(t)), ry * math.sin(math.radians(t))
            return x + a * math.cos(tilt) - b * math.sin(tilt), y + a * math.sin(tilt) + b * math.cos(tilt)
        step = (end - start) / 40
        points = [at(start + step * i) for i in range(40)]
        self.poly(points, kind)
        x1, y1 = at(end)
        x0, y0 = points[-2]
        self.head(x1, y1, math.atan2(y1 - y0, x1 - x0), kind, size)

    def dot(self, x, y, kind="fink", r=3.2):
        self.add('<circle class="%s" cx="%s" cy="%s" r="%s"/>' % (kind, num(x), num(y), num(r)))

    def text(self, x, y, words, kind="", anchor="start"):
        self.add('<text class="%s" x="%s" y="%s"%s>%s</text>' % (
            kind, num(x), num(y), ' text-anchor="%s"' % anchor if anchor != "start" else "", words))

    def math(self, x, y, words, kind="m", anchor="start"):
        """Words with _{} and ^{} for small letters below and above."""
        out, i, back = "", 0, 0
        while i < len(words):
            if words[i] in "_^":
                end = words.index("}", i)
                move = 4 if words[i] == "_" else -5
                out += '<tspan dy="%d" font-size="72%%">%s</tspan>' % (move - back, words[i + 2:end])
                back, i = move, end + 1
            else:
                j = i
                while j < len(words) and words[j] not in "_^":
                    j += 1
                out += '<tspan dy="%d">%s</tspan>' % (-back, words[i:j]) if back else words[i:j]
                back, i = 0, j
        self.text(x, y, out, kind, anchor)

    def save(self, name):
        (SOURCE / "docs" / "figures" / (name + ".svg")).write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">\n'
            "<title>%s</title>\n<style>%s%s</style>\n%s\n</svg>\n"
            % (self.width, self.height, self.width, self.height, self.title, STYLE, self.more, "\n".join(self.parts)))


def axes(f, x, y, angle, length, kind, names=None, size=7):
    """Two axes in the plane; the angle is mathematical, counterclockwise, in radians."""
    for turn, name in ((0, 0), (math.pi / 2, 1)):
        a = angle + turn
        x1, y1 = x + length * math.cos(a), y - length * math.sin(a)
        f.arrow(x, y, x1, y1, kind, size)
        if names:
            f.math(x1 + 12 * math.cos(a) - 4, y1 - 12 * math.sin(a) + 5, names[name], "m")


def plate(f, x, y, angle, w, h, kind="body"):
    """A rounded body around (x, y)."""
    c, s = math.cos(angle), math.sin(angle)
    d = "rotate(%s %s %s)" % (num(-math.degrees(angle)), num(x), num(y))
    f.add('<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="12" transform="%s"/>' % (
        kind, num(x - w / 2), num(y - h / 2), num(w), num(h), d))
    return c, s


def representations():
    f = Figure(920, 560, "A moving frame and the four representations of its twist")
    # the situation: positions in pixels, y up
    def scene(ox, oy, scale):
        return (ox, oy), (ox + 2.05 * scale, oy - 0.95 * scale)
    angle, w, dp = math.radians(35), 0.42, (0.35, 0.78)  # attitude, turning speed, velocity of B
    (ox, oy), (bx, by) = scene(110, 246, 122)
    plate(f, bx, by, angle, 150, 74)
    axes(f, ox, oy, 0, 74, "ink", ("x", "y"))
    axes(f, bx, by, angle, 62, "a", ("x'", "y'"))
    f.line(ox, oy, bx, by, "soft dash")
    f.math((ox + bx) / 2 - 8, (oy + by) / 2 - 12, "p")
    f.arrow(bx, by, bx + 110 * dp[0], by - 110 * dp[1], "b wide", 10)
    f.math(bx + 110 * dp[0] + 6, by - 110 * dp[1] + 4, "p'", "m fb")
    f.turn(bx, by, 104, 104, 22, -18, "c", size=9)
    f.math(bx + 112, by + 6, "w", "m fc")
    f.dot(ox, oy)
    f.dot(bx, by, "fa")
    f.text(ox - 22, oy + 20, "O")
    f.text(bx + 2, by + 22, "B")
    f.text(32, 40, "The moving frame", "t")
    f.text(32, 62, "Pose (R, p): origin B at p, axes turned by R.", "s")
    for k, line in enumerate(("B moves with velocity p', the body turns with w.",
                              "A twist names a point of the body and the axes",
                              "in which its two vectors are written.",
                              "Derivatives are those of the six components:",
                              "from the first one on, the four differ by more",
                              "than a change of axes.")):
        f.text(556, 92 + 24 * k, line)
    # four panels
    rows = (("spatial", "point O, world axes", "the body's point that is at O now", "fb"),
            ("body", "point B, moving axes", "both vectors in x', y'", "fb"),
            ("hybrid", "point B, world axes", "both vectors in x, y", "fb"),
            ("mixed", "point B, both axes", "w in x', y';  p' in x, y", "fb"))
    for k, (name, where, how, _) in enumerate(rows):
        left = 20 + 222 * k
        f.add('<rect class="soft thin" x="%d" y="290" width="212" height="252" rx="8"/>' % left)
        f.text(left + 16, 316, name, "t")
        f.text(left + 16, 336, where, "s")
        f.text(left + 16, 527, how, "s")
        (ox, oy), (bx, by) = scene(left + 48, 478, 46)
        scale = 72
        # velocity of the body's point at O: p' - w x p
        px, py = (bx - ox) / 46, (oy - by) / 46
        at_o = (dp[0] + w * py, dp[1] - w * px)
        plate(f, bx, by, angle, 84, 44)
        if name == "spatial":
            f.path("M%s %sQ%s %s %s %s" % (num(bx - 30), num(by + 26), num(ox + 20), num(oy + 22), num(ox), num(oy)), "a dash thin")
            axes(f, ox, oy, 0, 46, "ink", size=7)
            f.arrow(ox, oy, ox + scale * at_o[0], oy - scale * at_o[1], "b wide", 10)
            f.dot(ox, oy, "fink", 4)
            f.text(ox - 20, oy + 18, "O")
        else:
            f.dot(ox, oy, "fsoft", 2.6)
            f.text(ox - 20, oy + 18, "O", "s")
            if name in ("hybrid", "mixed"):
                axes(f, bx, by, 0, 46, "ink", size=7)
            if name in ("body", "mixed"):
                axes(f, bx, by, angle, 50, "a", size=7)
            f.arrow(bx, by, bx + scale * dp[0], by - scale * dp[1], "b wide", 10)
            f.dot(bx, by, "fink", 4)
            f.text(bx - 6, by + 22, "B")
    f.save("representations")


def joints():
    f = Figure(920, 500, "Joint types and the primitive links they consist of")
    cells = (("revolute", "q 1, v 1", "one link: turn about z"), ("prismatic", "q 1, v 1", "one link: slide along z"),
             ("helical", "q 1, v 1", "one link: turn and slide"), ("cylindrical", "q 2, v 2", "slide, then turn"),
             ("planar", "q 3, v 3", "slide, slide, turn"), ("universal", "q 2, v 2", "turn, then turn"),
             ("spherical", "q 4, v 3", "one link: quaternion"), ("free", "q 7, v 6", "one link: quaternion, position"))
    for k, (name, sizes, chain) in enumerate(cells):
        left, top = 20 + 222 * (k % 4), 20 + 234 * (k // 4)
        f.add('<rect class="soft thin" x="%d" y="%d" width="212" height="222" rx="8"/>' % (left, top))
        f.text(left + 14, top + 26, name, "t")
        f.text(left + 198, top + 26, sizes, "s", "end")
        f.text(left + 14, top + 208, chain, "s")
        x, y = left + 106, top + 118
        def ground(w=70, at=y + 50, xx=x):
            f.add('<rect class="ground" x="%s" y="%s" width="%s" height="20" rx="3"/>' % (num(xx - w / 2), num(at), num(w)))
        if name in ("revolute", "prismatic", "helical", "cylindrical"):
            ground()
            f.add('<rect class="ground" x="%s" y="%s" width="16" height="26"/>' % (num(x - 8), num(y + 26)))
            f.add('<rect class="body" x="%s" y="%s" width="44" height="52" rx="6"/>' % (num(x - 22), num(y - 26)))
            f.line(x, y - 72, x, y + 50, "ink thin dash")
            if name in ("revolute", "helical", "cylindrical"):
                f.turn(x, y - 40, 34, 10, 160, -120, "b", size=9) if name == "revolute" else f.turn(x, y - 38, 34, 10, 160, -120, "b", size=9)
            if name == "helical":
                for j in range(3):
                    f.path("M%s %sq22 10 44 -8" % (num(x - 22), num(y + 18 - 16 * j)), "a thin")
                f.arrow(x + 44, y + 14, x + 44, y - 24, "b", 9)
                f.line(x + 30, y - 5, x + 44, y - 5, "b thin dots")
            if name in ("prismatic", "cylindrical"):
                f.arrow(x + 44, y + 4, x + 44, y - 34, "b", 9)
                f.arrow(x + 44, y + 4, x + 44, y + 34, "b", 9)
        elif name == "planar":
            f.poly([(x - 86, y + 58), (x + 40, y + 58), (x + 86, y + 12), (x - 40, y + 12)], "ground", True)
            f.poly([(x - 24, y + 42), (x + 20, y + 42), (x + 36, y + 26), (x - 8, y + 26)], "body", True)
            f.line(x + 6, y + 34, x + 6, y - 40, "ink thin dash")
            f.turn(x + 6, y - 6, 30, 9, 160, -120, "b", size=9)
            f.arrow(x + 36, y + 34, x + 72, y + 34, "b", 9)
            f.arrow(x - 16, y + 42, x - 36, y + 62, "b", 9)
        elif name == "universal":
            ground(56)
            f.path("M%s %sv-22h-34v-30" % (num(x), num(y + 50)), "ink wide")
            f.path("M%s %sh34v-30" % (num(x), num(y + 28)), "ink wide")
            f.path("M%s %sv-28h-20v-22h40v22h-20" % (num(x), num(y + 18)), "a wide")
            f.add('<rect class="body" x="%s" y="%s" width="44" height="26" rx="5"/>' % (num(x - 22), num(y - 58)))
            f.line(x - 72, y - 2, x + 72, y - 2, "ink thin dash")
            f.line(x - 36, y + 28, x + 36, y - 32, "a thin dash")
            f.turn(x - 56, y - 2, 8, 22, 60, -200, "b", size=9)
            f.turn(x + 46, y - 40, 16, 8, 200, -60, "b", tilt=-0.7, size=9)
        elif name == "spherical":
            ground(64)
            f.path("M%s %sa30 30 0 0 0 52 0" % (num(x - 26), num(y + 34)), "ink wide")
            f.line(x, y + 50, x, y + 48, "ink wide")
            f.add('<circle class="body" cx="%s" cy="%s" r="24"/>' % (num(x), num(y + 20)))
            f.line(x, y - 4, x + 18, y - 52, "a wide")
            f.turn(x, y - 14, 40, 11, 165, -110, "b", size=9)
            f.turn(x + 2, y + 14, 62, 62, -60, -15, "b", size=9)
            f.turn(x - 2, y + 14, 62, 62, -165, -125, "b", size=9)
        else:
            ground(70, y + 46)
            plate(f, x, y - 6, 0.3, 66, 40)
            for a in (math.pi / 2, -0.15, math.pi + 0.75):
                x1, y1 = x + 76 * math.cos(a), y - 6 - 62 * math.sin(a)
                f.arrow(x + 30 * math.cos(a), y - 6 - 26 * math.sin(a), x1, y1, "b", 9)
            f.turn(x, y - 48, 20, 6, 160, -120, "b", size=8)
            f.turn(x + 56, y + 2, 6, 18, 60, -200, "b", size=8)
            f.turn(x - 40, y + 22, 12, 8, 240, -60, "b", tilt=-0.6, size=8)
            f.line(x + 4, y + 44, x + 4, y + 22, "soft dots")
    f.save("joints")


def jets():
    f = Figure(920, 390, "The jet of a function, and the product of two jets as a convolution")
    f.text(28, 38, "A jet: Taylor coefficients at one instant", "t")
    x0, y0, sx, sy, t0 = 40, 250, 118, 78, 1.15
    fun = lambda t: math.sin(1.7 * t) + 0.35 * t
    d = [fun(t0), 1.7 * math.cos(1.7 * t0) + 0.35, -1.7 ** 2 * math.sin(1.7 * t0) / 2, -1.7 ** 3 * math.cos(1.7 * t0) / 6,
         1.7 ** 4 * math.sin(1.7 * t0) / 24]
    at = lambda t, v: (x0 + sx * t, y0 - sy * v)
    f.arrow(x0 - 10, y0, x0 + 3.45 * sx, y0, "ink thin", 8)
    f.math(x0 + 3.45 * sx + 6, y0 + 5, "t")
    for k, kind in ((0, "soft dots"), (1, "soft dash"), (2, "c"), (4, "b")):
        points = []
        for i in range(120):
            t = 3.3 * i / 119
            v = sum(c * (t - t0) ** n for n, c in enumerate(d[:k + 1]))
            if -0.72 < v < 2.25:
                points.append(at(t, v))
        f.poly(points, kind)
        x, y = points[-1]
        place = {0: (x + 6, y + 5), 1: (x + 6, y + 4), 2: (x + 8, y - 2), 4: (x - 2, y - 8)}[k]
        f.math(place[0], place[1], "K = %d" % k, "m s" if k < 2 else "m " + {2: "fc", 4: "fb"}[k])
    f.poly([at(3.3 * i / 119, fun(3.3 * i / 119)) for i in range(120)], "a wide")
    x, y = at(t0, d[0])
    f.line(x, y0 + 5, x, y, "ink thin dash")
    f.dot(x, y, "fink", 4.5)
    f.math(x - 5, y0 + 22, "t_{0}")
    f.math(at(0.3, fun(0.3))[0] - 26, at(0.3, fun(0.3))[1] - 12, "x(t)", "m fa")
    f.math(34, 336, "x(t_{0} + h) = x_{0} + x_{1} h + x_{2} h^{2} + ... ,\u2003\u2003x_{k} = x^{(k)} / k!")
    f.text(34, 364, "One jet holds every derivative up to its order K.", "s")
    # convolution
    left, top, cell = 560, 78, 58
    f.text(516, 38, "A product of jets: sums over diagonals", "t")
    kinds = ("fsoft", "fa", "fb", "fc")
    tint = {0: "soft", 1: "a", 2: "b", 3: "c"}
    for i in range(4):
        f.math(left + cell * i + cell / 2, top - 8, "x_{%d}" % i, "m", "middle")
        f.math(left - 12, top + cell * i + cell / 2 + 5, "y_{%d}" % i, "m", "end")
        for j in range(4):
            x, y = left + cell * i + 3, top + cell * j + 3
            kind = tint[i + j] if i + j < 4 else "soft"
            f.add('<rect class="%s%s" x="%s" y="%s" width="%s" height="%s" rx="5"/>' % (
                kind, "" if i + j < 4 else " thin dots", num(x), num(y), num(cell - 6), num(cell - 6)))
            if i + j < 4:
                f.math(x + cell / 2 - 3, y + cell / 2 + 2, "x_{%d} y_{%d}" % (i, j), "m", "middle")
    for k in range(4):
        y = top + cell * k + cell / 2 + 5
        kind = "m " + kinds[k] if k else "m"
        f.math(left + 4 * cell + 18, y, "(x y)_{%d}" % k, kind)
    f.math(516, 350, "(x y)_{k} = x_{0} y_{k} + x_{1} y_{k-1} + ... + x_{k} y_{0}")
    f.text(516, 372, "Dotted cells belong to orders above K and are never computed.", "s")
    f.save("jets")


def robot(f, ox, oy, arrows, labels):
    """A base with two arms; arrows 'out' or 'in' along its links."""
    arms = []
    for side in (-1, 1):
        a = (ox + side * 62, oy - 20)
        b = (ox + side * 112, oy - 92)
        c = (ox + side * 176, oy - 136 + (16 if side > 0 else 0))
        arms.append((a, b, c))
        for p, q in ((a, b), (b, c)):
            angle = math.atan2(p[1] - q[1], q[0] - p[0])
            length = math.hypot(q[0] - p[0], q[1] - p[1])
            plate(f, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2, angle, length + 22, 24)
    f.add('<rect class="ground" x="%s" y="%s" width="140" height="58" rx="10"/>' % (num(ox - 70), num(oy - 24)))
    for arm in arms:
        for x, y in arm[:2]:
            f.add('<circle class="fpanel ink" cx="%s" cy="%s" r="7" style="fill-opacity:1"/>' % (num(x), num(y)))
    for side, (a, b, c) in zip((-1, 1), arms):
        for p, q in ((a, b), (b, c)):
            dx, dy = q[0] - p[0], q[1] - p[1]
            length = math.hypot(dx, dy)
            nx, ny = -dy / length * side * -24, dx / length * side * -24
            s, e = (p, q) if arrows == "out" else (q, p)
            f.arrow(s[0] + 0.12 * (e[0] - s[0]) + nx, s[1] + 0.12 * (e[1] - s[1]) + ny,
                    e[0] - 0.05 * (e[0] - s[0]) + nx, e[1] - 0.05 * (e[1] - s[1]) + ny, "b wide" if arrows == "in" else "c wide", 11)
    return arms


def recursion():
    f = Figure(920, 420, "The recursion outward carries twists, the recursion inward wrenches")
    for k, (name, note) in enumerate((("Outward: motion", "base to tips, one visit a link"), ("Inward: forces", "tips to base, one visit a link"))):
        left = 20 + 446 * k
        f.add('<rect class="soft thin" x="%d" y="20" width="434" height="380" rx="8"/>' % left)
        f.text(left + 18, 48, name, "t")
        f.text(left + 416, 48, note, "s", "end")
        arms = robot(f, left + 217, 250, "out" if k == 0 else "in", None)
        (a, b, c) = arms[1]
        kind = "m fc" if k == 0 else "m fb"
        f.math(left + 217, 258, "V_{0}" if k == 0 else "F_{0}", "m", "middle")
        sign = "V" if k == 0 else "F"
        f.math((a[0] + b[0]) / 2 + 34, (a[1] + b[1]) / 2 + 14, sign + "_{1}", kind)
        f.math((b[0] + c[0]) / 2 + 12, (b[1] + c[1]) / 2 + 38, sign + "_{2}", kind)
        if k == 0:
            f.math(left + 18, 322, "V_{k} = Σ X_{i} u_{k-i} + S v_{k} ,\u2003\u2003u = T^{-1} V_{parent}")
            f.text(left + 18, 346, "The twist of a link is the parent's, carried over the joint,")
            f.text(left + 18, 366, "plus the joint's own velocity along its subspace S.")
            f.text(left + 18, 388, "X is the transform of the joint; all quantities are jets.", "s")
        else:
            f.math(left + 18, 322, "τ_{k} = S^{T} F_{k} ,\u2003\u2003F_{parent, k} ← F_{parent, k} + T^{T} Σ X_{i}^{T} F_{k-i}")
            f.text(left + 18, 346, "The wrench of a link moves its body and all bodies beyond it.")
            f.text(left + 18, 366, "Its part along S is the force of the motor.")
            f.text(left + 18, 388, "The parent's sum is complete when all children have reported.", "s")
    f.save("recursion")


def constraint():
    f = Figure(920, 380, "A constraint between frame A on link a and frame B on link b")
    f.text(28, 40, "A loop is cut at one place", "t")
    # ground, crank, coupler (a), rocker (b)
    o, p, q, r = (90, 300), (150, 190), (352, 132), (420, 300)
    for x, y in (o, r):
        f.poly([(x - 26, y + 26), (x + 26, y + 26), (x, y - 4)], "ground", True)
    f.line(50, 326, 470, 326, "soft")
    for s, e in ((o, p), (p, q)):
        angle = math.atan2(s[1] - e[1], e[0] - s[0])
        plate(f, (s[0] + e[0]) / 2, (s[1] + e[1]) / 2, angle, math.hypot(e[0] - s[0], e[1] - s[1]) + 28, 26)
    q2 = (382, 152)
    angle = math.atan2(r[1] - q2[1], q2[0] - r[0])
    plate(f, (r[0] + q2[0]) / 2, (r[1] + q2[1]) / 2, angle, math.hypot(q2[0] - r[0], q2[1] - r[1]) + 28, 26)
    for x, y in (o, p, r):
        f.add('<circle class="fpanel ink" cx="%d" cy="%d" r="7" style="fill-opacity:1"/>' % (x, y))
    f.text(250, 142, "a", "m")
    f.text(424, 226, "b", "m")
    f.add('<circle class="soft dash" cx="366" cy="142" r="40"/>')
    f.path("M404 128Q480 96 566 112", "soft dash")
    f.text(28, 362, "Joints form a tree; the pin between a and b is a constraint.", "s")
    # the place, enlarged
    f.text(560, 40, "The place, enlarged and opened", "t")
    ax, ay, bx, by = 660, 150, 744, 226
    f.path("M560 106Q600 88 640 108T690 150T640 196T560 172Z", "body")
    f.path("M880 300Q830 300 790 280T716 226T770 186T880 214Z", "body")
    axes(f, ax, ay, 0.35, 46, "a", ("x", "y"))
    axes(f, bx, by, -0.25, 46, "a", ("x", "y"))
    f.dot(ax, ay, "fa", 4)
    f.dot(bx, by, "fa", 4)
    f.math(ax - 30, ay - 8, "P_{a}")
    f.math(bx - 4, by + 26, "P_{b}")
    f.text(ax + 10, ay - 30, "A", "t")
    f.text(bx + 18, by - 34, "B", "t")
    f.text(578, 132, "a", "m")
    f.text(862, 282, "b", "m")
    f.line(ax + 4, ay + 4, bx - 4, by - 4, "ink thin dots")
    f.arrow(ax, ay, ax - 84, ay + 34, "b wide", 11)
    f.math(ax - 136, ay + 62, "λ on a", "m fb")
    f.arrow(bx, by, bx + 84, by - 34, "b wide", 11)
    f.math(bx + 84, by - 44, "−λ on b", "m fb")
    f.text(684, 336, "one row for each direction held")
    f.math(516, 336, "ψ = w · (V_{a} − V_{b}) = 0")
    f.text(516, 360, "w is the wrench of the row, λ its size: force times row is power.", "s")
    f.save("constraint")


def run(*arguments):
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode not in (0, 3):
        sys.exit("jounce %s: %s" % (" ".join(map(str, arguments)), result.stderr))
    return result.stdout


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}


ARM = SOURCE / "examples" / "data" / "arm.urdf"
RATE = 60  # limit of the torque rate, N m/s
PATH = {"kind": "minimum", "derivative": 4, "times": [0, 1, 2, 3, 4],
        "joints": {"shoulder": [-0.5, 0.25, 0.95, 0.35, -0.5], "elbow": [1.9, 0.75, 0.55, 1.55, 1.9]}}


def motion(folder):
    """The path of the moving picture: as given, and by its fastest clock."""
    (folder / "path.json").write_text(json.dumps(PATH))
    clock = table(run("retime", ARM, folder / "path.json", "--effort-rate", RATE, "--apply", folder / "fast.json", "--format", "csv"))
    fast = table(run("traj", ARM, folder / "fast.json", "--order", 1, "--samples", 361, "--format", "csv"))
    limits = run("limits", ARM, folder / "path.json", "--effort-rate", RATE, "--apply", folder / "scaled.json", "--text")
    scaled = table(run("traj", ARM, folder / "scaled.json", "--order", 1, "--samples", 361, "--format", "csv"))
    return clock, fast, scaled, limits


def arm_points(ox, oy, scale, shoulder, elbow):
    """Shoulder, elbow and tip on the screen; the arm stands upright at zero and bends to the right."""
    a = (ox + scale * 0.32 * math.sin(shoulder), oy - scale * 0.32 * math.cos(shoulder))
    t = shoulder + elbow
    return (ox, oy), a, (a[0] + scale * 0.36 * math.sin(t), a[1] - scale * 0.36 * math.cos(t))


def clock_figure(clock, fast, scaled):
    f = Figure(920, 390, "One path and two clocks: speed along the path, and torque rate")
    end, slow = fast["t"][-1], scaled["t"][-1]
    f.text(28, 38, "One path", "t")
    f.text(28, 60, "A dot every 50 ms of the tool's motion", "s")
    for data, left, kind, name in ((scaled, 70, "fa", "one time scale: %.2f s" % slow), (fast, 284, "fb", "its own clock: %.2f s" % end)):
        tips = [arm_points(left, 292, 264, s, e) for s, e in zip(data["shoulder"], data["elbow"])]
        f.add('<rect class="ground" x="%d" y="292" width="44" height="34" rx="4"/>' % (left - 22))
        f.poly(tips[60][:3], "soft")
        f.poly([t[2] for t in tips], "soft thin")
        last = -1.0
        for t, p in zip(data["t"], tips):
            if t >= last + 0.05:
                f.dot(p[2][0], p[2][1], kind, 2.7)
                last = t
        f.text(left + 70, 356, name, kind, "middle")
    # speed of the clock over the path, and torque rate over time
    def frame(x, y, w, h, title, xs, ys, xlabel):
        f.text(x, y - 12, title, "t")
        f.add('<rect class="soft thin" x="%d" y="%d" width="%d" height="%d"/>' % (x, y, w, h))
        (x0, x1, xt), (y0, y1, yt) = xs, ys
        at = lambda u, v: (x + w * (u - x0) / (x1 - x0), y + h * (1 - (v - y0) / (y1 - y0)))
        for u in xt:
            f.text(at(u, 0)[0], y + h + 17, "%g" % u, "s", "middle")
        for v in yt:
            f.text(x - 7, at(0, v)[1] + 5, "%g" % v, "s", "end")
        f.text(x + w, y + h + 17, xlabel, "s", "end")
        return at
    top = max(clock["u'"]) * 1.12
    at = frame(500, 50, 390, 118, "Speed of the clock, du/dt", (0, 4, (0, 1, 2, 3)), (0, top, (0, 2, 4)), "path u")
    step = max(1, len(clock["u"]) // 300)
    f.poly([at(u, v) for u, v in zip(clock["u"][::step], clock["u'"][::step])], "b wide")
    f.poly([at(0, 4 / slow), at(4, 4 / slow)], "a wide")
    at = frame(500, 232, 390, 118, "Torque rate of the shoulder [N m/s]", (0, slow, (0, 0.5, 1, 1.5, 2, 2.5)), (-78, 78, (-60, 0, 60)), "t [s]")
    for v in (-RATE, RATE):
        f.poly([at(0, v), at(slow, v)], "ink thin dash")
    f.poly([at(t, v) for t, v in zip(scaled["t"], scaled["tau:shoulder'"])], "a")
    f.poly([at(t, v) for t, v in zip(fast["t"], fast["tau:shoulder'"])], "b")
    f.save("clock")


def moving_picture(fast):
    frames, seconds = 90, 3.4 * fast["t"][-1]
    n = len(fast["t"]) - 1
    index = [round(n * k / frames) for k in range(frames + 1)]
    end = fast["t"][-1]
    px, pw = 512, 460
    plots = (("Torque [N m]", 62, 104, 26, ("tau:shoulder", "tau:elbow"), (-20, 0, 20), None),
             ("Torque rate [N m/s]", 226, 128, 74, ("tau:shoulder'", "tau:elbow'"), (-60, 0, 60), RATE))
    ox, oy, scale = 212, 330, 420
    keys = {"shoulder": [], "elbow": [], "cursor": []}
    dots = {}
    for k, i in enumerate(index):
        at = "%s%% { transform: " % num(100 * k / frames)
        keys["shoulder"].append(at + "rotate(%sdeg) }" % num(math.degrees(fast["shoulder"][i])))
        keys["elbow"].append(at + "rotate(%sdeg) }" % num(math.degrees(fast["elbow"][i])))
        keys["cursor"].append(at + "translateX(%spx) }" % num(pw * fast["t"][i] / end))
        for _, y, h, top, names, _, _ in plots:
            for name in names:
                dots.setdefault(name, []).append(at + "translate(%spx, %spx) }" % (
                    num(pw * fast["t"][i] / end), num(-h / 2 * fast[name][i] / top)))
    more = "".join("@keyframes %s { %s }\n" % (name, " ".join(rows)) for name, rows in keys.items())
    ids = {name: "dot%d" % k for k, name in enumerate(dots)}
    more += "".join("@keyframes %s { %s }\n" % (ids[name], " ".join(rows)) for name, rows in dots.items())
    for name in list(keys) + list(ids.values()):
        more += "#%s { animation: %s %ss linear infinite; }\n" % (name, name, num(seconds))
    more += "@media (prefers-reduced-motion: reduce) { #shoulder, #elbow, #cursor, %s { animation-delay: -%ss; animation-play-state: paused; } }\n" % (
        ", ".join("#" + x for x in ids.values()), num(0.3 * seconds))
    f = Figure(1000, 420, "An arm moves along a path as fast as its torque rates allow; its torques and torque rates over time", more)
    f.text(28, 40, "The fastest motion along a path", "t")
    f.text(28, 62, "within ±%d N m/s of torque rate: %.2f s, played %.1f times slower" % (RATE, end, seconds / end), "s")
    path = [arm_points(ox, oy, scale, s, e) for s, e in zip(fast["shoulder"], fast["elbow"])]
    f.poly([p[2] for p in path], "soft thin")
    for k in range(0, n, 30):
        f.poly(path[k], "soft dots")
        f.dot(path[k][2][0], path[k][2][1], "fsoft", 2.2)
    f.line(40, 384, 430, 384, "soft")
    f.add('<path class="ground" d="M%d 384v-26h20l8 -28h28l8 28h20v26Z"/>' % (ox - 42))
    upper, fore = 0.32 * scale, 0.36 * scale
    f.add('<g transform="translate(%d %d)"><g id="shoulder"><rect class="body" x="-15" y="%s" width="30" height="%s" rx="15"/>' % (
        ox, oy, num(-upper - 15), num(upper + 30)))
    f.add('<g transform="translate(0 %s)"><g id="elbow"><rect class="body" x="-11" y="%s" width="22" height="%s" rx="11"/>' % (
        num(-upper), num(-fore + 16), num(fore - 4)))
    f.add('<path class="a wide" d="M0 %sv-10m-12 -14v8q0 6 6 6h12q6 0 6 -6v-8"/>' % num(-fore + 20))
    f.add('<circle class="fpanel a" r="6" style="fill-opacity:1"/></g></g><circle class="fpanel a" r="8" style="fill-opacity:1"/></g></g>')
    for title, y, h, top, names, ticks, limit in plots:
        f.text(px, y - 12, title, "t")
        f.add('<rect class="soft thin" x="%d" y="%d" width="%d" height="%d"/>' % (px, y, pw, h))
        at = lambda t, v: (px + pw * t / end, y + h / 2 * (1 - v / top))
        for v in ticks:
            f.text(px - 8, at(0, v)[1] + 5, "%g" % v, "s", "end")
        f.poly([at(0, 0), at(end, 0)], "soft thin")
        if limit:
            for v in (-limit, limit):
                f.poly([at(0, v), at(end, v)], "ink thin dash")
        for name, kind in zip(names, ("b", "a")):
            f.poly([at(t, v) for t, v in zip(fast["t"], fast[name])], kind)
    for k in range(0, int(end * 2) + 1):
        f.text(px + pw * k / 2 / end, 372, "%g" % (k / 2), "s", "middle")
    f.text(px + pw, 392, "t [s]", "s", "end")
    f.text(px, 400, "shoulder", "fb")
    f.text(px + 76, 400, "elbow", "fa")
    f.add('<g id="cursor"><path class="ink thin" d="M%d 62v104m0 60v128"/></g>' % px)
    for _, y, h, _, names, _, _ in plots:
        for name, kind in zip(names, ("fb", "fa")):
            f.add('<g id="%s"><circle class="%s" cx="%d" cy="%s" r="5"/></g>' % (ids[name], kind, px, num(y + h / 2)))
    f.save("motion")


def main():
    (SOURCE / "docs" / "figures").mkdir(exist_ok=True)
    representations()
    joints()
    jets()
    recursion()
    constraint()
    with tempfile.TemporaryDirectory() as folder:
        clock, fast, scaled, _ = motion(Path(folder))
    clock_figure(clock, fast, scaled)
    moving_picture(fast)
    print("drawn: docs/figures/*.svg")


main()
