# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: installation with pip, finding the library, examples of the README."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from tests.support import PACKAGE, InFolder

USE = "import ppsweep; print(ppsweep.evaluate('contention', n=8).outcome)"


def has(*modules):
    command = "import " + ", ".join(modules)
    return subprocess.run([sys.executable, "-c", command], capture_output=True).returncode == 0


def run(*command, **environment):
    """Run a command without PYTHONPATH."""
    base = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, capture_output=True, text=True, env={**base, **environment})


class Package(InFolder):
    @unittest.skipUnless(has("setuptools", "wheel", "pip"), "pip, setuptools or wheel is missing")
    def test_pip_installs_the_folder(self):
        # Would catch a package without one of its files, and one that works in its folder only.
        shutil.copytree(PACKAGE, "source")  # pip writes into the source folder
        done = run(sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps",
                   "--no-index", "--quiet", "--target", "site", "./source")
        self.assertEqual(done.returncode, 0, done.stderr)
        used = run(sys.executable, "-c", USE, PYTHONPATH=os.path.abspath("site"))
        self.assertEqual(used.stdout, "ok\n", used.stderr)

    def test_import_error_names_the_variable(self):
        script = "try:\n import ppsweep\nexcept ImportError as error:\n print(error)"
        Path("empty.so").write_bytes(b"")
        for path in ("/no/such/libppsweep.so", "empty.so", "libm.so.6"):
            done = run(sys.executable, "-c", script, PYTHONPATH=str(PACKAGE), PPSWEEP_LIBRARY=path)
            self.assertIn("PPSWEEP_LIBRARY", done.stdout, done.stderr)
            self.assertIn(path, done.stdout)

    def test_library_in_the_prefix_of_the_package(self):
        # Would catch an installation that works only with PPSWEEP_LIBRARY.
        library = os.environ.get("PPSWEEP_LIBRARY")
        if not library:
            self.skipTest("PPSWEEP_LIBRARY is not set")
        shutil.copytree(PACKAGE / "ppsweep", "prefix/lib/python3/site-packages/ppsweep")
        shutil.copy(library, "prefix/lib/libppsweep.so.0")
        where = "import ppsweep._library as l; print(l.lib.path)"
        done = run(sys.executable, "-c", where, PPSWEEP_LIBRARY="",
                   PYTHONPATH=os.path.abspath("prefix/lib/python3/site-packages"))
        self.assertEqual(os.path.realpath(done.stdout.strip()),
                         os.path.realpath("prefix/lib/libppsweep.so.0"), done.stderr)

    def test_examples_of_the_readme(self):
        # Would catch an example that does not work or prints something else.
        readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
        examples = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme, re.S)
        self.assertEqual(len(examples), readme.count("```python"))
        names = {}
        for code, wanted in examples:
            if "scipy" in code and not has("scipy"):
                continue
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, "README.md", "exec"), names)
            self.assertEqual(out.getvalue(), wanted, code)


if __name__ == "__main__":
    unittest.main()
