# SPDX-License-Identifier: Apache-2.0
"""Models of pipeline-parallel training: evaluate points, run sweeps, read results.

>>> import ppsweep
>>> times = ppsweep.evaluate("contention", n=[8, 16], gpus=4)["total_time"]
>>> summary = ppsweep.sweep({"n": [8, 16], "gpus": [2, 4]}, "result.csv.gz")
>>> frame = ppsweep.read("result.csv.gz")

`evaluate` computes points into arrays. `Model` does the same with less time per call. `sweep`
runs an experiment to a file, as the program ``ppsweep run`` does. `read` returns a result as a
pandas DataFrame or as arrays. `check` prices a training, `tune` finds better ones, `schedule`
compares schedules, `balance` divides layers over stages; these call the program. `plan` and `Planner`
turn batches of samples of different length into plans of training steps. `kernels` lists the models. Wrong input raises `Error`.

The module needs the shared library libppsweep. The environment variable ``PPSWEEP_LIBRARY`` may
contain its path.
"""

from ._library import Error, version
from .evaluation import Evaluation
from .model import Column, Model, Parameter, evaluate, kernels
from .pipeline import Balanced, Schedules, balance, schedule
from .planning import Plan, Planner, plan
from .result import read
from .sweep import Progress, Summary, sweep
from .training import Training, Tuned, check, tune

__version__ = version()
__all__ = ["Balanced", "Column", "Error", "Evaluation", "Model", "Parameter", "Plan", "Planner", "Progress", "Schedules",
           "Summary", "Training", "Tuned", "balance", "check", "evaluate", "kernels", "plan", "read", "schedule", "sweep", "tune",
           "version"]
