# SPDX-License-Identifier: Apache-2.0
"""The shared library libppsweep: where it is, and its structs and functions (ppsweep.h)."""

import ctypes as c
import os
import shutil
import sys
from pathlib import Path

ABI = 0  # PPSWEEP_ABI of the header that this file follows
FILE = f"libppsweep.so.{ABI}"

OK, E_MACHINE, E_INPUT, E_INFEASIBLE, E_POINTS, E_STOPPED, E_WRONG, E_CALL = range(8)
NAMES_OF_CODES = ("ok", "machine", "input", "infeasible", "points", "stopped", "wrong", "call")


# ---- structs ------------------------------------------------------------------------------------

class ErrorStruct(c.Structure):
    _fields_ = [("code", c.c_int), ("line", c.c_int), ("column", c.c_int),
                ("file", c.c_char * 512), ("text", c.c_char * 4096)]


class ModelOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("inputs", c.c_char_p), ("options", c.c_char_p),
                ("exact", c.c_int), ("point_limit", c.c_uint64)]


class Param(c.Structure):
    _fields_ = [("name", c.c_char_p), ("unit", c.c_char_p), ("summary", c.c_char_p),
                ("domain", c.c_char_p), ("kind", c.c_int), ("n_names", c.c_int),
                ("names", c.POINTER(c.c_char_p)), ("fallback", c.c_double),
                ("min", c.c_double), ("max", c.c_double), ("min_open", c.c_int),
                ("max_open", c.c_int), ("fixed", c.c_int), ("by_document", c.c_int),
                ("combined", c.c_int)]


class ColumnStruct(c.Structure):
    _fields_ = [("name", c.c_char_p), ("unit", c.c_char_p), ("summary", c.c_char_p),
                ("kind", c.c_int), ("goal", c.c_int), ("shown", c.c_int),
                ("decimals", c.c_int), ("text_size", c.c_size_t)]


class Points(c.Structure):
    _fields_ = [("size", c.c_size_t), ("n", c.c_size_t), ("param", c.POINTER(c.c_void_p)),
                ("column", c.POINTER(c.c_void_p)), ("text", c.POINTER(c.c_void_p)),
                ("outcome", c.c_void_p), ("detail", c.c_void_p), ("threads", c.c_int),
                ("stop", c.c_void_p)]


class ProgressStruct(c.Structure):
    _fields_ = [("points", c.c_uint64), ("all_points", c.c_uint64), ("rows", c.c_uint64),
                ("seconds", c.c_double)]


WATCH = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(ProgressStruct))


class RunOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("experiment", c.c_char_p), ("path", c.c_char_p),
                ("output", c.c_char_p), ("metrics", c.c_char_p), ("objective", c.c_char_p),
                ("compress", c.c_char_p), ("decimals", c.c_int), ("typed", c.c_int),
                ("status", c.c_int), ("exact", c.c_int), ("point_limit", c.c_uint64),
                ("limit", c.c_uint64), ("resume", c.c_int), ("force", c.c_int),
                ("threads", c.c_int), ("time_limit_s", c.c_double), ("watch", WATCH),
                ("self", c.c_void_p), ("stop", c.c_void_p)]


class SummaryStruct(c.Structure):
    _fields_ = [("path", c.c_char * 1024), ("objective", c.c_char * 64), ("best", c.c_double),
                ("best_row", c.c_char * 2048), ("points", c.c_uint64), ("skipped", c.c_uint64),
                ("rows", c.c_uint64), ("failed", c.c_uint64), ("infeasible", c.c_uint64),
                ("file_bytes", c.c_uint64), ("wall_s", c.c_double), ("cpu_s", c.c_double),
                ("resumed", c.c_int), ("repeated", c.c_int)]


