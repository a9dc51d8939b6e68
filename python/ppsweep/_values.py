# SPDX-License-Identifier: Apache-2.0
"""Values of parameters as the library wants them: each value is a double."""

import ctypes
import math
import numbers

import numpy as np

from ._library import ErrorStruct, check, lib

INTEGER, REAL, BOOLEAN, CHOICE = range(4)


class Converter:
    """Converts values of one parameter.

    Attributes
    ----------
    index : int
        The number of the parameter.
    takes_numbers : bool
        A number from 0 up needs no conversion.
    words : dict
        The names of values, as double.
    """

    def __init__(self, index, parameter):
        self.index = index
        self.takes_numbers = parameter.kind in ("integer", "real")
        self.is_boolean = parameter.kind == "boolean"
        sign = -1 if parameter.kind == "real" else 1  # names of a real are -1, -2, ...
        shift = -1 if parameter.kind == "real" else 0
        self.words = {name: float(sign * i + shift) for i, name in enumerate(parameter.names)}
        self.has_tiers = self.takes_numbers and bool(parameter.names)

    def encode(self, handle, text):
        """Return the double for a text as in a row of a result. Raise Error if it is wrong."""
        value, error = ctypes.c_double(), ErrorStruct()
        check(lib.encode(handle.pointer, self.index, text.encode(), value, error), error)
        return value.value

    def single(self, handle, value):
        """Return the double for a number, a str or a bool."""
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
            value = value.item()
        if isinstance(value, bool):
            value = "true" if value else "false"
        if isinstance(value, str):
            known = self.words.get(value)
            return self.encode(handle, value) if known is None else known
        if not isinstance(value, numbers.Real):
            raise TypeError(f"expected a number, a str or a bool (got {value!r})")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if self.takes_numbers and not (self.has_tiers and number < 0):
            return number
        return self.encode(handle, f"{number:.15g}")

    def array(self, handle, value):
        """Return an array of doubles for an array or a list."""
        array = np.asarray(value)
        if array.dtype.kind in "iuf" and self.takes_numbers:
            result = np.ascontiguousarray(array, dtype=np.float64)
            if self.has_tiers and result.size and result.min() < 0:
                self.single(handle, result.min())  # raises the error
            return result
        if array.dtype.kind == "b" and self.is_boolean:
            return array.astype(np.float64)
        if array.dtype.kind in "biufU":
            different, places = np.unique(array, return_inverse=True)
            codes = np.array([self.single(handle, one) for one in different], dtype=np.float64)
            return codes[places].reshape(array.shape)
        if array.dtype.kind == "O":
            codes = [self.single(handle, one) for one in array.flat]
            return np.array(codes, dtype=np.float64).reshape(array.shape)
        raise TypeError(f"expected numbers, texts or booleans (got an array of {array.dtype})")
