# SPDX-License-Identifier: Apache-2.0
"""Folders and programs of the tests."""

import contextlib
import os
import signal
import subprocess
import sys
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


def start(test, script, *arguments):
    """Start a Python script that takes Ctrl-C, even if the tests run in the background of a shell,
    which ignores it. The process ends with the test.
    """
    child = subprocess.Popen([sys.executable, "-c", script, *arguments], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    test.addCleanup(child.__exit__, None, None, None)
    test.addCleanup(child.kill)
    return child