class TableColumn(c.Structure):
    _fields_ = [("name", c.c_char_p), ("unit", c.c_char_p), ("is_result", c.c_int),
                ("kind", c.c_int), ("numbers", c.POINTER(c.c_double)),
                ("codes", c.POINTER(c.c_int32)), ("n_texts", c.c_int),
                ("texts", c.POINTER(c.c_char_p))]


class BatchStruct(c.Structure):
    _fields_ = [("size", c.c_size_t), ("n", c.c_int), ("input", c.c_void_p),
                ("target", c.c_void_p), ("rows", c.c_void_p)]


class PlanStruct(c.Structure):
    _fields_ = [("makespan_ms", c.c_double), ("bound_ms", c.c_double), ("peak_mb", c.c_double),
                ("planning_s", c.c_double), ("evaluations", c.c_int64), ("method", c.c_char_p),
                ("mode", c.c_char_p), ("replicas", c.c_int), ("devices", c.c_int),
                ("stages", c.c_int), ("micro_batches", c.c_int), ("samples", c.c_int),
                ("first", c.c_void_p), ("rows", c.c_void_p), ("input", c.c_void_p),
                ("target", c.c_void_p), ("sample_first", c.c_void_p), ("sample", c.c_void_p),
                ("row", c.c_void_p), ("recompute", c.c_void_p), ("instruction_first", c.c_void_p),
                ("instruction", c.c_void_p)]


# Name: result, arguments. All functions take opaque handles as void pointers.
_ERROR = c.POINTER(ErrorStruct)
_FUNCTIONS = {
    "stop_open": (c.c_void_p,),
    "stop_close": (None, c.c_void_p),
    "stop_raise": (None, c.c_void_p),
    "kernel_name": (c.c_char_p, c.c_int),
    "kernel_summary": (c.c_char_p, c.c_int),
    "model_open": (c.c_int, c.POINTER(c.c_void_p), c.c_char_p, c.POINTER(ModelOptions), _ERROR),
    "model_close": (None, c.c_void_p),
    "model_kernel": (c.c_char_p, c.c_void_p),
    "model_version": (c.c_char_p, c.c_void_p),
    "model_params": (c.c_int, c.c_void_p),
    "model_param": (c.POINTER(Param), c.c_void_p, c.c_int),
    "model_find_param": (c.c_int, c.c_void_p, c.c_char_p, _ERROR),
    "model_columns": (c.c_int, c.c_void_p),
    "model_column": (c.POINTER(ColumnStruct), c.c_void_p, c.c_int),
    "model_find_column": (c.c_int, c.c_void_p, c.c_char_p, _ERROR),
    "model_reason": (c.c_char_p, c.c_void_p, c.c_int),
    "model_combinations": (c.c_uint64, c.c_void_p),
    "model_combination": (c.c_int, c.c_void_p, c.c_uint64, c.c_size_t, c.POINTER(c.c_void_p),
                          _ERROR),
    "encode": (c.c_int, c.c_void_p, c.c_int, c.c_char_p, c.POINTER(c.c_double), _ERROR),
    "decode": (c.c_int, c.c_void_p, c.c_int, c.c_double, c.c_char_p, _ERROR),
    # Pointers to Points are passed as addresses, which takes less time per call.
    "evaluate": (c.c_int, c.c_void_p, c.c_void_p, c.c_void_p),
    "run": (c.c_int, c.POINTER(RunOptions), c.POINTER(SummaryStruct), _ERROR),
    "table_read": (c.c_int, c.POINTER(c.c_void_p), c.c_char_p, c.POINTER(c.c_char_p), _ERROR),
    "table_close": (None, c.c_void_p),
    "table_rows": (c.c_uint64, c.c_void_p),
    "table_columns": (c.c_int, c.c_void_p),
    "table_column": (c.POINTER(TableColumn), c.c_void_p, c.c_int),
    "planner_open": (c.c_int, c.POINTER(c.c_void_p), c.POINTER(c.c_char_p), _ERROR),
    "planner_close": (None, c.c_void_p),
    "plan_batch": (c.c_int, c.c_void_p, c.POINTER(BatchStruct), c.c_void_p,
                   c.POINTER(c.POINTER(PlanStruct)), _ERROR),
    "plan_close": (None, c.POINTER(PlanStruct)),
}


