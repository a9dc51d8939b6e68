// SPDX-License-Identifier: Apache-2.0
// Reads a file with an order of operations: our text, PyTorch's CSV, or JSON.
#ifndef PPS_PLANNER_SCHEDULE_ORDER_FILE_H
#define PPS_PLANNER_SCHEDULE_ORDER_FILE_H

#include "base/text/status.h"
#include "kernels/schedule/orders/order_document.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

struct schedule_order_file {
    const char *path;
    char *text;
    struct order_document document;
};

// Reads the file ("-": standard input). The caller frees it in every case; a zeroed struct is empty.
PPS_MUST_CHECK enum pps_status schedule_order_read(struct schedule_order_file *file,
                                                   const char *path,
                                                   struct pps_error *err);

// Checks that every operation is there exactly once and that the order does not deadlock.
PPS_MUST_CHECK enum pps_status schedule_order_check(const struct schedule_order_file *file,
                                                    struct pps_error *err);

void schedule_order_free(struct schedule_order_file *file);

// Returns the point of the order with the times and memory of the parameters; its size is that of
// the order.
struct schedule_point schedule_order_point(const struct schedule_order_file *file,
                                           const double value[N_PARAMS]);

#endif
