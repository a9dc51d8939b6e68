# SPDX-License-Identifier: Apache-2.0
"""Results in memory: types of columns with and without pandas, errors."""

import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

import ppsweep
from tests.support import InFolder

try:
    import pandas
except ImportError:
    pandas = None

EXPERIMENT = {"n": [8, 12], "congestion": [True, False], "pipeline": ["1f1b", "gpipe"],
              "fwd_len": [1, 2], "priority_step": 0.5, "tiers": "all"}


class Read(InFolder):
    def check_common(self, columns):
        self.assertEqual(columns["n"].dtype, np.int64)
        self.assertEqual(columns["congestion"].dtype, bool)
        self.assertEqual(columns["fwd_len"].dtype, np.float64)  # 1 and 2 are numbers of a real
        self.assertEqual(columns["total_time"].dtype, np.float64)

    def test_arrays(self):
        # Would catch a column whose type depends on its values, and tiers that are lost.
        for path in ("r.csv", "r.csv.gz"):
            summary = ppsweep.sweep(EXPERIMENT, path)
            arrays = ppsweep.read(path, as_arrays=True)
            self.check_common(arrays)
            self.assertTrue(all(len(values) == summary.rows for values in arrays.values()))
            self.assertEqual(set(arrays["pipeline"]), {"1f1b", "gpipe"})
            mixed = arrays["p_fwd_prop"]
            self.assertEqual(mixed.dtype, object)
            self.assertEqual({type(value) for value in mixed}, {float, str})
            self.assertIn("a", set(mixed))

    def test_typed_arrays(self):
        ppsweep.sweep(EXPERIMENT, "t.csv.gz", typed=True)
        arrays = ppsweep.read("t.csv.gz", as_arrays=True)
        self.check_common(arrays)
        self.assertEqual(arrays["p_fwd_prop"].dtype, np.float64)
        tier = arrays["p_fwd_prop_tier"]
        self.assertEqual(tier.dtype.kind, "U")
        np.testing.assert_array_equal(np.isnan(arrays["p_fwd_prop"]), tier != "")

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_frames(self):
        for typed in (False, True):
            ppsweep.sweep(EXPERIMENT, "f.csv.gz", typed=typed, force=True)
            frame = ppsweep.read("f.csv.gz")
            arrays = ppsweep.read("f.csv.gz", as_arrays=True)
            self.check_common(frame)
            self.assertEqual(list(frame), list(arrays))
            self.assertEqual(frame["pipeline"].dtype, "category")
            self.assertEqual(frame.attrs["units"]["total_time"], "time")
            plain = pandas.read_csv("f.csv.gz", dtype={"p_fwd_prop": object} if not typed else None)
            np.testing.assert_array_equal(plain["total_time"], frame["total_time"])
            if typed:
                tier = frame["p_fwd_prop_tier"]
                self.assertEqual(tier.dtype, "category")
                np.testing.assert_array_equal(tier.isna(), frame["p_fwd_prop"].notna())
                np.testing.assert_array_equal(plain["p_fwd_prop"], frame["p_fwd_prop"])
            else:
                self.assertEqual([str(value) for value in frame["p_fwd_prop"] if value == "a"],
                                 list(plain["p_fwd_prop"][plain["p_fwd_prop"] == "a"]))

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_evaluation_as_frame(self):
        frame = ppsweep.evaluate("contention", n=[8, 16]).to_frame()
        self.assertEqual(list(frame["outcome"]), ["ok", "ok"])
        self.assertEqual(len(ppsweep.evaluate("contention", n=8).to_frame()), 1)

    def test_without_pandas(self):
        # Would catch a package that needs pandas.
        ppsweep.sweep(EXPERIMENT, "r.csv")
        script = ("import sys\nsys.modules['pandas'] = None\nimport ppsweep\n"
                  "columns = ppsweep.read('r.csv')\n"
                  "print(type(columns).__name__, columns['n'].dtype)\n")
        out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True,
                             text=True).stdout
        self.assertEqual(out, "dict int64\n")

    def test_chosen_columns(self):
        ppsweep.sweep(EXPERIMENT, "r.csv.gz")
        arrays = ppsweep.read(Path("r.csv.gz"), ["total_time", "n"], as_arrays=True)
        self.assertEqual(list(arrays), ["total_time", "n"])
        self.assertEqual(list(ppsweep.read("r.csv.gz", "n", as_arrays=True)), ["n"])
        with self.assertRaisesRegex(ppsweep.Error, "total_time"):
            ppsweep.read("r.csv.gz", ["total_tim"])

    def test_empty_result(self):
        # Would catch arrays of a table without rows.
        Path("r.csv").write_text("n,pipeline\n", encoding="utf-8")
        arrays = ppsweep.read("r.csv", as_arrays=True)
        self.assertEqual([len(values) for values in arrays.values()], [0, 0])
        ppsweep.read("r.csv")

    def test_arrays_outlive_the_table(self):
        ppsweep.sweep(EXPERIMENT, "r.csv")
        first = ppsweep.read("r.csv", as_arrays=True)
        copy = {name: values.copy() for name, values in first.items()}
        for _ in range(20):
            ppsweep.read("r.csv", as_arrays=True)
        for name, values in first.items():
            np.testing.assert_array_equal(values, copy[name])

    def test_damaged_files(self):
        ppsweep.sweep(EXPERIMENT, "r.csv.gz")
        data = Path("r.csv.gz").read_bytes()
        Path("r.csv.gz").write_bytes(data[: len(data) // 2])
        with self.assertRaises(ppsweep.Error):
            ppsweep.read("r.csv.gz")
        with self.assertRaises(ppsweep.Error):
            ppsweep.read("missing.csv")


if __name__ == "__main__":
    unittest.main()
