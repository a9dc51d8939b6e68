# SPDX-License-Identifier: Apache-2.0
"""Results beside the frames of their input: each row gets its own result."""

import itertools
import unittest

import numpy as np

import ppsweep

try:
    import pandas
except ImportError:
    pandas = None
try:
    import polars
except ImportError:
    polars = None


def time_of(n, gpus=8):
    return ppsweep.evaluate("contention", n=int(n), gpus=int(gpus))["total_time"]


class Columns:
    """A frame as polars has it: columns without an index, and no keys()."""

    def __init__(self, **columns):
        self.columns = list(columns)
        self._columns = columns

    def __getitem__(self, name):
        return self._columns[name]


@unittest.skipIf(pandas is None, "pandas is not installed")
class Frames(unittest.TestCase):
    """Each would catch results that meet rows by place instead of by label."""

    def setUp(self):
        self.whole = pandas.DataFrame({"n": [8, 16, 32, 12], "gpus": [8, 4, 8, 2], "id": list("abcd")})
        filtered = self.whole[self.whole.n > 8]
        self.inputs = {
            "whole": self.whole, "filtered": filtered, "sorted": self.whole.sort_values("n"),
            "reversed": filtered[::-1], "labelled": self.whole.set_index("id"),
            "two levels": self.whole.set_index(["id", "gpus"], drop=False),
            "one row": self.whole[self.whole.n == 32], "no rows": self.whole[self.whole.n > 99]}

    def check(self, frame, rows):
        """Compare the times of a frame with those of single calls."""
        self.assertEqual(len(frame), rows)
        for row in frame.itertuples():
            self.assertEqual(row.total_time, time_of(row.n))

    def test_join_merge_concat_and_assignment(self):
        for name, frame in self.inputs.items():
            with self.subTest(name):
                result = ppsweep.evaluate("contention", n=frame.n, gpus=8)
                self.assertTrue(result["total_time"].index.equals(frame.index))
                bare = frame.drop(columns="gpus")
                self.check(bare.join(result.to_frame()), len(frame))
                self.check(bare.join(pandas.DataFrame(result)), len(frame))
                self.check(bare.join(result["total_time"]), len(frame))
                self.check(pandas.concat([bare, result.to_frame()], axis=1), len(frame))
                self.check(bare.assign(total_time=result["total_time"]), len(frame))
                shuffled = bare.sample(frac=1, random_state=1)
                shuffled["total_time"] = result["total_time"]
                self.check(shuffled, len(frame))
                whole = result.to_frame(parameters=True)
                self.check(whole, len(frame))
                self.check(frame[["n"]].merge(whole, on="n"), len(frame))
                self.check(pandas.concat([whole, whole]), 2 * len(frame))

    def test_the_frame_as_points(self):
        frame = self.inputs["filtered"][["n", "gpus"]]
        for row in frame.join(ppsweep.evaluate("contention", frame).to_frame()).itertuples():
            self.assertEqual(row.total_time, time_of(row.n, row.gpus))

    def test_parameters_are_kept(self):
        # Would catch a frame that does not say which point a row is.
        frame = self.inputs["filtered"]
        result = ppsweep.evaluate("contention", n=frame.n, gpus=4, p_fwd_prop="a")
        self.assertEqual(list(result.to_frame())[:2], ["gpus", "p_fwd_prop"])
        self.assertEqual(list(result.to_frame(parameters=True))[:3], ["n", "gpus", "p_fwd_prop"])
        self.assertEqual(list(result.to_frame(parameters=["n"]))[:1], ["n"])
        self.assertNotIn("gpus", result.to_frame(parameters=False))
        self.assertEqual(list(result.to_frame(parameters=True).n), list(frame.n))
        grid = ppsweep.evaluate("contention", n=[[8], [16]], gpus=[2, 4, 8]).to_frame()
        self.assertEqual(list(zip(grid.n, grid.gpus)), list(itertools.product([8, 16], [2, 4, 8])))
        for row in grid.itertuples():
            self.assertEqual(row.total_time, time_of(row.n, row.gpus))
        mixed = ppsweep.evaluate("contention", n=8, p_fwd_prop=["a", 0.5]).to_frame()
        self.assertEqual(list(mixed.p_fwd_prop), ["a", 0.5])
        one = ppsweep.evaluate("contention", n=8, pipeline="gpipe").to_frame()
        self.assertEqual((one.n[0], one.pipeline[0], len(one)), (8, "gpipe", 1))

    def test_masks_and_reasons_have_the_index(self):
        # Would catch a filter that keeps the wrong rows.
        frame = pandas.DataFrame({"tp": [1, 3, 8]}, index=[7, 5, 3])
        result = ppsweep.evaluate("ndsearch", inputs={"model": "llama3-70b"}, world_size=8, tp=frame.tp)
        self.assertEqual(list(frame[result.ok].tp), list(frame.tp[np.asarray(result.ok)]))
        self.assertEqual(result.outcome[5], "skipped")
        self.assertIn("world_size", result.reason[5])

    def test_a_series_with_more_dimensions(self):
        # Would catch rows of a grid that are numbered as if they were rows of the input.
        frame = self.inputs["filtered"]
        result = ppsweep.evaluate("contention", n=frame.n, gpus=[[2], [4]])
        self.assertEqual(result["total_time"].shape, (2, len(frame)))
        joined = frame[["n"]].join(result.to_frame())
        self.assertEqual(len(joined), 2 * len(frame))
        for row in joined.itertuples():
            self.assertEqual(row.total_time, time_of(row.n, row.gpus))

    def test_series_that_do_not_meet(self):
        frame = self.inputs["filtered"]
        with self.assertRaisesRegex(ppsweep.Error, "n and gpus have different indexes"):
            ppsweep.evaluate("contention", n=frame.n, gpus=frame.gpus[::-1])
        with self.assertRaisesRegex(TypeError, r"^n: .*frame\['n'\]"):
            ppsweep.evaluate("contention", n=frame[["n"]])

    def test_types_of_columns(self):
        frame = self.inputs["filtered"].assign(pipeline=pandas.Categorical(["gpipe", "1f1b", "gpipe"]))
        result = ppsweep.evaluate("contention", frame[["n", "pipeline"]])
        for row in frame.join(result.to_frame()).itertuples():
            self.assertEqual(row.total_time, ppsweep.evaluate(
                "contention", n=row.n, pipeline=row.pipeline)["total_time"])


