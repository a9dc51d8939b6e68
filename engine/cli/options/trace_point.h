// SPDX-License-Identifier: Apache-2.0
// The point of `trace`: a row of a result, or a point of a kernel, with KEY=VALUE words that change
// parameters.
#pragma once

#include "engine/command/command.h"
#include "engine/experiment/documents.h"
#include "engine/space/axis.h"

// ---- trace words --------------------------------------------------------------------------------

struct pps_trace_words {
    const char **list; // n; the caller frees the list, not the words
    int n;
    char (*room)[96]; // words that stand for options; the caller frees it
};

// Returns PPS_E_INPUT if there are no words.
PPS_MUST_CHECK enum pps_status pps_trace_words_read(const struct pps_args *args,
                                                    struct pps_trace_words *words,
                                                    struct pps_error *err);

// ---- trace point --------------------------------------------------------------------------------

struct pps_trace_point {
    const struct pps_args *args;
    struct pps_trace_words words;
    struct pps_documents *inputs; // of the kernel
    const char *result;           // result that contains the point, or NULL
    const struct pps_kernel *kernel;
    double point[PPS_MAX_PARAMS];
    uint64_t row;   // of the result, from 1
    uint64_t shown; // bit set of parameters in the row of a result
    uint64_t named; // bit set of parameters in the row, in words or in the change
    char *change;   // words of the change, cut at commas and blanks; or NULL
    char stem[160]; // of a file name that the point determines
};

// Chooses the point by the words and options of the command. change: the value of --compare, for the
// second point: the number of another row of the result, or parameters that differ, as
// KEY=VALUE,KEY=VALUE; NULL: none. The point is in the range of every parameter, but the kernel has not
// checked it. The caller calls pps_trace_point_close in every case; *point is zeroed before.
PPS_MUST_CHECK enum pps_status pps_trace_point_choose(struct pps_trace_point *point,
                                                      const struct pps_args *args,
                                                      const char *change,
                                                      struct pps_error *err);
void pps_trace_point_close(struct pps_trace_point *point);

// ---- trace title --------------------------------------------------------------------------------

// Returns "contention 4, row 12 of first.csv.gz: n=8 gpus=4 (other parameters: defaults)". The caller
// frees it. NULL: out of memory.
char *pps_trace_title(const struct pps_trace_point *point);

// Returns how the second point differs from the first: "row 13 of first.csv.gz: p_grad_sync=0.5
// instead of 0.2". The caller frees it. NULL: out of memory.
char *pps_trace_title_second(const struct pps_trace_point *first,
                             const struct pps_trace_point *second);
