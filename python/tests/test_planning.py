# SPDX-License-Identifier: Apache-2.0
"""Plans of batches: the same as those of the program, in any number of threads."""

import ctypes
import importlib.util
import json
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import ppsweep
from ppsweep._library import BatchStruct, ErrorStruct, PlanStruct, check, lib
from ppsweep.planning import INSTRUCTIONS

from .support import InFolder, program

OPTIONS = {"devices": 4, "tp": 2, "memory": 17000, "mode": "quick"}
BATCHES = [[100, 900, 120, 60, 880, 300, 310, 70], [64] * 24, [2000, 30, 500]]


def by_program(*lines):
    Path("in").write_text("".join(line + "\n" for line in lines))
    words = [word for name, value in OPTIONS.items() for word in ("--" + name, str(value))]
    out = program("dynaplan", "-c", "llama2-7b", "--cluster", "h100", *words, "--dp", "2",
                  "--stream", "in")
    return [json.loads(line) for line in out.splitlines()]


class Planning(InFolder):
    def compare(self, plan, other):
        self.assertEqual(plan.makespan_ms, other["makespan_ms"])
        for k, replica in enumerate(other["replicas"]):
            first = plan.first[k]
            for i, batch in enumerate(replica["micro_batches"]):
                m = first + i
                self.assertEqual([plan.rows[m], plan.input[m], plan.target[m]],
                                 [batch["rows"], batch["input"], batch["target"]])
                self.assertEqual(list(plan.samples_of(m)), batch["samples"])
                self.assertEqual(list(plan.recompute[m]), batch["recompute"])
            for d, instructions in enumerate(replica["instructions"]):
                got = [[INSTRUCTIONS[i["kind"]], i["micro_batch"], i["stage"], i["peer"],
                        list(i["slot"][:i["n_slots"]]), i["tensors"]]
                       for i in plan.instructions(k, d)]
                self.assertEqual(got, instructions)

    def test_plans_are_those_of_the_program(self):
        expected = by_program(*[" ".join(map(str, batch)) for batch in BATCHES])
        planner = ppsweep.Planner("llama2-7b", dp=2, **OPTIONS)
        for batch, other in zip(BATCHES, expected):
            self.compare(planner.plan(batch), other)
        ready, = by_program('{"micro_batches": [[4, 512], [1, 2048], [2, 900]]}')
        self.compare(ppsweep.plan([512, 2048, 900], "llama2-7b", dp=2, rows=[4, 1, 2], **OPTIONS),
                     ready)

    def test_threads_and_overhead(self):
        planner = ppsweep.Planner("llama2-7b", dp=2, **OPTIONS)
        times = [planner.plan(batch).makespan_ms for batch in BATCHES]
        got = []
        threads = [threading.Thread(target=lambda: got.append(
            [planner.plan(batch).makespan_ms for batch in BATCHES])) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [times] * 4)
        batch = np.random.default_rng(1).integers(20, 2000, 256)
        least = min(self.overhead(planner, batch) for _ in range(5))
        self.assertLess(least, 1e-3)

    @staticmethod
    def overhead(planner, batch):
        begin = time.perf_counter()
        plan = planner.plan(batch)
        return time.perf_counter() - begin - plan.planning_s

    def test_records_have_the_published_fields(self):
        planner = ppsweep.Planner("llama2-7b", log_dir="logs", devices=4, tp=2, mode="quick")
        planner.generate_execution_plan(BATCHES[0])
        self.assertEqual(planner.generate_execution_plan(BATCHES[1], fast_mode=True).mode, "fast")
        self.assertEqual([record["fast_mode"] for record in planner.records], [False, True])
        line = Path("logs/performance.log").read_text().splitlines()[1]
        record = json.loads(line[line.index("{"):])
        self.assertEqual(record["function"], "generate_execution_plan")
        self.assertEqual(record["current_batch_idx"], 1)
        self.assertGreater(record["n_candidates"], 0)

    def test_example_plans_ahead(self):
        path = Path(__file__).resolve().parents[2] / "docs/examples/dynaplan_loader.py"
        spec = importlib.util.spec_from_file_location("dynaplan_loader", path)
        loader = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loader)
        planner = ppsweep.Planner("llama2-7b", devices=4, tp=2, mode="quick")
        batches = [[[0] * n for n in lengths] for lengths in BATCHES]
        for (batch, plan), expected in zip(loader.planned(batches, planner), BATCHES, strict=True):
            got = sorted(len(one) for part in loader.micro_batches(batch, plan) for one in part)
            self.assertEqual(got, sorted(expected))
        with self.assertRaisesRegex(ppsweep.Error, "outside"):
            list(loader.planned([[[0] * 40000]], planner))

    def test_wrong_input(self):
        for options, text in (({"devices": 0}, "--devices"), ({"devicse": 4}, "did you mean"),
                              ({"devices": 4, "help": True}, "--help"),
                              ({"devices": 4, "mode": "fats"}, "did you mean fast")):
            with self.assertRaisesRegex(ppsweep.Error, text):
                ppsweep.Planner("llama2-7b", tp=2, **options)
        planner = ppsweep.Planner("llama2-7b", devices=4, tp=2, memory=14100)
        with self.assertRaises(ppsweep.Error) as raised:
            planner.plan([9000])
        self.assertEqual(raised.exception.code, "infeasible")
        for batch, text in (([1 << 25], "sample 0"), ([[5, 6]], "no decoder"), ([99999], "outside")):
            with self.assertRaisesRegex(ppsweep.Error, text):
                planner.plan(batch)

    def test_batches_without_lengths(self):
        planner = ppsweep.Planner("llama2-7b", devices=4, tp=2)
        found, error = ctypes.POINTER(PlanStruct)(), ErrorStruct()
        for n in (-1, 1):
            batch = BatchStruct(ctypes.sizeof(BatchStruct), n, None, None, None)
            with self.assertRaisesRegex(ppsweep.Error, "without lengths"):
                check(lib.plan_batch(planner._handle, batch, None, found, error), error)


if __name__ == "__main__":
    unittest.main()
