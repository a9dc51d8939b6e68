# SPDX-License-Identifier: Apache-2.0
"""Runs of whole experiments to files."""

import ctypes
import json
import os
import queue
from dataclasses import dataclass

from ._calls import Stop, call
from ._html import table
from ._library import (E_STOPPED, OK, WATCH, ErrorStruct, RunOptions, SummaryStruct, check, lib,
                       text_of)


@dataclass(frozen=True)
class Progress:
    """The state of a run.

    Attributes
    ----------
    points : int
        Points scanned so far, also by the runs that this run resumes.
    all_points : int
        Points of the experiment.
    rows : int
        Rows written so far, likewise.
    seconds : float
        Time since the call.
    """

    points: int
    all_points: int
    rows: int
    seconds: float


@dataclass(frozen=True)
class Summary:
    """The outcome of a run.

    Attributes
    ----------
    path : str
        The result.
    complete : bool
        False: the time limit or the progress function stopped the run. The same call continues it.
    objective : str
        The column that ranks rows.
    best : float
        Its best value; NaN if there is none.
    best_row : str
        The row with this value.
    points : int
        Points scanned, skipped ones included.
    skipped, rows, failed, infeasible : int
        Points that a rule excludes, rows of the result, rows without results, rows of points that
        cannot run.
    file_bytes : int
        Size of the result.
    wall_s, cpu_s : float
        Time of this run, or of the run that made the result.
    resumed : bool
        The run continued an interrupted run.
    repeated : bool
        The result was complete before the call.
    """

    path: str
    complete: bool
    objective: str
    best: float
    best_row: str
    points: int
    skipped: int
    rows: int
    failed: int
    infeasible: int
    file_bytes: int
    wall_s: float
    cpu_s: float
    resumed: bool
    repeated: bool

    def _repr_html_(self):
        state = "complete" if self.complete else "stopped; the same call continues it"
        return table({"result": f"{self.path} ({state})",
                      f"best {self.objective}": f"{self.best:.6g} ({self.best_row})",
                      "rows": f"{self.rows} of {self.points} points, {self.failed} failed, "
                              f"{self.infeasible} infeasible",
                      "time": f"{self.wall_s:.3g} s"})


def sweep(experiment, path=None, *, resume=True, threads=0, progress=None, time_limit=None,
          metrics=None, objective=None, compress=None, decimals=None, typed=False, status=False,
          exact=False, point_limit=0, limit=0, force=False):
    """Run an experiment to a file, with its index and manifest, as ``ppsweep run`` does.

    The result has the same bytes for any number of threads and after any interruption.

    Parameters
    ----------
    experiment : dict, str or path
        A dict, JSON text (it begins with a brace) or the path of a file.
    path : str or path, optional
        The result: NAME.csv.gz, NAME.csv or a folder. None: the "output" of the experiment, else a
        name in outputs/data.
    resume : bool
        Continue an interrupted run, if there is one.
    threads : int
        0: all CPUs that this process may use.
    progress : callable, optional
        Called in the thread of the caller with a `Progress`, about ten times a second. If it
        returns False, the run stops. If it raises an exception, the run stops, and the exception
        continues.
    time_limit : float, optional
        Stop the run after this number of seconds.
    metrics : str or sequence of str, optional
        More columns; "all": all but costly ones.
    objective : str, optional
        The column that ranks rows.
    compress : str, optional
        "zlib:1" to "zlib:9", "isal:0" to "isal:3", or "none".
    decimals : int or "full", optional
        Decimals of results; "full": they read back exactly. None: those of each column.
    typed : bool
        Write numbers and names of a parameter to columns of their own.
    status : bool
        Rows end with a column ``status``.
    exact, point_limit
        As for `Model`.
    limit : int
        The first points only; 0: all points.
    force : bool
        Overwrite another result at the path.

    Returns
    -------
    Summary
        `Summary.complete` is False if the progress function or the time limit stopped the run.

    Raises
    ------
    Error
        The experiment is wrong, or another result is at the path.
    KeyboardInterrupt
        After Ctrl-C. The finished part is kept, and the same call continues it.

    Examples
    --------
    >>> sweep({"n": [8, 16], "gpus": [2, 4]}, "result.csv.gz").best
    """
    text, file = _experiment(experiment)
    stop = Stop()
    reports = queue.SimpleQueue()
    options = RunOptions(
        size=ctypes.sizeof(RunOptions), experiment=text, path=file,
        output=None if path is None else os.fsencode(path), metrics=_metrics(metrics),
        objective=_bytes(objective), compress=_bytes(compress), decimals=_decimals(decimals),
        typed=typed, status=status, exact=exact, point_limit=point_limit, limit=limit,
        resume=resume, force=force, threads=threads, time_limit_s=time_limit or 0,
        stop=stop.handle)
    if progress is not None:
        options.watch = _watch(reports)
    summary, error = SummaryStruct(), ErrorStruct()
    code = call(lambda: lib.run(options, summary, error), stop, reports, progress)
    if code != E_STOPPED:
        check(code, error)
    return _summary(summary, code == OK)


def _experiment(experiment):
    """Return the text and the path of an experiment; one of them is None."""
    if isinstance(experiment, (str, bytes)) and experiment.lstrip()[:1] in ("{", b"{"):
        return _bytes(experiment), None
    if isinstance(experiment, (str, bytes, os.PathLike)):
        return None, os.fsencode(experiment)
    return json.dumps(experiment).encode(), None


def _bytes(value):
    return value.encode() if isinstance(value, str) else value


def _metrics(metrics):
    if metrics is None:
        return None
    if metrics == "all":
        return b""
    return (metrics if isinstance(metrics, str) else ",".join(metrics)).encode()


def _decimals(decimals):
    """Return the number for the library: 0 is the default, -1 full precision."""
    if decimals is None:
        return 0
    if decimals == "full":
        return -1
    if decimals < 1:
        raise ValueError(f'decimals: must be 1 or more, or "full" (got {decimals!r})')
    return decimals


def _watch(reports):
    def report(_, progress):
        now = progress.contents
        reports.put(Progress(now.points, now.all_points, now.rows, now.seconds))
    return WATCH(report)


def _summary(struct, complete):
    return Summary(
        path=os.fsdecode(struct.path), complete=complete, objective=text_of(struct.objective),
        best=struct.best, best_row=text_of(struct.best_row), points=struct.points,
        skipped=struct.skipped, rows=struct.rows, failed=struct.failed,
        infeasible=struct.infeasible, file_bytes=struct.file_bytes, wall_s=struct.wall_s,
        cpu_s=struct.cpu_s, resumed=bool(struct.resumed), repeated=bool(struct.repeated))
