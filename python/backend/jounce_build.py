"""A build backend (PEP 517) for `pip install .`: CMake builds the module, this file packs it. It needs
a C compiler, CMake, expat, jansson, libyaml and the headers of Python and numpy, and no other Python package.
numpy's headers may be those of another Python than the one that is installed into: an environment without
numpy is built for with Debian's python3-numpy.

The module uses the stable ABI of Python 3.10, so the wheel is cp310-abi3. numpy's C interface is stable within
its major version, which the wheel requires.

JOUNCE_BUILD_DIR in the environment: a build folder that is used and kept."""
import base64
import functools
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def version():
    with open(os.path.join(ROOT, "include", "jounce", "base.h")) as file:
        return re.search(r'JN_VERSION "([^"]+)"', file.read()).group(1)


def environment():
    """That of this process, without what pip hides installed packages by."""
    return {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONHOME")}


@functools.lru_cache(None)
def numpy_headers():
    """(folder, version) of numpy's headers: of this Python, of the one it was made from, of Debian's."""
    code = "import numpy; print(numpy.get_include()); print(numpy.__version__)"
    for python in dict.fromkeys((sys.executable, getattr(sys, "_base_executable", sys.executable),
                                 "/usr/bin/python3")):
        if not os.path.exists(python):
            continue
        found = subprocess.run([python, "-c", code], env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
        if found.returncode == 0:
            return tuple(found.stdout.split("\n")[:2])
    raise SystemExit("jounce: numpy's headers are missing: apt install python3-numpy, or pip install numpy first")


def numpy_requirement():
    """Headers of numpy 1 make a module for numpy 1 of that version or later, those of numpy 2 one for both."""
    major, minor = numpy_headers()[1].split(".")[:2]
    return "numpy>=1.%s,<2" % minor if major == "1" else "numpy>=1.23"


def metadata():
    return ("Metadata-Version: 2.1\nName: jounce\nVersion: %s\n"
            "Summary: Rigid-body dynamics of tree robots with time derivatives of any order\n"
            "Requires-Python: >=3.10\nRequires-Dist: %s\n"
            "Provides-Extra: torch\nRequires-Dist: torch>=1.13; extra == \"torch\"\n"
            % (version(), numpy_requirement()))


def build_module(folder):
    """Builds the module in `folder`; returns the folder jounce/ in it."""
    configure = ["cmake", "-S", ROOT, "-B", folder, "-DJOUNCE_PYTHON=ON", "-DCMAKE_BUILD_TYPE=Release",
                 "-DPython3_EXECUTABLE=" + sys.executable, "-DPython3_NumPy_INCLUDE_DIR=" + numpy_headers()[0]]
    if not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
        configure += ["-DJOUNCE_CLI=OFF"]
    subprocess.run(configure, check=True, env=environment(), stdout=sys.stderr)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", folder, "--target", "jounce_python", "-j", jobs], check=True,
                   env=environment(), stdout=sys.stderr)
    return os.path.join(folder, "python", "jounce")


def tag():
    return "cp310-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def write_wheel(directory, module):
    base = "jounce-" + version()
    name = "%s-%s.whl" % (base, tag())
    info = base + ".dist-info/"
    files = {}
    for entry in sorted(os.listdir(module)):
        if entry.endswith((".py", ".pyi", ".so", ".typed")):
            with open(os.path.join(module, entry), "rb") as file:
                files["jounce/" + entry] = file.read()
    files[info + "METADATA"] = metadata().encode()
    files[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: jounce_build\nRoot-Is-Purelib: false\n"
                             "Tag: %s\n" % tag()).encode()
    with open(os.path.join(ROOT, "LICENSE"), "rb") as file:
        files[info + "LICENSE"] = file.read()
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (path, digest, len(data))
    files[info + "RECORD"] = (record + info + "RECORD,,\n").encode()
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = os.environ.get("JOUNCE_BUILD_DIR")
    if folder:
        return write_wheel(wheel_directory, build_module(folder))
    with tempfile.TemporaryDirectory() as temporary:
        return write_wheel(wheel_directory, build_module(temporary))


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = "jounce-%s.dist-info" % version()
    os.makedirs(os.path.join(metadata_directory, name), exist_ok=True)
    with open(os.path.join(metadata_directory, name, "METADATA"), "w") as file:
        file.write(metadata())
    return name


def build_sdist(sdist_directory, config_settings=None):
    base = "jounce-" + version()
    name = base + ".tar.gz"
    parts = ["CMakeLists.txt", "LICENSE", "README.md", "cmake", "include", "pyproject.toml", "python", "src",
             "cli"]
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as archive:
        for part in parts:
            archive.add(os.path.join(ROOT, part), base + "/" + part)
        path = os.path.join(sdist_directory, "PKG-INFO")
        with open(path, "w") as file:
            file.write(metadata())
        archive.add(path, base + "/PKG-INFO")
        os.remove(path)
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: jounce_build.py FOLDER: writes a wheel to the folder")
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1])))