# ---- loading ------------------------------------------------------------------------------------

def _in_prefix(prefix):
    """Yields the paths that the library may have in an installation below the folder."""
    for pattern in (f"lib/{FILE}", f"lib64/{FILE}", f"lib/*-linux-gnu*/{FILE}"):
        yield from sorted(prefix.glob(pattern))


def _candidates():
    """Yields paths and names of the library, the first choice first."""
    here = Path(__file__).resolve().parent
    prefixes = [parent for parent in here.parents if parent.name == "lib"]
    for lib in prefixes:
        yield from _in_prefix(lib.parent)
    yield from _in_prefix(Path(sys.prefix))
    program = shutil.which("ppsweep")
    if program:
        folder = Path(program).resolve().parent
        yield from _in_prefix(folder.parent)
        yield from sorted(folder.glob(FILE))
    yield FILE  # LD_LIBRARY_PATH and the folders of ldconfig
    source = here.parent.parent
    if (source / "include" / "ppsweep.h").is_file():
        built = source.glob(f"build/*/{FILE}")
        yield from sorted(built, key=lambda path: (path.parent.name != "release", path))


def _open(path):
    loaded = c.CDLL(os.fspath(path))
    abi = loaded.ppsweep_abi()
    if abi != ABI:
        raise ImportError(f"{path}: its binary interface has number {abi}, but this package needs "
                          f"{ABI}; install the package and the library of the same release")
    return loaded


def _find():
    wanted = os.environ.get("PPSWEEP_LIBRARY")
    if wanted:
        try:
            return _open(wanted), wanted
        except (OSError, AttributeError) as error:
            raise ImportError(f"PPSWEEP_LIBRARY: cannot load {wanted}: {error}") from None
    for path in _candidates():
        try:
            return _open(path), os.fspath(path)
        except OSError:
            continue
    raise ImportError(f"cannot find {FILE}: install ppsweep (cmake --install), or set "
                      "PPSWEEP_LIBRARY to the path of the library, for example "
                      f"build/release/{FILE}")


class _Library:
    """The functions of the library without the prefix ``ppsweep_``."""

    def __init__(self):
        loaded, self.path = _find()
        loaded.ppsweep_version.restype = c.c_char_p
        self.version = loaded.ppsweep_version
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(loaded, "ppsweep_" + name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)


lib = _Library()


def version():
    """Return the version of libppsweep, for example "0.1.0"."""
    return lib.version().decode()


# ---- errors -------------------------------------------------------------------------------------

class Error(ValueError):
    """A wrong input, or a failure of the machine.

    Attributes
    ----------
    text : str
        What is wrong and what to write instead.
    file : str
        The file or argument at fault, or "".
    line, column : int
        The place in the file, from 1. 0 if it is unknown.
    code : str
        "input", "machine", "stopped", "call", ...
    """

    def __init__(self, text, file="", line=0, column=0, code="input"):
        place = f"{file}:{line}:{column}: " if file and line else ""
        super().__init__(place + text)
        self.text, self.file, self.line, self.column, self.code = text, file, line, column, code

    def __reduce__(self):
        return Error, (self.text, self.file, self.line, self.column, self.code)


def text_of(value):
    """Return the str of bytes from the library."""
    return value.decode("utf-8", "surrogateescape")


def error_of(struct):
    """Return the exception for a filled ErrorStruct."""
    return Error(text_of(struct.text), text_of(struct.file), struct.line, struct.column,
                 NAMES_OF_CODES[struct.code])


def check(code, struct):
    """Raise the error of a function that returned the code."""
    if code != OK:
        raise error_of(struct)
