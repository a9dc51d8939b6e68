// SPDX-License-Identifier: Apache-2.0
// Defines the status codes with their exit status, and the error record that the failing
// function fills and `main` prints. All functions are thread-safe.
#pragma once

#include <stdarg.h>
#include <stdbool.h>

// X(code, exit status, sentence)
#define PPS_STATUS_LIST(X)                                                                     \
    X(PPS_OK, 0, "done")                                                                       \
    X(PPS_E_MACHINE, 1, "the machine failed (disk, memory, a system call)")                    \
    X(PPS_E_WRONG, 1, "a result is not what it should be")                                     \
    X(PPS_E_INPUT, 2, "an option or an input is wrong")                                        \
    X(PPS_E_INFEASIBLE, 3, "nothing feasible exists")                                          \
    X(PPS_E_POINTS, 4, "some points failed, or an audit differs")                              \
    X(PPS_E_STOPPED, 5, "stopped early, resumable")

enum pps_status {
#define PPS_STATUS_ENUM(code, exit_status, sentence) code,
    PPS_STATUS_LIST(PPS_STATUS_ENUM)
#undef PPS_STATUS_ENUM
};

#define PPS_MUST_CHECK __attribute__((warn_unused_result))

// An error. The function that detects the error fills the record once; callers pass it up
// unchanged.
struct pps_error {
    enum pps_status code;
    char file[512];  // the input at fault, or ""
    int line;        // from 1; 0: unknown
    int column;      // from 1; 0: unknown
    char text[4096]; // what is wrong and what to write, one line, no full stop
};

// Returns the exit status of a code.
int pps_exit_status(enum pps_status code);

// Fills err, with file, line and column empty, and returns code, so that a function can `return
// pps_fail(err, PPS_E_INPUT, "...", ...)`.
enum pps_status pps_fail(struct pps_error *err, enum pps_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Like pps_fail, with a place. line or column 0: unknown.
enum pps_status pps_fail_at(struct pps_error *err, enum pps_status code, const char *file,
                            int line, int column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

// Fills err with "out of memory for ..." and returns PPS_E_MACHINE; the format names what the
// memory is for, as in pps_fail_memory(err, "the rows of %s", path).
enum pps_status pps_fail_memory(struct pps_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Fills err with "<what> <path>: <strerror(errno)>" and returns PPS_E_MACHINE.
enum pps_status pps_fail_errno(struct pps_error *err, const char *what, const char *path);

// Writes "ppsweep: file:line:column: text" and a newline to stderr, in one write.
void pps_error_print(const struct pps_error *err);

// ---- memory -----------------------------------------------------------------------------------
// Every allocation of the program that fails is noted (base/system/allocations.c). Whoever prints
// a tree, gives a file its name or ends a command asks whether there was one. So a caller that
// overlooks a failure cannot pass an incomplete text or a wrong reason for the truth.

void pps_memory_note(void);

// Returns the number of failures since the process started.
long pps_memory_failures(void);

// Begins a command, or a call of the C library: earlier failures are not its own.
void pps_memory_begin(void);

// Returns whether an allocation has failed since the last begin.
bool pps_memory_failed(void);
