#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cost of the Python package on top of the C library, in CPU time of one thread: a batch of points,
and one point per call. Both ways compute the same points alternately and return the same bits. The
C library is called through ctypes, which takes about 0.7 us per call. Prints one JSON line per kernel.

    PYTHONPATH=python bench/python_calls.py [POINTS]
"""

import ctypes
import json
import sys
import time

import numpy as np

import ppsweep
from ppsweep._library import Points, lib

ROUNDS, CALLS = 15, 2000


def points_of(kernel, n):
    """Return n different points as a dict of arrays, and the arguments of the model."""
    if kernel == "contention":
        model = ppsweep.Model("contention")
        forward = np.arange(n) % 5 / 4
        backward = (1 - forward) * (np.arange(n) // 5 % 5 / 4)
        values = {"n": np.full(n, 8.0), "bwd_len": np.linspace(1, 3, n).round(4), "p_fwd_prop": forward,
                  "p_grad_prop": backward, "p_grad_sync": 1 - forward - backward}
        return model, values
    model = ppsweep.Model("ndsearch", {"model": "llama3-70b", "cluster": "h100"})
    values = {"world_size": np.full(n, 1024.0), "tp": np.full(n, 8.0), "pp": np.full(n, 4.0),
              "dp": np.full(n, 32.0), "gbs": 32.0 * np.arange(1, n + 1)}
    return model, values


def prepare(model, values):
    """Return a call of the C library for all points, and its first result."""
    arrays = [np.ascontiguousarray(array, dtype=float) for array in values.values()]
    n = len(arrays[0])
    result, outcome = np.empty(n), np.empty(n, np.uint8)
    param = (ctypes.c_void_p * len(model.parameters))()
    column = (ctypes.c_void_p * len(model.columns))(result.ctypes.data)
    names = [parameter.name for parameter in model.parameters]
    for name, array in zip(values, arrays):
        param[names.index(name)] = array.ctypes.data
    points = Points(ctypes.sizeof(Points), n, param, column, None, outcome.ctypes.data, None, 1, None)
    pointer = model._handle.pointer
    keep = (arrays, param, column, result, outcome, points)

    def call(_keep=keep):
        if lib.evaluate(pointer, ctypes.addressof(points), None):
            raise RuntimeError("the library failed")
    return call, result


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def measure(kernel, n):
    """Compare the minima of the rounds, which other work on the machine affects least."""
    model, values = points_of(kernel, n)
    column = model.columns[0].name
    some = {name: array[:CALLS] for name, array in values.items()}
    single = [dict(zip(some, point)) for point in zip(*(a.tolist() for a in some.values()))]
    c_batch, expected = prepare(model, values)
    c_single = [prepare(model, {name: array[i:i + 1] for name, array in some.items()})[0]
                for i in range(CALLS)]
    got = []

    def batch():
        got[:] = [model.evaluate(values, columns=column, threads=1)[column]]

    def one_by_one():
        for point in single:
            model.evaluate(point, columns=column)

    def c_one_by_one():
        for call in c_single:
            call()

    times = {function: [] for function in (c_batch, batch, c_one_by_one, one_by_one)}
    for _ in range(ROUNDS):
        for function in times:
            times[function].append(seconds(function))
    if not np.array_equal(expected, got[0], equal_nan=True):
        raise RuntimeError("the package and the library differ")
    least = {function: min(rounds) for function, rounds in times.items()}
    print(json.dumps({"bench": "python", "kernel": kernel, "points": n,
                      "library_ns": round(least[c_batch] / n * 1e9, 1),
                      "batch_ratio": round(least[batch] / least[c_batch], 4),
                      "single_more_us": round((least[one_by_one] - least[c_one_by_one]) / CALLS * 1e6, 2)}))


if __name__ == "__main__":
    for name in ("contention", "ndsearch"):
        measure(name, int(sys.argv[1]) if len(sys.argv) > 1 else 100000)
