#!/bin/sh
# The scenes of pages: forward kinematics of the script (web/replay) is that of the program, for every type of joint; shapes
# and mesh files of a URDF are found where they may be, and nothing else is opened; hostile mesh files are refused.
# usage: sh test_scene.sh SOURCE_DIR BUILD_DIR
. "$1/tests/helpers/head.sh"

if command -v node >/dev/null; then
  node "$source/tests/browser/kinematics.mjs" "$build/jounce" "$work" arm6 humanoid tilthex double_pendulum \
    "$source/tests/data/odd/all_joint_types.json" "$source/tests/data/odd/planar.urdf" \
    "$source/tests/data/odd/spherical_in_urdf.urdf" "$source/tests/data/odd/world_link.urdf" || fail "poses of the script"
else
  echo "skipped: no node (tools/setup web): poses of the script"
fi

# Shapes.
mkdir -p robot/meshes other/cad/meshes outside
python3 - <<'END'
import struct
def stl(path, n, size=None):
    with open(path, "wb") as f:
        f.write(b"x" * 80 + struct.pack("<I", n if size is None else size))
        for i in range(n):
            f.write(struct.pack("<12fH", 0, 0, 1, i, 0, 0, i + 1, 0, 0, i, 1, 0, 0))
stl("robot/meshes/good.stl", 5)
stl("other/cad/meshes/part.stl", 7)
stl("outside/secret.stl", 3)
stl("robot/meshes/cut.stl", 5, 4000000000)
with open("robot/meshes/nan.stl", "wb") as f:
    f.write(b"x" * 80 + struct.pack("<I", 1) + struct.pack("<12fH", *([float("nan")] * 12), 0))
