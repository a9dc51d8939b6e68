# SPDX-License-Identifier: Apache-2.0
"""Evaluation of points: the bits of the program, broadcasting, errors, threads."""

import csv
import gc
import io
import itertools
import os
import pickle
import signal
import threading
import time
import unittest
import weakref

import numpy as np

import ppsweep
from tests.support import InFolder, program, start


def eval_rows(kernel, points, *arguments):
    """Return the rows of ``ppsweep eval`` for dicts of texts."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(points[0]))
    writer.writeheader()
    writer.writerows(points)
    out = program("eval", kernel, "--digits", "full", *arguments, input=text.getvalue())
    return list(csv.DictReader(io.StringIO(out)))


def product(**axes):
    return [dict(zip(axes, values)) for values in itertools.product(*axes.values())]


class Evaluate(unittest.TestCase):
    def same_bits(self, kernel, points, rows, **options):
        """Compare a batch and single calls with the rows of the program."""
        model = ppsweep.Model(kernel, **options)
        lists = {name: [point[name] for point in points] for name in points[0]}
        batch = model.evaluate(lists, columns="all")
        for i, (point, row) in enumerate(zip(points, rows)):
            for columns in ("total_time" if kernel == "contention" else "step_ms", "all"):
                one = model.evaluate(point, columns=columns)
                for name, value in one.items():
                    text = row.get(name)
                    if isinstance(value, str):
                        self.assertEqual(value, text, (point, name))
                    elif text:
                        self.assertEqual(value, float(text), (point, name))
                    elif text == "":
                        self.assertTrue(np.isnan(value), (point, name))
                    np.testing.assert_equal(value, batch[name][i])
                self.assertEqual(one.outcome, batch.outcome[i])

    def test_contention_has_the_bits_of_the_program(self):
        # Would catch values that are changed on their way, and results that an earlier call with
        # fewer columns determines.
        points = product(n=["8", "12"], gpus=["1", "4"], p_fwd_prop=["a", "0.5"],
                         p_grad_sync=["0.25", "z"], congestion=["true", "false"],
                         pipeline=["1f1b", "gpipe"], bwd_len=["1.7"])
        self.same_bits("contention", points, eval_rows("contention", points, "--metrics"))

    def test_ndsearch_has_the_bits_of_the_program(self):
        # Would catch texts that are cut, and documents that the library does not get.
        points = product(world_size=["64"], tp=["1", "8", "3"], pp=["1", "4"], dp=["2", "8"])
        rows = eval_rows("ndsearch", points, "--metrics", "-i", "model=llama3-8b")
        self.same_bits("ndsearch", points, rows, inputs={"model": "llama3-8b"})

    def test_values_of_all_types(self):
        # Would catch a type of Python or NumPy that becomes another value.
        evaluate = ppsweep.Model("contention").evaluate
        wanted = evaluate(n=8, congestion="true", pipeline="gpipe", p_fwd_prop="0.5")
        for n, congestion, weight in [
                (np.int32(8), True, 0.5), (8.0, np.bool_(True), np.float32(0.5)),
                (np.array(8), np.array(True), np.array("0.5")), ("8", "true", "0.5")]:
            one = evaluate(n=n, congestion=congestion, pipeline=np.str_("gpipe"), p_fwd_prop=weight)
            self.assertEqual(one.shape, ())
            self.assertEqual(one["total_time"], wanted["total_time"])
        for weight in (["a", 0.5], np.array(["a", "0.5"], dtype=object), ("a", "0.5")):
            both = evaluate(n=[8, 8], p_fwd_prop=weight)["total_time"]
            self.assertEqual(both[0], evaluate(n=8, p_fwd_prop="a")["total_time"])
            self.assertEqual(both[1], evaluate(n=8, p_fwd_prop=0.5)["total_time"])
        some = np.arange(1, 33, dtype=np.int16)[::-2]  # not contiguous
        for value, n in zip(evaluate(n=some)["total_time"], some):
            self.assertEqual(value, evaluate(n=int(n))["total_time"])

    def test_broadcasting(self):
        # Would catch points in another order than NumPy's.
        model = ppsweep.Model("contention")
        ns, gpus = np.array([[4], [8], [9]]), [1, 2]
        grid = model.evaluate(n=ns, gpus=gpus, congestion=False)
        self.assertEqual((grid.shape, grid["total_time"].shape), ((3, 2), (3, 2)))
        self.assertEqual(grid.outcome.shape, (3, 2))
        for i, j in np.ndindex(3, 2):
            one = model.evaluate(n=ns[i, 0], gpus=gpus[j], congestion=False)
            self.assertEqual(grid["total_time"][i, j], one["total_time"])
        self.assertEqual(model.evaluate(n=[])["total_time"].shape, (0,))
        self.assertEqual(model.evaluate(n=np.empty((2, 0)), gpus=[[1], [2]]).shape, (2, 0))
        with self.assertRaisesRegex(ppsweep.Error, r"n \(2,\), gpus \(3,\)"):
            model.evaluate(n=[1, 2], gpus=[1, 2, 3])

    def test_wrong_values(self):
        # Would catch a wrong value that is computed: a tier's code is a negative number.
        model = ppsweep.Model("contention")
        for name, value, message in [
                ("n", 0, "whole number from 1"), ("n", [8, 0], "point 1: n: expected"),
                ("n", 8.5, "8.5"), ("n", float("nan"), "nan"), ("n", [float("inf")], "inf"),
                ("n", True, "true"), ("n", [True, False], "false|true"), ("n", "many", "many"),
                ("p_fwd_prop", -1, "-1"), ("p_fwd_prop", [0.5, -2], "-2"),
                ("p_fwd_prop", ["aa"], "aa"), ("pipeline", 1, "1f1b or gpipe"),
                ("pipeline", [0, 1], "1f1b or gpipe"), ("pipeline", "gpip", "did you mean gpipe"),
                ("congestion", 2, "false or true"), ("gpuz", 4, "did you mean gpus"),
                ("gpuz", [4], "did you mean gpus"), ("n", 10**400, "n")]:
            with self.subTest(name=name, value=value):
                with self.assertRaisesRegex(ppsweep.Error, message):
                    model.evaluate({name: value})
        for value in (None, [None], 1j, [1j], b"8", np.array(["2020-01-01"], "datetime64[D]")):
            with self.assertRaisesRegex(TypeError, "^n: "):
                model.evaluate(n=value)
        with self.assertRaisesRegex(ppsweep.Error, "total_time"):
            model.evaluate(n=8, columns="total_tim")
        with self.assertRaises(ValueError):
            model.evaluate(n=8, invalid="ignore")
        with self.assertRaises(ppsweep.Error):
            model.evaluate(n=[8, 9], threads=-1)
        with self.assertRaisesRegex(ppsweep.Error, "contention"):
            ppsweep.Model("contentio")
        self.assertEqual(model.evaluate()["total_time"], model.evaluate(n=8)["total_time"])

    def test_invalid_points_are_kept(self):
        model = ppsweep.Model("contention")
        kept = model.evaluate(n=[8, 0, 9], invalid="keep")
        self.assertEqual(list(kept.outcome), ["ok", "invalid", "ok"])
        self.assertEqual(list(kept.ok), [True, False, True])
        self.assertTrue(np.isnan(kept["total_time"][1]))
        self.assertEqual(model.evaluate(n=0, invalid="keep").outcome, "invalid")

    def test_outcomes(self):
        # Would catch a failed point that raises or has results.
        model = ppsweep.Model("contention", point_limit=1000)
        both = model.evaluate(n=[8, 100000], bwd_len=1.7)
        self.assertEqual(list(both.outcome), ["ok", "failed"])
        self.assertTrue(np.isnan(both["total_time"][1]))
        nd = ppsweep.evaluate("ndsearch", inputs={"model": "llama3-70b"}, world_size=8, tp=[3, 8])
        self.assertEqual(nd.outcome[0], "skipped")
        self.assertIn("world_size", nd.reason[0])
        self.assertEqual(nd.reason[1], "")
        frame_like = dict(nd)
        self.assertEqual(list(frame_like), list(nd))

    def test_columns(self):
        model = ppsweep.Model("contention")
        self.assertEqual(list(model.evaluate(columns=["bubble_ratio", "total_time"])),
                         ["bubble_ratio", "total_time"])
        self.assertEqual(list(model.evaluate(columns="sensitivity")), ["sensitivity"])
        self.assertNotIn("sensitivity", model.evaluate(columns="all"))
        self.assertEqual(len(model.evaluate(columns=())), 0)
        by_name = {column.name: column for column in model.columns}
        self.assertEqual(by_name["total_time"].goal, "lower")
        names = [parameter.name for parameter in model.parameters]
        n = model.parameters[names.index("n")]
        self.assertEqual((n.kind, n.default), ("integer", 8))

    def test_combinations(self):
        # Would catch tiers that come back as their codes.
        model = ppsweep.Model("contention", options={"priority_step": 0.5, "tiers": "all"})
        axis = model.combinations()
        self.assertIn("a", list(axis["p_grad_prop"]))
        times = model.evaluate(axis, n=8)["total_time"]
        self.assertEqual(len(times), len(axis["p_grad_sync"]))
        one = {name: values[9] for name, values in axis.items()}
        self.assertEqual(model.evaluate(one, n=8)["total_time"], times[9])
        with self.assertRaises(ppsweep.Error):
            model.combinations(5, 10**6)


class Documents(InFolder):
    def test_wrong_document_has_its_place(self):
        with open("model.json", "w", encoding="utf-8") as file:
            file.write('{"layers": 2,\n "hidden": -1}')
        with self.assertRaises(ppsweep.Error) as caught:
            ppsweep.Model("ndsearch", inputs={"model": "model.json"})
        self.assertEqual((os.path.basename(caught.exception.file), caught.exception.code),
                         ("model.json", "input"))
        self.assertGreaterEqual(caught.exception.line, 1)
        self.assertIn("model.json:", str(caught.exception))
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.line, str(again)),
                         (caught.exception.line, str(caught.exception)))


class Lifetime(unittest.TestCase):
    def test_close(self):
        # Would catch a call of the library with a closed model.
        with ppsweep.Model("contention") as model:
            result = model.evaluate(n=[8, 9])
        self.assertEqual(result.reason[0], "")
        for use in (model.evaluate, model.combinations):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()
        model.close()

    def test_last_reference_closes(self):
        model = ppsweep.Model("contention")
        model.evaluate(n=8)
        handle = weakref.ref(model._handle)
        del model
        gc.collect()
        self.assertIsNone(handle())

    def test_pickle(self):
        model = ppsweep.Model("ndsearch", {"model": "llama3-8b"})
        copy = pickle.loads(pickle.dumps(model))
        self.assertEqual(copy.evaluate(tp=8)["step_ms"], model.evaluate(tp=8)["step_ms"])

    def test_threads_share_a_model(self):
        # Would catch prepared calls that two threads use at once, and a model that is closed while
        # another thread uses it.
        model = ppsweep.Model("contention")
        wanted = model.evaluate(n=np.arange(1, 65), bwd_len=1.3)["total_time"]
        wrong = []

        def work():
            try:
                for i in list(range(64)) * 20:
                    if model.evaluate(n=i + 1, bwd_len=1.3)["total_time"] != wanted[i]:
                        wrong.append(i)
            except ValueError as error:
                if "closed" not in str(error):
                    wrong.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.05)
        model.close()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_ctrl_c_ends_an_evaluation(self):
        # Would catch a call that runs to its end (an hour) before Python sees the signal.
        script = ("import numpy, ppsweep\n"
                  "model = ppsweep.Model('contention', exact=True)\n"
                  "print('ready', flush=True)\n"
                  "model.evaluate(n=1000000, gpus=64, bwd_len=numpy.linspace(1, 2, 100000))\n")
        child = start(self, script)
        self.assertEqual(child.stdout.readline(), "ready\n")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", errors)
        self.assertNotEqual(child.returncode, 0)


if __name__ == "__main__":
    unittest.main()
