"""A build backend (PEP 517) for `pip install .`: CMake builds the module, this file packs it. It needs
a C compiler, CMake, expat, jansson, libyaml and the headers of Python and numpy, and no other Python package.

JOUNCE_BUILD_DIR in the environment: a build folder that is used and kept."""
import base64
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


def metadata():
    return ("Metadata-Version: 2.1\nName: jounce\nVersion: %s\n"
            "Summary: Rigid-body dynamics of tree robots with time derivatives of any order\n"
            "Requires-Python: >=3.10\nRequires-Dist: numpy\n" % version())


def build_module(folder):
    """Builds the module in `folder`; returns the folder jounce/ in it."""
    environment = {k: v for k, v in os.environ.items()
                   # pip hides installed packages from backends by these; CMake must find numpy
                   if k not in ("PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONHOME")}
    configure = ["cmake", "-S", ROOT, "-B", folder, "-DJOUNCE_PYTHON=ON", "-DCMAKE_BUILD_TYPE=Release",
                 "-DPython3_EXECUTABLE=" + sys.executable]
    if not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
        configure += ["-DJOUNCE_CLI=OFF"]
    subprocess.run(configure, check=True, env=environment, stdout=sys.stderr)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", folder, "--target", "jounce_python", "-j", jobs], check=True,
                   env=environment, stdout=sys.stderr)
    return os.path.join(folder, "python", "jounce")


def tag():
    python = "cp%d%d" % sys.version_info[:2]
    return "%s-%s-%s" % (python, python, re.sub(r"[-.]", "_", sysconfig.get_platform()))


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