open("robot/meshes/text.stl", "w").write("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-1 0\nendloop\nendfacet\nendsolid\n")
open("robot/meshes/half.stl", "w").write("solid a\nfacet\nvertex 0 0 0\nvertex 1 0\n")
open("robot/meshes/good.obj", "w").write("# cube side\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -4 -3 -2\n")
open("robot/meshes/bad.obj", "w").write("v 0 0 0\nf 1 2 9999999999999999999\n")
dae = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.5"/></asset>
<library_geometries><geometry id="g"><mesh><source id="s"><float_array id="a" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
<technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/><vcount>4</vcount><p>0 0 1 0 2 0 %s 0</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="x"><node><translate>0 0 2</translate><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>"""
open("robot/meshes/good.dae", "w").write(dae % "3")
open("robot/meshes/bad.dae", "w").write(dae % "44")
open("robot/meshes/bomb.dae", "w").write('<!DOCTYPE a [<!ENTITY b "bbbb">]><COLLADA>&b;</COLLADA>')
# half a million triangles of one surface: more than a page takes
import math
def grid(path, m):
    pack = struct.Struct("<12fH").pack
    z = [0.1 * math.sin(9 * i / m) for i in range(m + 1)]
    with open(path, "wb") as f:
        f.write(b"x" * 80 + struct.pack("<I", 2 * m * m))
        for i in range(m):
            a, b, c, d = i / m, z[i], (i + 1) / m, z[i + 1]
            f.write(b"".join(pack(0, 0, 1, a, j / m, b, c, j / m, d, a, (j + 1) / m, b, 0) +
                             pack(0, 0, 1, c, j / m, d, c, (j + 1) / m, d, a, (j + 1) / m, b, 0) for j in range(m)))
grid("robot/meshes/large.stl", 480)
END
ln -s ../../outside/secret.stl robot/meshes/link.stl
mkfifo robot/meshes/pipe.stl
ln -s /etc/passwd robot/meshes/passwd.obj
urdf() { # FILE SHAPE...: a robot with these meshes, and a box and a sphere
  file=$1
  shift
  {
    echo '<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    echo '<visual><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>'
    for name in "$@"; do echo "<visual><geometry><mesh filename=\"$name\" scale=\"2 2 2\"/></geometry></visual>"; done
    echo '</link></robot>'
  } >"$file"
}
scene() { # PAGE EXPRESSION: a value of the scene, by python
  python3 - "$1" "$2" <<'END'
import base64, json, re, struct, sys
text = open(sys.argv[1]).read()
s = json.loads(re.search(r'<section class="replay".*?<script type="application/json">(.*?)</script>', text, re.S).group(1))
tri = lambda i: len(base64.b64decode(s["meshes"][i]["positions"])) // 36
xyz = lambda i: struct.unpack("<%df" % (9 * tri(i)), base64.b64decode(s["meshes"][i]["positions"]))
numbers = lambda name, n: struct.unpack("<%df" % n, base64.b64decode(s["replay"][name])[:4 * n])
force, thrust = lambda i, n: numbers("forces", n * (i + 1))[-n:], lambda n: numbers("thrusts", n)
notes = [n for n in re.findall(r'<p class="note">(.*?)</p>', text) if "built without three" not in n]
print(eval(sys.argv[2]))
END
}
# Arrows: a body that hangs at rest is held by its weight, whatever the type of its constraint; hovering rotors carry theirs.
cat >hang.py <<'END'
import json, sys
kind = sys.argv[1]
more = {"length": 1.0} if kind == "distance" else {}
# the axis of B is tilted, its x axis points up; the distance is along z
tilt = {"quat": [0.70710678118654757, 0, -0.70710678118654757, 0]} if kind in ("revolute", "point_on_line") else {}
low = {"p": [0, 0, -1]} if kind == "distance" else {}
print(json.dumps({"name": "hang", "bodies": [{"name": "b", "joint": {"name": "base", "type": "free"}, "home": low, "mass": 2,
    "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}],
    "constraints": [dict({"name": "c", "type": kind, "a": dict({"link": "b"}, **tilt), "b": dict({"link": "world"}, **tilt)}, **more)]}))
END
for kind in weld revolute point point_on_line point_on_plane distance; do
  python3 hang.py $kind >hang.json
  "$build/jounce" simulate hang.json -q --time 0.1 --report hang.html >/dev/null 2>errors || fail "$kind: $(cat errors)"
  force=$(scene hang.html '[round(x, 5) + 0 for x in force(1, 3)]')
  [ "$force" = "[0.0, 0.0, 19.62]" ] || fail "force of the constraint '$kind': $force"
done
echo '{"kind": "minimum", "derivative": 3, "times": [0, 1], "base": {"values": [[1,0,0,0, 0,0,1], [1,0,0,0, 0,0,1]]}, "joints": {"q2": [0, 0]}}' >hover.json
"$build/jounce" traj tilthex hover.json --hold --report hover.html >/dev/null 2>errors || fail "hover: $(cat errors)"
# sum of thrust times the z component of its axis = m g
sum=$(scene hover.html 'round(sum(f * (1 - 2 * (r["pose"][1] ** 2 + r["pose"][2] ** 2)) for f, r in zip(thrust(6), s["rotors"])), 4)')
[ "$sum" = 39.24 ] || fail "the rotors carry $sum N"
echo "ok  arrows: six types of constraints, six rotors"

# Colours: the share of a limit is |tau| / limit of the table, at the same times.
echo '{"kind": "minimum", "derivative": 5, "times": [0, 0.8, 2], "joints": {"joint2": [0, -0.5, 1], "joint3": [0, 0.7, -0.4]}}' >reach.json
"$build/jounce" traj arm6 reach.json --hold --format csv --output reach.csv --report reach.html
share=$(scene reach.html '(lambda table, use: max(abs(use[kind][n * 6 + i] - abs(float(row[column % j["name"]])) / j[kind]) for n, row in enumerate(table)
  for i, j in enumerate([b["joint"] for b in s["bodies"] if b["joint"]["nv"]]) for kind, column in (("effort", "tau:%s"), ("velocity", "%s\x27"))))(
  list(__import__("csv").DictReader(open("reach.csv"))), {u["name"]: struct.unpack("<%df" % (6 * s["replay"]["rows"]), base64.b64decode(u["data"])) for u in s["replay"]["uses"]}) < 1e-6')
[ "$share" = True ] || fail "shares of limits: $share"
echo "ok  colours: torque and velocity of six joints at 201 times"

urdf robot/good.urdf meshes/good.stl meshes/text.stl meshes/good.obj meshes/good.dae package://cad/meshes/part.stl meshes/good.stl
"$build/jounce" show robot/good.urdf -q --package-path other --output good.html 2>/dev/null
[ "$(scene good.html '[tri(i) for i in range(len(s["meshes"]))]')" = "[5, 1, 3, 2, 7]" ] || fail "triangles: $(scene good.html '[tri(i) for i in range(len(s["meshes"]))]')"
[ "$(scene good.html 'len(s["shapes"])')" = 7 ] || fail "shapes"
[ "$(scene good.html 's["shapes"][0]["colour"], s["shapes"][0]["size"], round(s["shapes"][0]["pose"][3], 6)')" = "([1, 0, 0, 1], [1, 2, 3], 0.707107)" ] || fail "the box"
# half a metre a unit, a quarter turn, two units up
[ "$(scene good.html '[round(x, 6) + 0 for x in xyz(3)[3:9]]')" = "[0.0, 0.5, 1.0, -0.5, 0.5, 1.0]" ] || fail "COLLADA: $(scene good.html 'xyz(3)')"
[ "$(scene good.html 'notes')" = "['A link turns red where its joint reaches the end of its range.']" ] || [ "$(scene good.html 'notes')" = "[]" ] || fail "notes: $(scene good.html notes)"
echo "ok  shapes, STL, OBJ, COLLADA, a package"

# geoms of MJCF: half lengths, degrees, default classes, fromto; planes, meshes and group 3 are left out
cat >robot/walker.xml <<'END'
<mujoco><default><geom size="0.1 0.2 0.3"/><default class="thin"><geom type="capsule" size="0.05"/></default></default>
<asset><mesh name="m" file="m.stl"/></asset><worldbody><geom type="plane" size="1 1 1"/><body name="trunk"><freejoint/><geom type="box" pos="1 2 3" euler="0 0 90"/>
<body name="leg" pos="0 0 -1"><joint type="hinge"/><geom class="thin" fromto="0 0 0 0 0 -0.8"/><geom group="3" size="1"/><geom type="mesh" mesh="m" mass="0"/></body></body></worldbody></mujoco>
END
"$build/jounce" show robot/walker.xml -q --output walker.html
[ "$(scene walker.html 'sorted((h["kind"], [round(float(x), 6) for x in h["size"]][:2], [round(float(x), 6) + 0.0 for x in h["pose"]][3:]) for h in s["shapes"])')" = \
  "[('box', [0.2, 0.4], [0.707107, 1.0, 2.0, 3.0]), ('capsule', [0.05, 0.8], [0.0, 0.0, 0.0, -0.4])]" ] || fail "MJCF: $(scene walker.html 's["shapes"]')"
# meshes of MJCF: meshdir, the name from the file, scale of a class, refpos, a material's colour; what is not there is said
mkdir -p robot/parts/deep
cp robot/meshes/good.stl robot/parts/deep/shell.stl
cat >robot/meshes.xml <<'END'
<mujoco><compiler meshdir="parts"/><default><mesh scale="2 2 2"/></default>
<asset><mesh file="deep/shell.stl" refpos="1 0 0"/><mesh name="lost" file="lost.stl"/><mesh name="out" file="../../outside/secret.stl"/>
<material name="red" rgba="1 0 0 1"/><texture name="t" file="t.png"/></asset>
<worldbody><body name="arm"><joint type="hinge"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="mesh" mesh="shell" pos="0 0 3" material="red"/><geom type="mesh" mesh="lost"/><geom type="mesh" mesh="out"/><geom type="sphere" size="0.1" rgba="0 1 0 0.5"/></body></worldbody></mujoco>
END
"$build/jounce" show robot/meshes.xml -q --output meshes.html
[ "$(scene meshes.html 'sorted((h["kind"], h["size"], h["colour"], [round(float(x), 6) + 0.0 for x in h["pose"]][4:]) for h in s["shapes"])')" = \
  "[('mesh', [2, 2, 2], [1, 0, 0, 1], [-2.0, 0.0, 3.0]), ('sphere', [0.1, 0, 0], [0, 1, 0, 0.5], [0.0, 0.0, 0.0])]" ] || fail "meshes of MJCF: $(scene meshes.html 's["shapes"]')"
[ "$(scene meshes.html 'tri(0), len(s["meshes"]), len(notes)')" = "(5, 1, 2)" ] || fail "meshes of MJCF: $(scene meshes.html notes)"
echo "ok  geoms and meshes of MJCF"

# what must not be shown, and why
for item in "cut.stl not an STL" "nan.stl not finite" "half.stl three numbers" "bad.obj vertex that does not exist" \
    "bad.dae vertex that does not exist" "bomb.dae not a COLLADA" "link.stl outside the folder" "passwd.obj outside the folder" \
    "pipe.stl not a regular file" "absent.stl no such file" "good.txt no such file"; do
  name=${item%% *} why=${item#* }
  urdf robot/bad.urdf "meshes/$name"
  "$build/jounce" show robot/bad.urdf -q --output bad.html 2>errors || fail "$name: no page: $(cat errors)"
  scene bad.html 'notes' | grep -q "$why" || fail "$name: $(scene bad.html 'notes')"
  [ "$(scene bad.html 'len(s["meshes"])')" = 0 ] || fail "$name is shown"
done
for name in ../outside/secret.stl "$work/outside/secret.stl" "file://$work/outside/secret.stl" http://nowhere.invalid/a.stl package://../outside/secret.stl; do
  urdf robot/bad.urdf "$name"
  "$build/jounce" show robot/bad.urdf -q --output bad.html 2>errors || fail "$name: no page"
  [ "$(scene bad.html 'len(s["meshes"]), len(notes)')" = "(0, 1)" ] || fail "$name: $(scene bad.html 'notes')"
done
echo "ok  refusals: 11 files, 5 paths"
urdf robot/large.urdf meshes/large.stl
"$build/jounce" show robot/large.urdf -q --output large.html 2>/dev/null
# z = 0.1 sin 9 x stays, within the size of a cell
found=$(scene large.html '(lambda x: "%d %s" % (tri(0), max(abs(x[k + 2] - 0.1 * __import__("math").sin(9 * x[k])) for k in range(0, len(x), 999)) < 0.02))(xyz(0))')
n=${found% *}
[ "$n" -gt 20000 ] && [ "$n" -le 436906 ] && [ "${found#* }" = True ] || fail "decimated: $found"
[ "$(wc -c <large.html)" -lt 23000000 ] || fail "the page is too large: $(wc -c <large.html)"
echo "ok  460800 triangles became $n, the page has $(wc -c <large.html) bytes"
