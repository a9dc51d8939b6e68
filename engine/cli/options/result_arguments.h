// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of commands that inspect a result: RESULT [column=value...].
#ifndef PPS_ENGINE_CLI_OPTIONS_RESULT_ARGUMENTS_H
#define PPS_ENGINE_CLI_OPTIONS_RESULT_ARGUMENTS_H

#include "engine/command/command.h"
#include "engine/read/view.h"

// Fills *view with the arguments of the command and all kernels. The caller calls
// pps_result_arguments_free in every case.
PPS_MUST_CHECK enum pps_status pps_result_arguments_view(const struct pps_args *args,
                                                         struct pps_view_ask *view,
                                                         struct pps_error *err);
// The same for word `side` of a command whose first `sides` words are results: the remaining words
// are filters of all results, and the texts of `option` (NULL: none) are filters of this one.
PPS_MUST_CHECK enum pps_status pps_result_arguments_side(const struct pps_args *args,
                                                         int side,
                                                         int sides,
                                                         const char *option,
                                                         struct pps_view_ask *view,
                                                         struct pps_error *err);

// Option --let of commands that read a result.
#define PPS_LET_OPTION                                                                         \
    {                                                                                          \
        "let", 0, "NAME=EXPR", "add a column computed from others; may be repeated"            \
    }

// Option -j of a command that reads the result once: with 2 threads, one decompresses the result and the
// other one uses the rows. The output does not depend on it.
#define PPS_READ_AHEAD_OPTION                                                                  \
    {                                                                                          \
        "threads", 'j', "N", "1: decompress RESULT on the same thread (2 threads)"             \
    }
PPS_MUST_CHECK enum pps_status pps_read_ahead_option(const struct pps_args *args,
                                                     struct pps_read_watch *watch,
                                                     struct pps_error *err);

// Prints on stderr, unless --quiet is given, that the result covers only some points of its
// grid.
void pps_result_arguments_say_partial(const struct pps_args *args,
                                      const struct pps_view_ask *view);

void pps_result_arguments_free(struct pps_view_ask *view);

#endif
