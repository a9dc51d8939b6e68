# SPDX-License-Identifier: Apache-2.0
"""Folders and programs of the tests."""

import contextlib
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("PPSWEEP_PROGRAM", "ppsweep")

# More points than any machine evaluates during a test.
ENDLESS = {"n": {"start": 8, "stop": 100000}, "bwd_len": {"start": 1, "stop": 2, "step": 0.0001},
           "priority_step": 0.1}


class InFolder(unittest.TestCase):
    """A test that runs in a temporary folder."""

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)


def program(*arguments, **options):
    """Run the program and return its output."""
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True,
                          **options).stdout
