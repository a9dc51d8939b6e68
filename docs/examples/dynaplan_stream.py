#!/usr/bin/env python3
"""Plans the steps of a training while it runs, with the standard library alone.

    python3 docs/examples/dynaplan_stream.py [PPSWEEP]

A Planner starts `ppsweep dynaplan --stream` once. It sends the lengths of a batch as a line and gets the plan
of the step as a line. The process lives as long as the training; its memory does not grow.
"""
import json
import os
import subprocess
import sys


class Planner:
    """A running `ppsweep dynaplan --stream`. options: as on its command line."""

    def __init__(self, options, program="ppsweep", environment=None):
        self.process = subprocess.Popen(
            [program, "dynaplan", *options, "--stream", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **(environment or {})})

    def plan(self, lengths):
        """Returns the plan of one global batch: a list of lengths, or of [input, target] pairs."""
        self.process.stdin.write(json.dumps(lengths) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("ppsweep dynaplan has ended; run it by hand to see why")
        plan = json.loads(line)
        if plan["status"] != "planned":
            raise ValueError(plan["reason"])
        return plan

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


def run_step(plan):
    """Stands for the training: every device of every replica runs its instructions."""
    for replica in plan["replicas"]:
        for instructions in replica["instructions"]:
            for kind, micro_batch, stage, peer, slots, tensors in instructions:
                pass  # F and B compute, SA and RA start transfers, SAF and RAF wait, FREE releases slots


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "ppsweep"
    options = ["--model", "llama2-7b", "--cluster", "h100", "--devices", "4", "--tp", "2"]
    batches = [[100, 900, 120, 60, 880, 300, 310, 70], [64] * 24, [2000, 30, 500]]
    # The mode may be chosen explicitly, by the environment, or by the number of micro-batches.
    for title, more, environment in (("explicit", ["--mode", "best"], {}),
                                     ("environment", [], {"DYNAPIPE_FAST_MODE": "true"}),
                                     ("automatic", ["--mode", "auto"], {})):
        planner = Planner(options + more, program, environment)
        for lengths in batches:
            plan = planner.plan(lengths)
            run_step(plan)
            print(f"{title:12} mode {plan['mode']:6} {plan['micro_batches_planned']:3} micro-batches "
                  f"{plan['makespan_ms']:8.2f} ms")
        planner.close()


if __name__ == "__main__":
    main()
