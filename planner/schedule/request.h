// SPDX-License-Identifier: Apache-2.0
// Reads the options of `ppsweep schedule` as values of the kernel's parameters.
#pragma once

#include "base/text/status.h"
#include "engine/command/command.h"
#include "kernels/schedule/documents.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

// ---- unused -------------------------------------------------------------------------------------

// Checks the options of `ppsweep schedule` for a family of this name, with the point that it gets, and for
// the baseline beside it. A family NULL: the order of a document. An option with its default is always fine.
PPS_MUST_CHECK enum pps_status schedule_check_unused(
    const double value[N_PARAMS], const char *name, const struct schedule_point *named,
    const struct family *baseline, const struct pps_args *args, struct pps_error *err);

// ---- inputs -------------------------------------------------------------------------------------

// A zeroed struct has no documents.
struct schedule_inputs {
    const char *plan_path, *order_path; // NULL: none
    struct pps_json plan_json;
    struct plan *plan;
    struct schedule_means means;
    char *order_text;
    struct order_document order;
    struct schedule_shared shared; // the documents for the kernel
};

// Read a file ("-": standard input). The caller frees the inputs in every case. cluster: see plan_file_read.
PPS_MUST_CHECK enum pps_status schedule_inputs_plan(struct schedule_inputs *inputs,
                                                    const char *path, const char *cluster,
                                                    struct pps_error *err);
// An order: our text, PyTorch's CSV, or JSON. Checks that every operation is there exactly once and that
// the order does not deadlock.
PPS_MUST_CHECK enum pps_status schedule_inputs_order(struct schedule_inputs *inputs,
                                                     const char *path, struct pps_error *err);
// Checks that the messages that the order lists do not deadlock if they are blocking.
PPS_MUST_CHECK enum pps_status schedule_inputs_messages(struct schedule_inputs *inputs,
                                                        struct pps_error *err);
void schedule_inputs_free(struct schedule_inputs *inputs);

// ---- request ------------------------------------------------------------------------------------

// Options that describe times, memory and messages.
#define SCHEDULE_PIPELINE_OPTIONS                                                                \
    {"times", 0, "F,B,W",                                                                        \
     "times of forward, backward of the input, backward of the weights (1,1.5,0.3)"},            \
        {"latency", 0, "TIME", "time of a message between two devices (0)"},                     \
        {"channels", 0, "NAME",                                                                  \
         "what a message occupies: free (nothing), link, card of the sender, or blocking (both " \
         "devices, which wait for each other) (free)"},                                          \
        {"pair", 0, "TIME", "time of a forward that overlaps a full backward (F+B+W)"},          \
        {"memory", 0, "F,B,W",                                                                   \
         "change of memory by a forward, at the end of B, at the end of W (1,0,-1)"},            \
        {"limit", 0, "MEMORY", "memory of each device (none)"},                                  \
    {                                                                                            \
        "per", 0, "NAME",                                                                        \
            "times and memory are those of a micro-batch on a device, or on a chunk (device)"    \
    }

// An option whose value is that of a parameter.
struct schedule_option {
    const char *option;
    int param;
};

// Read the n bytes of a value of a parameter; the values of several options; three values separated by
// commas.
PPS_MUST_CHECK enum pps_status schedule_read_value(double *value, const char *option,
                                                   const char *text, size_t n,
                                                   const struct pps_param *param,
                                                   struct pps_error *err);
PPS_MUST_CHECK enum pps_status schedule_read_single(double value[N_PARAMS],
                                                    const struct schedule_option *list,
                                                    size_t n, const struct pps_args *args,
                                                    struct pps_error *err);
PPS_MUST_CHECK enum pps_status schedule_read_three(double value[N_PARAMS],
                                                   const struct pps_args *args,
                                                   const char *option, const int params[3],
                                                   const char *example, struct pps_error *err);

// Sets the values of the options that are given; the others are those of the documents, or the
// defaults. A value out of range, or another size than that of a document, is refused.
PPS_MUST_CHECK enum pps_status schedule_read_values(double value[N_PARAMS],
                                                    const struct schedule_inputs *inputs,
                                                    const struct pps_args *args,
                                                    struct pps_error *err);

// Finds the index of a family in parameter `family`, by its name or by its class in
// torch.distributed.pipelining. A suggestion follows an unknown name.
PPS_MUST_CHECK enum pps_status schedule_read_family(const char *option, const char *name,
                                                    int *index, struct pps_error *err);
