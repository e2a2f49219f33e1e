"""The wheel: packed from what is built, it works in a plain virtual environment without a network. With
JOUNCE_WHEEL_FULL=1 (make test-wheel) `pip install .` compiles it there as well."""
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy as np

from support import SOURCE, main

sys.path.insert(0, os.path.join(SOURCE, "python", "backend"))
import jounce_build  # noqa: E402
import jounce  # noqa: E402

SAMPLE = """
import pickle, sys
import jounce
assert jounce.__file__.startswith(sys.prefix), jounce.__file__
m, q, v = pickle.load(open(sys.argv[1], 'rb'))
print(m.inverse_dynamics(q, v).tobytes().hex())
"""


def write_wheel(folder, name, version, tag, files, requirements=()):
    """A wheel of files {path: bytes}."""
    info = "%s-%s.dist-info/" % (name, version)
    lines = ["Metadata-Version: 2.1", "Name: " + name, "Version: " + version]
    files = dict(files)
    files[info + "METADATA"] = "\n".join(lines + ["Requires-Dist: " + r for r in requirements] + [""]).encode()
    files[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode()
    files[info + "RECORD"] = "".join("%s,,\n" % p for p in list(files) + [info + "RECORD"]).encode()
    with zipfile.ZipFile(os.path.join(folder, "%s-%s-%s.whl" % (name, version, tag)), "w") as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)


def numpy_wheel(folder):
    """numpy as it is installed here, as a wheel: an index without a network."""
    top = os.path.dirname(np.__file__)
    files = {}
    for where, _, names in os.walk(top):
        for name in names:
            path = os.path.join(where, name)
            part = os.path.relpath(path, os.path.dirname(top))
            if not {"tests", "__pycache__"} & set(part.split(os.sep)):
                with open(path, "rb") as file:
                    files[part] = file.read()
    libraries = top + ".libs"
    for name in os.listdir(libraries) if os.path.isdir(libraries) else ():
        with open(os.path.join(libraries, name), "rb") as file:
            files["numpy.libs/" + name] = file.read()
    write_wheel(folder, "numpy", np.__version__, "py3-none-any", files)


def without_network(command):
    """The command in a network of its own, where the system lets us make one."""
    for wrap in (["unshare", "-n"], ["unshare", "-rn"]):
        if shutil.which("unshare") and subprocess.run(wrap + ["true"], stderr=subprocess.DEVNULL).returncode == 0:
            return wrap + command
    return command


class Environment:
    """A virtual environment without any package but pip."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "env")
        made = subprocess.run([sys.executable, "-m", "venv", self.folder], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if made.returncode:
            raise unittest.SkipTest("no virtual environments here (apt install python3-venv): " + made.stdout[-200:])
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP_"))}
        self.environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"

    def run(self, program, *arguments):
        done = subprocess.run(without_network([os.path.join(self.folder, "bin", program), *arguments]),
                              env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise AssertionError("%s %s:\n%s" % (program, " ".join(arguments), done.stdout[-3000:]))
        return done.stdout


class Wheel(unittest.TestCase):
    def check(self, env, folder):
        """The same bits in the environment as here."""
        import pickle
        model = jounce.Model("tilthex", strict=True)
        q, v = model.home(), np.random.default_rng(1).normal(size=(4, model.nv))
        path = os.path.join(folder, "x.pickle")
        with open(path, "wb") as file:
            pickle.dump((model, q, v), file)
        out = env.run("python", "-c", SAMPLE, path)
        self.assertEqual(out.strip(), model.inverse_dynamics(q, v).tobytes().hex())

    def test_a_plain_environment_without_network(self):
        with tempfile.TemporaryDirectory() as folder:
            env = Environment(folder)
            index = os.path.join(folder, "index")
            os.mkdir(index)
            numpy_wheel(index)
            name = jounce_build.write_wheel(index, os.path.dirname(jounce.__file__))
            self.assertRegex(name, r"^jounce-[0-9.]+-cp310-abi3-\w+\.whl$")
            env.run("pip", "install", "--no-index", "--find-links", index, "jounce")
            self.check(env, folder)
            if os.environ.get("JOUNCE_WHEEL_FULL"):
                env.run("pip", "uninstall", "-y", "jounce")
                os.remove(os.path.join(index, name))
                env.run("pip", "install", "--no-index", "--find-links", index, SOURCE)
                self.check(env, folder)
                print("pip install . in a plain environment without network: done")

    def test_what_is_in_it(self):
        with tempfile.TemporaryDirectory() as folder:
            name = jounce_build.write_wheel(folder, os.path.dirname(jounce.__file__))
            target = os.path.join(folder, "site")
            with zipfile.ZipFile(os.path.join(folder, name)) as wheel:
                wheel.extractall(target)
                record = wheel.read("jounce-%s.dist-info/RECORD" % jounce.__version__).decode()
            listed = set()
            for line in record.splitlines():
                path, digest, size = line.split(",")
                with open(os.path.join(target, path), "rb") as file:
                    data = file.read()
                if digest:
                    want = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), ("sha256=" + want, str(len(data))))
                listed.add(path)
            own = os.listdir(os.path.join(SOURCE, "python", "jounce"))
            self.assertEqual({"jounce/" + f for f in own if not f.startswith("__py")} - listed, set())
            self.assertIn("jounce/_jounce.abi3.so", listed)

    def test_metadata(self):
        self.assertEqual(jounce_build.version(), jounce.__version__)
        with tempfile.TemporaryDirectory() as folder:
            name = jounce_build.prepare_metadata_for_build_wheel(folder)
            with open(os.path.join(folder, name, "METADATA")) as file:
                text = file.read()
            self.assertIn("Requires-Dist: " + jounce_build.numpy_requirement(), text)
            self.assertIn('Requires-Dist: torch>=1.13; extra == "torch"', text)
            self.assertTrue(os.path.exists(os.path.join(folder, jounce_build.build_sdist(folder))))

    def test_only_the_stable_interface_is_used(self):
        """No symbol of Python's that is not in the stable ABI (PEP 384): they are all declared by the headers."""
        with open(os.path.join(SOURCE, "python", "src", "binding.h")) as file:
            self.assertIn("#define Py_LIMITED_API 0x030A0000", file.read())
        if not shutil.which("nm"):
            self.skipTest("nm is missing")
        module = os.path.join(os.path.dirname(jounce.__file__), "_jounce.abi3.so")
        names = subprocess.run(["nm", "-D", "--undefined-only", module], check=True, stdout=subprocess.PIPE,
                               text=True).stdout.split()
        stable = {"_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct", "_Py_NotImplementedStruct", "_Py_Dealloc"}
        private = {n for n in names if n.startswith("_Py") and not n.endswith("_SizeT")}
        self.assertEqual(private - stable, set())


if __name__ == "__main__":
    main()
