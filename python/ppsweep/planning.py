# SPDX-License-Identifier: Apache-2.0
"""Plans of training steps whose samples have different lengths, as ``ppsweep dynaplan`` makes them."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import numpy as np

from ._library import BatchStruct, ErrorStruct, PlanStruct, check, lib, text_of

INSTRUCTIONS = ("LOAD", "FREE", "SA", "SAF", "RA", "RAF", "SG", "SGF", "RG", "RGF", "F", "B")
_INSTRUCTION = np.dtype([("kind", np.int32), ("micro_batch", np.int32), ("stage", np.int32),
                         ("peer", np.int32), ("n_slots", np.int32), ("slot", np.int32, 2),
                         ("tensors", np.int32)])
Samples = Union[Sequence[int], Sequence[Sequence[int]], np.ndarray]


@dataclass(frozen=True)
class Plan:
    """A plan of a training step.

    Micro-batches of replica k are `first[k]` to `first[k + 1] - 1`, in the order in which its first
    stage runs them.

    Attributes
    ----------
    makespan_ms, bound_ms, peak_mb, planning_s : float
        Time of the step, a lower bound of it over all divisions, the largest memory of a device,
        and the time that planning took.
    method, mode : str
        Of the slowest replica.
    first : array
        Where the micro-batches of a replica begin.
    rows, input, target : array
        Shape of a micro-batch, lengths padded.
    sample_first, sample, row : array
        Samples of micro-batch m are ``sample[sample_first[m]:sample_first[m + 1]]``; `row` of each.
    recompute : array
        Of a micro-batch and a stage: 0 nothing, 1 full, 2 selective.
    """

    makespan_ms: float
    bound_ms: float
    peak_mb: float
    planning_s: float
    evaluations: int
    method: str
    mode: str
    replicas: int
    devices: int
    stages: int
    first: np.ndarray
    rows: np.ndarray
    input: np.ndarray
    target: np.ndarray
    sample_first: np.ndarray
    sample: np.ndarray
    row: np.ndarray
    recompute: np.ndarray
    _instruction_first: np.ndarray
    _instruction: np.ndarray

    def samples_of(self, micro_batch: int) -> np.ndarray:
        """Return the numbers of the samples of a micro-batch."""
        return self.sample[self.sample_first[micro_batch]:self.sample_first[micro_batch + 1]]

    def instructions(self, replica: int, device: int) -> np.ndarray:
        """Return the instructions of a device, a record each; `INSTRUCTIONS` names their kinds."""
        at = replica * self.devices + device
        return self._instruction[self._instruction_first[at]:self._instruction_first[at + 1]]


def _copy(address, n, kind):
    if n == 0:
        return np.empty(0, kind)
    size = n * np.dtype(kind).itemsize
    return np.frombuffer(ctypes.string_at(address, size), kind)


def _plan_of(s: PlanStruct) -> Plan:
    n, lists = s.micro_batches, s.replicas * s.devices
    instruction_first = _copy(s.instruction_first, lists + 1, np.int32)
    whole = functools.partial(_copy, kind=np.int32)
    return Plan(s.makespan_ms, s.bound_ms, s.peak_mb, s.planning_s, s.evaluations, text_of(s.method),
                text_of(s.mode), s.replicas, s.devices, s.stages, whole(s.first, s.replicas + 1),
                whole(s.rows, n), whole(s.input, n), whole(s.target, n),
                whole(s.sample_first, n + 1), whole(s.sample, s.samples), whole(s.row, s.samples),
                _copy(s.recompute, n * s.stages, np.uint8).reshape(n, s.stages), instruction_first,
                _copy(s.instruction, int(instruction_first[-1]), _INSTRUCTION))


def _words(options: dict[str, Any]):
    """Yield options as on the command line; None and False are not given."""
    for name, value in options.items():
        if value is None or value is False:
            continue
        yield "--" + name.replace("_", "-")
        if value is not True:
            yield os.fspath(value) if isinstance(value, os.PathLike) else str(value)


class Planner:
    """Plans batches for one network, cluster and pipeline. Any number of threads may use it.

    Parameters
    ----------
    costs, cluster : str or path
        Cost tables and cluster: names or files, as for ``ppsweep dynaplan``.
    log_dir : str or path, optional
        `generate_execution_plan` appends records to ``performance.log`` in this folder.
    options
        Options of ``ppsweep dynaplan`` without hyphens: ``devices=4, tp=2, mode="quick"``.
    """

    def __init__(self, costs, cluster="h100", *, log_dir=None, **options):
        self._options = {"costs": costs, "cluster": cluster, **options}
        self._handle = self._open(self._options)
        self._fast: Optional[int] = None  # a second planner with mode fast, when it is asked for
        self._log_dir = log_dir
        self._lock = threading.Lock()
        self.records: list[dict[str, Any]] = []  # of generate_execution_plan
        self._n = 0

    @staticmethod
    def _open(options):
        words = [os.fsencode(word) for word in _words(options)]
        handle, error = ctypes.c_void_p(), ErrorStruct()
        check(lib.planner_open(handle, (ctypes.c_char_p * (len(words) + 1))(*words, None), error),
              error)
        return handle.value

    def close(self) -> None:
        """Free the planner. Its plans stay valid."""
        for handle in (self._handle, self._fast):
            lib.planner_close(handle)
        self._handle = self._fast = None

    def __enter__(self) -> Planner:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self.close()

    def _plan(self, handle, batch, rows):
        lengths = np.ascontiguousarray(batch, np.int32)
        shape = (-1, 1) if lengths.ndim == 1 else lengths.shape
        columns = [np.ascontiguousarray(column) for column in lengths.reshape(shape).T]
        if lengths.ndim > 2 or len(columns) > 2:
            raise TypeError("expected lengths, or pairs of lengths")
        ready = None if rows is None else np.ascontiguousarray(
            np.broadcast_to(np.asarray(rows, np.int32), len(lengths)))
        struct = BatchStruct(ctypes.sizeof(BatchStruct), len(lengths), columns[0].ctypes.data,
                             columns[1].ctypes.data if len(columns) > 1 else None,
                             None if ready is None else ready.ctypes.data)
        found, error = ctypes.POINTER(PlanStruct)(), ErrorStruct()
        check(lib.plan_batch(handle, struct, None, found, error), error)
        try:
            return _plan_of(found.contents)
        finally:
            lib.plan_close(found)

    def plan(self, batch: Samples, rows: Union[None, int, Sequence[int]] = None) -> Plan:
        """Plan a batch.

        Parameters
        ----------
        batch : lengths, or pairs of lengths of input and target
            The samples.
        rows : int or list, optional
            The batch consists of ready micro-batches of so many rows with these lengths.

        Raises
        ------
        Error
            `code` is "infeasible" if nothing fits in memory.
        """
        return self._plan(self._handle, batch, rows)

    def generate_execution_plan(self, batch: Samples, fast_mode: Optional[bool] = None) -> Plan:
        """Plan the next batch of a training, and keep a record of it, in the names of the published
        planner. fast_mode: whether its fast search plans; None: the mode of the planner.
        """
        with self._lock:
            if fast_mode and self._fast is None:
                self._fast = self._open({**self._options, "mode": "fast"})
            index, self._n = self._n, self._n + 1
        begin = time.perf_counter()
        plan = self._plan(self._fast if fast_mode else self._handle, batch, None)
        record = {"function": "generate_execution_plan",
                  "execution_time": time.perf_counter() - begin,
                  "timestamp": time.strftime("%Y-%m-%d %H:%M:%S"),
                  "batch_size": len(plan.rows), "current_batch_idx": index,
                  "schedule_method": plan.method, "best_cost": plan.makespan_ms,
                  "n_candidates": plan.evaluations, "fast_mode": plan.mode == "fast"}
        with self._lock:
            self.records.append(record)
            if self._log_dir is not None:
                Path(self._log_dir).mkdir(parents=True, exist_ok=True)
                with open(Path(self._log_dir) / "performance.log", "a", encoding="utf-8") as log:
                    log.write(f"[{record['timestamp']}] INFO EXECUTION_TIME: {json.dumps(record)}\n")
        return plan


@functools.lru_cache(maxsize=16)
def _planner(words):
    return Planner(**dict(words))


def plan(batch: Samples, costs, cluster="h100", *, rows=None, **options) -> Plan:
    """Plan one batch; see `Planner`, which later calls with the same options share.

    >>> step = ppsweep.plan([100, 900, 120, 60], "llama2-7b", devices=4, tp=2)
    """
    key = tuple(sorted({"costs": costs, "cluster": cluster, **options}.items()))
    return _planner(key).plan(batch, rows)
