# SPDX-License-Identifier: Apache-2.0
"""What a training costs, and which one is better: the commands ``check`` and ``tune`` of the program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from ._html import table
from ._library import Error

PathLike = Union[str, "os.PathLike[str]"]
_INFEASIBLE = 3  # the exit status of a training that does not fit: it has an answer, too


@dataclass(frozen=True)
class Training:
    """A training as the model prices it.

    Attributes
    ----------
    step_s : float
        Time of a step in seconds; `step_low_s` and `step_high_s` are its margin of error.
    peak_gib, memory_gib : float
        The memory that the fullest stage needs, and that a device has.
    fits : bool
        The training fits in memory.
    mfu : float
        Model FLOPs utilisation.
    strategy : dict
        Degrees of parallelism, micro-batch size, schedule.
    details : dict
        All of the program's answer (docs/agents.md).
    """

    step_s: float
    step_low_s: float
    step_high_s: float
    peak_gib: float
    memory_gib: float
    fits: bool
    mfu: float
    strategy: dict[str, Any]
    details: dict[str, Any]

    def _repr_html_(self) -> str:
        return table({"step": f"{self.step_s:.4g} s ({self.step_low_s:.4g} to {self.step_high_s:.4g})",
                      "memory": f"{self.peak_gib:.4g} of {self.memory_gib:.4g} GiB"
                                + ("" if self.fits else ": does not fit"),
                      "MFU": f"{100 * self.mfu:.1f} %",
                      **{name: str(value) for name, value in self.strategy.items()}})


@dataclass(frozen=True)
class Tuned:
    """A training and better ones, the best first.

    Attributes
    ----------
    mine : Training or None
        The training of the file; None for a model, which has no training.
    better : list of Training
        Better trainings; that of row K is a file to launch in ``folder/0K``.
    folder : pathlib.Path
        The folder that was written.
    """

    mine: Optional[Training]
    better: list[Training]
    folder: Path


def check(file: PathLike, cluster: Optional[PathLike] = None, *, model: Optional[PathLike] = None,
          at: Optional[str] = None, devices: Optional[int] = None,
          memory: Optional[str] = None) -> Training:
    """Price the training of a framework's configuration as it is.

    Parameters
    ----------
    file : str or path
        A configuration, or the name of a model with `at`.
    cluster : str or path, optional
        A cluster by name ("h100"), or a file.
    model : str or path, optional
        The model, where the file does not describe it.
    at : str, optional
        Degrees, as in "tp=8,pp=4,dp=8".
    devices : int, optional
    memory : str, optional
        Usable memory per device, as in "80GiB".

    Raises
    ------
    Error
        A wrong file or option, with file, line and column in the text.

    Examples
    --------
    >>> check("llama3-70b.sh", "h100").step_s
    """
    words = [file, *given(model), *given(cluster)]
    return _training(_ask("check", words, at=at, devices=devices, memory=memory))


def tune(file: PathLike, cluster: Optional[PathLike] = None, *, output: PathLike,
         model: Optional[PathLike] = None, devices: Optional[int] = None,
         memory: Optional[str] = None) -> Tuned:
    """Find better trainings and write them as files of the framework to the folder `output`.

    The parameters are those of `check`.
    """
    words = [file, *given(model), *given(cluster)]
    answer = _ask("tune", words, output=output, devices=devices, memory=memory)
    mine = answer.get("mine")
    return Tuned(_training(mine) if mine else None,
                 [_training(one.get("training", one)) for one in answer["answers"]], Path(output))


def given(value: Optional[PathLike]) -> list[PathLike]:
    """Return the list of the value, or an empty list."""
    return [] if value is None else [value]


def _program() -> str:
    program = os.environ.get("PPSWEEP_PROGRAM") or shutil.which("ppsweep")
    if program is None:
        raise Error("the program ppsweep is not in PATH; PPSWEEP_PROGRAM may contain its path")
    return program


def run(command: str, words: list[PathLike], *flags: str, **options: Any) -> str:
    """Run a command of the program and return what it prints. Options that are None are not given."""
    line = [_program(), command, *(os.fspath(word) for word in words), *flags]
    for name, value in options.items():
        if value is not None:
            line += ["--" + name.replace("_", "-"),
                     os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in (0, _INFEASIBLE) or not done.stdout:
        text = done.stderr.strip().rpartition("\n")[2]
        raise Error(text[len("ppsweep: "):] if text.startswith("ppsweep: ") else text)
    return done.stdout


def _ask(command: str, words: list[PathLike], **options: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run(command, words, "--json", **options))
    return answer


def _training(answer: dict[str, Any]) -> Training:
    return Training(answer["step_seconds"], answer["step_seconds_low"], answer["step_seconds_high"],
                    answer["peak_gib"], answer["memory_gib"], answer["fits"], answer["mfu"],
                    answer["strategy"], answer)
