# SPDX-License-Identifier: Apache-2.0
"""Runs of experiments: bytes, progress, stop and resume, errors."""

import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

import ppsweep
from tests.support import ENDLESS, InFolder, program, start

SMALL = {"n": [8, 12], "gpus": [2, 4], "congestion": [True, False], "priority_step": 0.25}


def read_bytes(path):
    return Path(path).read_bytes()


class Sweep(InFolder):
    def test_bytes_are_those_of_the_program(self):
        # Would catch an option that does not reach the library.
        Path("e.json").write_text(json.dumps(SMALL), encoding="utf-8")
        for options, flags in [
                ({}, []), ({"metrics": "all"}, ["--metrics"]), ({"typed": True}, ["--typed"]),
                ({"decimals": "full", "metrics": ["bubble_ratio"]},
                 ["--digits", "full", "--metrics=bubble_ratio"]),
                ({"status": True, "decimals": 3}, ["--status", "--digits", "3"]),
                ({"limit": 50, "threads": 1}, ["--limit", "50"]),
                ({"point_limit": 40, "exact": True}, ["--point-limit", "40", "--exact"])]:
            with self.subTest(options=options):
                for experiment in (SMALL, json.dumps(SMALL), "e.json", Path("e.json")):
                    summary = ppsweep.sweep(experiment, "py.csv", force=True, **options)
                    program_path = "cli.csv"
                    try:
                        program("-c", "e.json", "-q", "-o", program_path, "--force", *flags)
                    except subprocess.CalledProcessError as error:
                        self.assertEqual(error.returncode, 4)  # points failed
                        self.assertGreater(summary.failed, 0)
                    self.assertEqual(read_bytes("py.csv"), read_bytes(program_path))
                    self.assertTrue(summary.complete)

    def test_summary(self):
        seen = []
        summary = ppsweep.sweep(SMALL, "r.csv.gz", progress=seen.append)
        self.assertEqual(summary.path, "r.csv.gz")
        self.assertEqual((summary.objective, summary.failed), ("total_time", 0))
        self.assertEqual(summary.points, summary.rows + summary.skipped)
        self.assertEqual(seen[-1].points, seen[-1].all_points)
        self.assertEqual(seen[-1].rows, summary.rows)
        times = ppsweep.read("r.csv.gz", as_arrays=True)["total_time"]
        self.assertAlmostEqual(times.min(), summary.best, places=4)
        self.assertTrue(ppsweep.sweep(SMALL, "r.csv.gz").repeated)

    def test_progress_stops_and_the_same_call_resumes(self):
        # Would catch a callback whose result is ignored, and a resumed result with other bytes.
        experiment, few = ENDLESS, {"limit": 50000}
        summary = ppsweep.sweep(experiment, "r.csv", progress=lambda _: False, **few)
        self.assertFalse(summary.complete)
        self.assertLess(summary.points, 50000)
        self.assertTrue(os.path.exists("r.csv.part"))
        with self.assertRaisesRegex(ppsweep.Error, "resume"):
            ppsweep.sweep(experiment, "r.csv", resume=False, **few)
        summary = ppsweep.sweep(experiment, "r.csv", **few)
        self.assertTrue(summary.complete and summary.resumed)
        ppsweep.sweep(experiment, "whole.csv", **few)
        self.assertEqual(read_bytes("r.csv"), read_bytes("whole.csv"))

    def test_exception_of_progress(self):
        # Would catch an exception that is lost or that leaves the run going.
        def fail(progress):
            raise LookupError("from the callback")

        with self.assertRaisesRegex(LookupError, "from the callback"):
            ppsweep.sweep(ENDLESS, "r.csv", progress=fail)
        self.assertFalse(ppsweep.sweep(ENDLESS, "r.csv", time_limit=0.1).complete)

    def test_time_limit(self):
        start = time.monotonic()
        summary = ppsweep.sweep(ENDLESS, "r.csv.gz", time_limit=0.2)
        self.assertFalse(summary.complete)
        self.assertLess(time.monotonic() - start, 30)

    def test_ctrl_c_leaves_a_resumable_file(self):
        # Would catch a run that Ctrl-C does not stop, or whose finished part is lost.
        script = ("import json, sys, ppsweep\n"
                  "def show(progress):\n"
                  "    print(progress.points, flush=True)\n"
                  "ppsweep.sweep(json.loads(sys.argv[1]), 'r.csv', progress=show)\n")
        child = start(self, script, json.dumps(ENDLESS))
        while int(child.stdout.readline()) == 0:
            pass
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", errors)
        rows = len(ppsweep.read("r.csv.part", as_arrays=True)["n"])
        self.assertGreater(rows, 0)
        summary = ppsweep.sweep(ENDLESS, "r.csv", time_limit=0.1)
        self.assertTrue(summary.resumed)
        self.assertGreaterEqual(summary.rows, rows)

    def test_wrong_experiments(self):
        text = '{"n": [8,\n 16],\n "gpuz": 4}'
        with self.assertRaisesRegex(ppsweep.Error, "gpus") as caught:
            ppsweep.sweep(text, "r.csv")
        self.assertEqual(caught.exception.line, 3)
        Path("e.json").write_text(text, encoding="utf-8")
        with self.assertRaisesRegex(ppsweep.Error, "e.json:3:") as caught:
            ppsweep.sweep("e.json", "r.csv")
        self.assertEqual(caught.exception.file, "e.json")
        with self.assertRaises(ppsweep.Error):
            ppsweep.sweep("missing.json", "r.csv")
        for options in ({"decimals": 0}, {"threads": -1}, {"compress": "zip"},
                        {"time_limit": float("nan")}, {"objective": "nothing"}):
            with self.assertRaises(ValueError, msg=str(options)):
                ppsweep.sweep(SMALL, "r.csv", **options)
        self.assertFalse(os.path.exists("r.csv"))
        ppsweep.sweep(SMALL, "r.csv")
        with self.assertRaisesRegex(ppsweep.Error, "force"):
            ppsweep.sweep(ENDLESS, "r.csv")


if __name__ == "__main__":
    unittest.main()