class OtherFrames(unittest.TestCase):
    def test_frames_without_an_index(self):
        frame = Columns(n=np.array([16, 8]), gpus=[4, 2])
        result = ppsweep.evaluate("contention", frame)
        self.assertEqual(list(result["total_time"]), [time_of(16, 4), time_of(8, 2)])
        table = result.to_dict()
        self.assertEqual(list(table)[:2], ["n", "gpus"])
        self.assertEqual({len(values) for values in table.values()}, {2})

    @unittest.skipIf(polars is None, "polars is not installed")
    def test_polars(self):
        frame = polars.DataFrame({"n": [8, 16, 32], "gpus": [8, 4, 2]}).filter(polars.col("n") > 8)
        result = ppsweep.evaluate("contention", frame)
        wanted = [time_of(16, 4), time_of(32, 2)]
        self.assertEqual(frame.hstack(polars.DataFrame(result))["total_time"].to_list(), wanted)
        table = polars.DataFrame(result.to_dict())
        self.assertEqual(frame.join(table, on=["n", "gpus"])["total_time"].to_list(), wanted)
        alone = ppsweep.evaluate("contention", n=frame["n"], gpus=frame["gpus"])
        self.assertEqual(list(alone["total_time"]), wanted)


if __name__ == "__main__":
    unittest.main()
