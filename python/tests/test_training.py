# SPDX-License-Identifier: Apache-2.0
"""Trainings priced and improved by the program, and what notebooks show."""

import os
import unittest
from pathlib import Path

import ppsweep
from tests.support import PACKAGE, InFolder

MINE = PACKAGE.parent / "sweep_configs/frameworks/megatron/llama3-70b.sh"


@unittest.skipUnless(os.environ.get("PPSWEEP_PROGRAM"), "PPSWEEP_PROGRAM is not set")
class Trainings(InFolder):
    def test_check(self):
        training = ppsweep.check(MINE, "h100")
        self.assertTrue(training.fits)
        self.assertLess(training.step_low_s, training.step_s)
        self.assertEqual(training.strategy["tp"], 8)
        self.assertIn("of 80 GiB", training._repr_html_())
        self.assertFalse(ppsweep.check(MINE, "h100", memory="20GiB").fits)

    def test_tune(self):
        tuned = ppsweep.tune(MINE, "h100", output="better")
        self.assertLess(tuned.better[0].step_s, tuned.mine.step_s)
        self.assertTrue((tuned.folder / "01").is_dir())

    def test_schedule(self):
        found = ppsweep.schedule(devices=2, micro_batches=4, family="1f1b")
        self.assertEqual([row["schedule"] for row in found.rows[:1]], ["1f1b"])
        self.assertEqual(found.plan["devices"], 2)
        self.assertIn("<td>1f1b</td>", found._repr_html_())
        self.assertIn("<svg", found._repr_svg_())

    def test_balance(self):
        layers = PACKAGE.parent / "sweep_configs/layers/175b.json"
        found = ppsweep.balance(layers, stages=16, micro_batches=16, budget=50, output="kept")
        self.assertTrue(found.strategies[0]["fits"])
        self.assertEqual(len(found.strategies[0]["peak_mib"]), 16)
        self.assertIn("<th>step_time</th>", found._repr_html_())
        self.assertTrue(Path("kept/megatron.txt").is_file())
        with self.assertRaisesRegex(ppsweep.Error, "no strategy fits"):
            ppsweep.balance(layers, stages=4, memory="10GiB", budget=50)

    def test_errors_name_the_file(self):
        Path("x.sh").write_text("echo\n")
        with self.assertRaisesRegex(ppsweep.Error, "x.sh"):
            ppsweep.check("x.sh", "h100")


class Notebooks(InFolder):
    def test_tables(self):
        points = ppsweep.evaluate("contention", n=list(range(2, 30)), gpus=2)
        self.assertIn("<th>n</th>", points._repr_html_())
        self.assertIn("20 of 28 points", points._repr_html_())
        self.assertIn("<th>total_time</th>", ppsweep.evaluate("contention", n=4)._repr_html_())
        self.assertIn("3 of 3 points", ppsweep.sweep({"n": [2, 3, 4], "p_fwd_prop": 1, "p_grad_prop": 0,
                                                      "p_grad_sync": 0}, "r.csv")._repr_html_())


if __name__ == "__main__":
    unittest.main()
