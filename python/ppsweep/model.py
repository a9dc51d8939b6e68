# SPDX-License-Identifier: Apache-2.0
"""Models: a kernel that has read its documents, and evaluates points."""

import ctypes
import functools
import json
import weakref
from dataclasses import dataclass

import numpy as np

from ._labels import columns_of
from ._library import Error, ErrorStruct, ModelOptions, check, lib, text_of
from ._points import Selection, evaluate_many, evaluate_one
from ._values import Converter

_KINDS = ("integer", "real", "boolean", "choice")
_COLUMN_KINDS = ("real", "integer", "text")
_GOALS = ("neutral", "lower", "higher")
_SHOWN = ("default", "request", "name")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a model.

    Attributes
    ----------
    name, unit, summary : str
    domain : str
        The allowed values in words.
    kind : str
        "integer", "real", "boolean" or "choice".
    names : tuple of str
        The names of a choice or a boolean; the tiers that a real may have besides numbers.
    default : float, str or bool
    fixed : bool
        Documents set the parameter; `Model.evaluate` does not take it.
    by_document : bool
        By default, a document sets the parameter.
    combined : bool
        `Model.combinations` contains the parameter.
    """

    name: str
    unit: str
    summary: str
    domain: str
    kind: str
    names: tuple
    default: object
    fixed: bool
    by_document: bool
    combined: bool


@dataclass(frozen=True)
class Column:
    """A result of a model.

    Attributes
    ----------
    name, unit, summary : str
    kind : str
        "real", "integer" or "text".
    goal : str
        Which values are better: "lower", "higher" or "neutral".
    shown : str
        "default": `Model.evaluate` returns it by default; "request": with ``columns="all"``;
        "name": only if `columns` names it, because it takes much time.
    """

    name: str
    unit: str
    summary: str
    kind: str
    goal: str
    shown: str


def kernels():
    """Return the models: a dict from the name of each kernel to its summary."""
    found = {}
    while lib.kernel_name(len(found)):
        k = len(found)
        found[text_of(lib.kernel_name(k))] = text_of(lib.kernel_summary(k))
    return found


class _Handle:
    """An open model of the library. It is closed with its last reference."""

    def __init__(self, kernel, options):
        pointer, error = ctypes.c_void_p(), ErrorStruct()
        check(lib.model_open(pointer, kernel.encode(), options, error), error)
        self.pointer = pointer.value
        weakref.finalize(self, lib.model_close, self.pointer)


def _json(value):
    """Return documents as JSON text in bytes; None stays None."""
    if value is None:
        return None
    return (value if isinstance(value, str) else json.dumps(value)).encode()


class Model:
    """A kernel that has read its documents.

    Parameters
    ----------
    kernel : str
        The name, for example "contention"; `kernels` returns all names.
    inputs : dict, optional
        Documents by name: ``{"model": "llama3-70b", "cluster": {"devices": 64}}``. A document is
        a path, the name of a shipped document, a dict, or a list of these.
    options : dict, optional
        Options of the composite axis, for example ``{"priority_step": 0.1}``. They determine
        `combinations`.
    exact : bool
        Disable shortcuts; results are bit-identical on every machine.
    point_limit : int
        A point that takes more events fails; 0: no limit.

    Attributes
    ----------
    parameters : tuple of Parameter
    columns : tuple of Column

    Notes
    -----
    Several threads may use a model at once; they compute at the same time. A model may be pickled;
    the copy reads its documents again.

    Examples
    --------
    >>> with Model("contention") as model:
    ...     model.evaluate(n=8, gpus=4, p_fwd_prop="a")["total_time"]
    """

    def __init__(self, kernel, inputs=None, options=None, *, exact=False, point_limit=0):
        self._arguments = (kernel, inputs, options, exact, point_limit)
        struct = ModelOptions(ctypes.sizeof(ModelOptions), _json(inputs), _json(options),
                              exact, point_limit)
        self._handle = _Handle(kernel, struct)
        pointer = self._handle.pointer
        self.kernel = text_of(lib.model_kernel(pointer))
        self.version = text_of(lib.model_version(pointer))
        self.parameters = tuple(_parameter(pointer, p) for p in range(lib.model_params(pointer)))
        self.columns = tuple(_column(pointer, c) for c in range(lib.model_columns(pointer)))
        self._converters = {parameter.name: Converter(p, parameter)
                            for p, parameter in enumerate(self.parameters)}
        self._selections = {}

    # ---- evaluation -----------------------------------------------------------------------------

    def evaluate(self, points=None, /, *, columns=None, threads=0, invalid="raise", **values):
        """Evaluate points.

        Parameters
        ----------
        points : mapping or DataFrame, optional
            Values by the name of the parameter, in addition to `values`.
        columns : str or sequence of str, optional
            The results to compute. None: the columns that a run shows by default; "all": all but
            costly ones.
        threads : int
            0: all CPUs that this process may use. No more threads run than pay for themselves.
        invalid : {"raise", "keep"}
            What happens if a parameter does not allow a value: raise an Error, or keep the point
            with the outcome "invalid".
        **values
            A number, a str, a bool, or an array or list of these, for each parameter. Arrays
            broadcast as in NumPy. Other parameters have their defaults. Results keep the index
            of pandas Series, which must be the same for all of them.

        Returns
        -------
        Evaluation
            A mapping from columns to arrays. `Evaluation.outcome` contains the outcome of each
            point: a point that fails or cannot run raises no error.

        Raises
        ------
        Error
            A name or value is wrong.
        KeyboardInterrupt
            Ctrl-C ends a call of 128 points or more in the main thread at once.
        """
        handle = self._handle
        if handle is None:
            raise ValueError("the model is closed")
        if points is not None:
            values = {**columns_of(points), **values}
        try:
            selection = self._selections[columns]
        except (KeyError, TypeError):
            selection = self._select(columns)
        raises = invalid == "raise"
        if not raises and invalid != "keep":
            raise ValueError(f'invalid: must be "raise" or "keep" (got {invalid!r})')
        result = evaluate_one(self, handle, selection, values, raises)
        if result is None:
            result = evaluate_many(self, handle, selection, values, threads, raises)
        return result

    def combinations(self, first=0, n=None):
        """Return values of the composite axis, which sets several parameters at once.

        Parameters
        ----------
        first, n : int
            The values to return; n None: all from the first on.

        Returns
        -------
        dict
            An array for each parameter of the axis; empty if the kernel has no composite axis.
            ``model.evaluate(model.combinations(), n=8)`` evaluates them.
        """
        handle = self._open_handle()
        most = lib.model_combinations(handle.pointer)
        n = max(most - first, 0) if n is None else n
        arrays = {p: np.empty(n) for p, one in enumerate(self.parameters) if one.combined}
        if first < 0 or n < 0 or first + n > most:
            raise Error(f"values {first} to {first + n - 1} of {most} do not exist")
        pointers = (ctypes.c_void_p * len(self.parameters))()
        for p, array in arrays.items():
            pointers[p] = array.ctypes.data
        error = ErrorStruct()
        check(lib.model_combination(handle.pointer, first, n, pointers, error), error)
        return {self.parameters[p].name: self._with_names(p, array)
                for p, array in arrays.items()}

    # ---- lifetime -------------------------------------------------------------------------------

    def close(self):
        """Free the memory of the model. Calls in other threads end normally."""
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __reduce__(self):
        return _reopen, self._arguments

    def __repr__(self):
        return f"<Model {self.kernel} {self.version}>"

    # ---- parts ----------------------------------------------------------------------------------

    def _open_handle(self):
        if self._handle is None:
            raise ValueError("the model is closed")
        return self._handle

    def _select(self, columns):
        """Return the selection of columns and keep it for the next call."""
        if columns is None or columns == "all":
            shown = ("default",) if columns is None else ("default", "request")
            wanted = [one.name for one in self.columns if one.shown in shown]
        else:
            wanted = [columns] if isinstance(columns, str) else list(columns)
        pointer = self._open_handle().pointer
        chosen = []
        for name in dict.fromkeys(wanted):
            error = ErrorStruct()
            index = lib.model_find_column(pointer, name.encode(), error)
            check(error.code if index < 0 else 0, error)
            chosen.append((name, index, lib.model_column(pointer, index).contents.text_size))
        selection = Selection(chosen)
        if columns is None or isinstance(columns, (str, tuple)):
            self._selections[columns] = selection
        return selection

    def _unknown_parameter(self, name):
        """Raise the error for a name that is not a parameter."""
        error = ErrorStruct()
        lib.model_find_param(self._open_handle().pointer, name.encode(), error)
        check(error.code, error)

    def _single(self, name, value):
        try:
            return self._converters[name].single(self._open_handle(), value)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None

    def _array(self, name, value):
        converter = self._converters.get(name) or self._unknown_parameter(name)
        try:
            return converter.array(self._open_handle(), value)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None

    def _with_names(self, p, array):
        """Return an array of numbers and names; the numbers alone if no value has a name."""
        parameter = self.parameters[p]
        if parameter.kind == "real" and not (array < 0).any():
            return array
        if parameter.kind == "integer":
            return array.astype(np.int64)
        places = -1 - array if parameter.kind == "real" else array
        return np.array([parameter.names[int(place)] if place >= 0 else float(number)
                         for place, number in zip(places, array)], dtype=object)


def _reopen(kernel, inputs, options, exact, point_limit):
    return Model(kernel, inputs, options, exact=exact, point_limit=point_limit)


def _parameter(pointer, p):
    one = lib.model_param(pointer, p).contents
    names = tuple(text_of(one.names[i]) for i in range(one.n_names))
    kind = _KINDS[one.kind]
    default = one.fallback
    if kind == "integer":
        default = int(default)
    elif kind == "boolean":
        default = default != 0
    elif kind == "choice" and names:
        default = names[int(default)]
    elif kind == "real" and default < 0 and names:
        default = names[-1 - int(default)]
    return Parameter(text_of(one.name), text_of(one.unit), text_of(one.summary),
                     text_of(one.domain), kind, names, default, bool(one.fixed),
                     bool(one.by_document), bool(one.combined))


def _column(pointer, c):
    one = lib.model_column(pointer, c).contents
    return Column(text_of(one.name), text_of(one.unit), text_of(one.summary),
                  _COLUMN_KINDS[one.kind], _GOALS[one.goal], _SHOWN[one.shown])


@functools.lru_cache(maxsize=None)
def _plain_model(kernel):
    return Model(kernel)


def evaluate(kernel, points=None, /, *, inputs=None, options=None, exact=False, point_limit=0,
             **arguments):
    """Evaluate points with a kernel.

    Parameters
    ----------
    kernel : str
        The name, for example "contention".
    inputs, options, exact, point_limit
        As for `Model`.
    points, columns, threads, invalid, **values
        As for `Model.evaluate`.

    Returns
    -------
    Evaluation

    Notes
    -----
    A call with `inputs` reads the documents each time. If you call the function often, create a
    `Model` and call its method `evaluate`.

    Examples
    --------
    >>> evaluate("contention", n=[8, 16], gpus=4, p_fwd_prop="a")["total_time"]
    """
    if inputs is None and options is None and not exact and not point_limit:
        return _plain_model(kernel).evaluate(points, **arguments)
    with Model(kernel, inputs, options, exact=exact, point_limit=point_limit) as model:
        return model.evaluate(points, **arguments)
