# SPDX-License-Identifier: Apache-2.0
"""Calls of ppsweep_evaluate: one point with few steps, or arrays of points."""

import ctypes
import threading

import numpy as np

from ._calls import Stop, call
from ._labels import index_of, labelled
from ._library import Error, ErrorStruct, Points, check, lib
from .evaluation import INVALID, Evaluation

# From this number of points on, a call is interruptible, which takes about 50 us.
INTERRUPTIBLE = 128


class Selection:
    """The columns of a call, and the prepared calls that are not in use."""

    def __init__(self, columns):
        self.columns = columns  # of (name, index, bytes of a text or 0)
        self.numbers = [(name, index) for name, index, size in columns if not size]
        self.texts = [(name, index, size) for name, index, size in columns if size]
        self.free = []


class OnePoint:
    """A prepared call for one point. Only one thread uses the object at a time."""

    def __init__(self, selection, n_params, n_columns):
        self.values = (ctypes.c_double * n_params)()
        self.results = (ctypes.c_double * n_columns)()
        self.text_buffers = [ctypes.create_string_buffer(size)
                             for _, _, size in selection.texts]
        self.outcome, self.detail = ctypes.c_ubyte(), ctypes.c_int()
        self.param = (ctypes.c_void_p * n_params)()
        self.column = (ctypes.c_void_p * n_columns)()
        self.text = (ctypes.c_void_p * n_columns)()
        self.value_at = [ctypes.addressof(self.values) + 8 * p for p in range(n_params)]
        for _, index in selection.numbers:
            self.column[index] = ctypes.addressof(self.results) + 8 * index
        for buffer, (_, index, _) in zip(self.text_buffers, selection.texts):
            self.text[index] = ctypes.addressof(buffer)
        self.points = Points(ctypes.sizeof(Points), 1, self.param, self.column, self.text,
                             ctypes.addressof(self.outcome), ctypes.addressof(self.detail), 1,
                             None)
        self.error = ErrorStruct()
        self.points_at = ctypes.addressof(self.points)
        self.error_at = ctypes.addressof(self.error)


def evaluate_one(model, handle, selection, values, raises):
    """Evaluate one point; return None if a value is an array."""
    try:
        one = selection.free.pop()
    except IndexError:
        one = OnePoint(selection, len(model.parameters), len(model.columns))
    param, doubles, value_at = one.param, one.values, one.value_at
    converters = model._converters
    used = []
    try:
        for name, value in values.items():
            converter = converters.get(name) or model._unknown_parameter(name)
            kind = type(value)
            index = converter.index
            if (kind is float or kind is int) and 0 <= value <= 1e300 and converter.takes_numbers:
                doubles[index] = value
            elif kind is float or kind is int or kind is str or kind is bool or _is_single(value):
                doubles[index] = model._single(name, value)
            else:
                return None
            param[index] = value_at[index]
            used.append(index)
        code = lib.evaluate(handle.pointer, one.points_at, one.error_at)
        if code:
            check(code, one.error)
        results = one.results
        columns = {name: results[index] for name, index in selection.numbers}
        for buffer, (name, _, _) in zip(one.text_buffers, selection.texts):
            columns[name] = buffer.value.decode("utf-8", "surrogateescape")
        outcome, detail = one.outcome.value, one.detail.value
        if outcome == INVALID and raises:
            raise _invalid(model, handle, detail, doubles[detail], "")
        return Evaluation(columns, (), outcome, detail, handle, values)
    finally:
        for index in used:
            param[index] = None
        selection.free.append(one)


def _is_single(value):
    return isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0)


def evaluate_many(model, handle, selection, values, threads, raises):
    """Evaluate the points to which the values broadcast."""
    labels, series = index_of(values)
    arrays = {name: model._array(name, value) for name, value in values.items()}
    shape = _broadcast(arrays)
    arrays = {name: np.ascontiguousarray(np.broadcast_to(array, shape))
              for name, array in arrays.items()}
    n = int(np.prod(shape))
    numbers = np.empty((len(selection.numbers), n))
    texts = [np.zeros((n, size), np.uint8) for _, _, size in selection.texts]
    outcomes, details = np.empty(n, np.uint8), np.empty(n, np.intc)
    param = (ctypes.c_void_p * len(model.parameters))()
    column = (ctypes.c_void_p * len(model.columns))()
    text = (ctypes.c_void_p * len(model.columns))()
    for name, array in arrays.items():
        param[model._converters[name].index] = array.ctypes.data
    for row, (_, index) in zip(numbers, selection.numbers):
        column[index] = row.ctypes.data
    for buffer, (_, index, _) in zip(texts, selection.texts):
        text[index] = buffer.ctypes.data
    points = Points(ctypes.sizeof(Points), n, param, column, text, outcomes.ctypes.data,
                    details.ctypes.data, threads, None)
    _run(handle, points)
    if raises and (outcomes == INVALID).any():
        at = int(np.argmax(outcomes == INVALID))
        name = model.parameters[details[at]].name if details[at] >= 0 else None
        place = "point " + ", ".join(map(str, np.unravel_index(at, shape))) + ": "
        value = arrays[name].flat[at] if name in arrays else 0.0
        raise _invalid(model, handle, int(details[at]), value, place)
    found = {name: row.reshape(shape) for row, (name, _) in zip(numbers, selection.numbers)}
    for buffer, (name, _, _) in zip(texts, selection.texts):
        found[name] = _strings(buffer).reshape(shape)
    columns = {name: labelled(found[name], labels, name) for name, _, _ in selection.columns}
    return Evaluation(columns, shape, outcomes.reshape(shape), details.reshape(shape), handle,
                      values, labels, series)


def _broadcast(arrays):
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items()
                           if array.ndim)
        raise Error(f"the shapes of the values do not fit together: {shapes}") from None


def _run(handle, points):
    """Evaluate the points. The caller keeps the arrays."""
    error = ErrorStruct()

    def run():
        return lib.evaluate(handle.pointer, ctypes.addressof(points), ctypes.addressof(error))

    in_main = threading.current_thread() is threading.main_thread()
    if points.n < INTERRUPTIBLE or not in_main:
        check(run(), error)
        return
    stop = Stop()
    points.stop = stop.handle
    check(call(run, stop), error)


def _strings(buffer):
    """Return the texts of a matrix of bytes; each row ends with NUL."""
    buffer[np.maximum.accumulate(buffer == 0, axis=1)] = 0
    rows = buffer.view(f"S{buffer.shape[1]}").ravel()
    return np.char.decode(rows, "utf-8", "surrogateescape")


def _invalid(model, handle, parameter, value, place):
    """Return the error for an invalid point."""
    if parameter < 0:
        return Error(place + "the point needs more memory than the machine has", code="machine")
    error = ErrorStruct()
    text = ctypes.create_string_buffer(32)
    if lib.decode(handle.pointer, parameter, value, text, error):
        return Error(place + error.text.decode("utf-8", "surrogateescape"),
                     file=model.parameters[parameter].name)
    return Error(f"{place}{model.parameters[parameter].name}: {value!r} is not allowed")
