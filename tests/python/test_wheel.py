"""The build backend of pip makes a wheel that works, without a network."""
import hashlib
import base64
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import SOURCE, main

sys.path.insert(0, os.path.join(SOURCE, "python", "backend"))
import jounce_build  # noqa: E402
import jounce  # noqa: E402


class Wheel(unittest.TestCase):
    def test_a_wheel_of_what_is_built(self):
        with tempfile.TemporaryDirectory() as folder:
            name = jounce_build.write_wheel(folder, os.path.dirname(jounce.__file__))
            target = os.path.join(folder, "site")
            with zipfile.ZipFile(os.path.join(folder, name)) as wheel:
                wheel.extractall(target)
                record = wheel.read("jounce-%s.dist-info/RECORD" % jounce.__version__).decode()
            listed = 0
            for line in record.splitlines():
                path, digest, size = line.split(",")
                with open(os.path.join(target, path), "rb") as file:
                    data = file.read()
                if digest:
                    want = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), ("sha256=" + want, str(len(data))))
                listed += 1
            self.assertGreaterEqual(listed, 7)
            environment = dict(os.environ, PYTHONPATH=target)
            out = subprocess.run([sys.executable, "-c", "import jounce; print(jounce.__file__); "
                                  "jounce.Model('tilthex')"], env=environment, check=True, cwd=folder,
                                 stdout=subprocess.PIPE, text=True).stdout
            self.assertTrue(out.startswith(target))

    def test_metadata(self):
        self.assertEqual(jounce_build.version(), jounce.__version__)
        with tempfile.TemporaryDirectory() as folder:
            name = jounce_build.prepare_metadata_for_build_wheel(folder)
            with open(os.path.join(folder, name, "METADATA")) as file:
                self.assertIn("Requires-Dist: numpy", file.read())
            self.assertTrue(os.path.exists(os.path.join(folder, jounce_build.build_sdist(folder))))


if __name__ == "__main__":
    main()
