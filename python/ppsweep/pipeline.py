# SPDX-License-Identifier: Apache-2.0
"""Schedules of a pipeline, and layers divided over its stages: the commands ``schedule`` and ``balance`` of the program."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ._html import rows_table
from .training import PathLike, given, run

_NUMBERS = ("makespan", "span", "bubble", "throughput", "peak", "bound")


@dataclass(frozen=True)
class Schedules:
    """The schedules of a pipeline, the fastest first.

    Attributes
    ----------
    rows : list of dict
        `schedule`, `makespan`, `bubble` (percent), `peak`, `bound` (no order of this kind takes less) and the other columns
        of the program's table. A notebook shows them.
    plan : dict
        The order of the fastest one, in the form that the program reads.
    svg : str
        Its timeline.
    """

    rows: list[dict[str, Any]]
    plan: dict[str, Any]
    svg: str

    def _repr_html_(self) -> str:
        return rows_table(self.rows, ("schedule", "makespan", "bubble", "peak", "bound")) + self.svg

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class Balanced:
    """Layers and recomputation of the stages of a pipeline, the best strategy first.

    Attributes
    ----------
    strategies : list of dict
        `name`, `step_time`, `fits`, `bubble`, `peak_mib` of every stage, `offset`, `recompute`, ...
    plan : dict
        The best strategy as a plan, in the form that the program reads.
    svg : str
        Its timeline and memory.
    """

    strategies: list[dict[str, Any]]
    plan: dict[str, Any]
    svg: str

    def _repr_html_(self) -> str:
        return rows_table(self.strategies, ("name", "step_time", "fits", "worst_stage")) + self.svg

    def _repr_svg_(self) -> str:
        return self.svg


def schedule(*, devices: Optional[int] = None, micro_batches: Optional[int] = None, times: Optional[str] = None,
             latency: Optional[float] = None, limit: Optional[float] = None, family: Optional[str] = None,
             plan: Optional[PathLike] = None, output: Optional[PathLike] = None) -> Schedules:
    """Compare the schedules of a pipeline.

    Parameters
    ----------
    devices, micro_batches : int, optional
        Of the pipeline.
    times : str, optional
        Times of forward, gradient of inputs and gradient of weights, as in "12,13,7".
    latency, limit : float, optional
        Time of a message; memory of a device in activations of a forward.
    family : str, optional
        Only this schedule.
    plan : str or path, optional
        A plan of ``ppsweep check`` or `balance`, which sets times, devices and micro-batches.
    output : str or path, optional
        A folder that keeps the files of the answer.

    Examples
    --------
    >>> schedule(devices=4, micro_batches=8).rows[0]["schedule"]
    """
    with _folder(output) as folder:
        run("schedule", given(plan), devices=devices, micro_batches=micro_batches, times=times, latency=latency,
            limit=limit, family=family, output=folder, progress="never")
        with open(folder / "schedules.csv", newline="") as file:
            rows = [{name: _number(value) if name in _NUMBERS else value for name, value in row.items()}
                    for row in csv.DictReader(file)]
        return Schedules(rows, _json(folder / "plan.json"), (folder / "timeline.svg").read_text())


def balance(layers: PathLike, cluster: Optional[PathLike] = None, *, stages: Optional[int] = None,
            chunks: Optional[int] = None, micro_batches: Optional[int] = None, memory: Optional[str] = None,
            budget: Optional[int] = None, output: Optional[PathLike] = None) -> Balanced:
    """Divide layers and recomputation over the stages of a pipeline.

    Parameters
    ----------
    layers : str or path
        A file of layers, a plan, or the configuration of a framework with `cluster`.
    stages, chunks, micro_batches : int, optional
    memory : str, optional
        Usable memory per device, as in "56GiB".
    budget : int, optional
        Evaluations of the search.
    output : str or path, optional
        A folder that keeps the files of the answer.

    Examples
    --------
    >>> balance("175b.json", stages=16, micro_batches=16).strategies[0]["step_time"]
    """
    with _folder(output) as folder:
        run("balance", [layers, *given(cluster)], stages=stages, chunks=chunks, micro_batches=micro_batches,
            memory=memory, budget=budget, output_folder=folder)
        return Balanced(_json(folder / "result.json")["strategies"], _json(folder / "plan.json"),
                        (folder / "result.svg").read_text())


@contextmanager
def _folder(output: Optional[PathLike]) -> Iterator[Path]:
    if output is not None:
        yield Path(output)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "answer"


def _number(text: str) -> float:
    return float(text) if text else float("nan")


def _json(path: Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(path.read_text())
    return answer
