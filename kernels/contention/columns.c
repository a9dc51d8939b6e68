// SPDX-License-Identifier: Apache-2.0
// Declares the result columns of the kernel, and converts a result to a row.
#include "kernels/contention/table.h"

// A row: name, unit, summary, kind; then what is not 0.
const struct pps_column contention_columns[N_COLUMNS] = {
    [TOTAL_TIME] = {"total_time", "time",
                    "completion time of the iteration, synchronisation included",
                    PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_LOWER},
    [BUBBLE_RATIO] = {"bubble_ratio", "", "fraction of GPU time without compute",
                      PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_LOWER, .on_request = true,
                      .size_free = true},
    [COMPUTE_SLOWDOWN] = {"compute_slowdown", "",
                          "compute time relative to compute time without synchronisation",
                          PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_LOWER, .on_request = true,
                          .size_free = true},
    [PORT_UTILIZATION] = {"port_utilization", "", "mean share of a port in use",
                          PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_NEUTRAL,
                          .on_request = true, .size_free = true},
    [EXPOSED_COMM] = {"exposed_comm", "",
                      "part of the GPUs' time idle with a transfer on its way to them",
                      PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_LOWER, .on_request = true,
                      .size_free = true},
    [FWD_PROP_LATENCY] = {"fwd_prop_latency", "time",
                          "mean time from ready to finished of an activation transfer",
                          PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_LOWER, .on_request = true,
                          .size_free = true},
    [GRAD_PROP_LATENCY] = {"grad_prop_latency", "time",
                           "mean time from ready to finished of a gradient transfer",
                           PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_LOWER,
                           .on_request = true, .size_free = true},
    [GRAD_SYNC_LATENCY] = {"grad_sync_latency", "time",
                           "mean time from ready to finished of a synchronisation",
                           PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_LOWER,
                           .on_request = true, .size_free = true},
    [THROTTLED_TASKS] = {"throttled_tasks", "",
                         "transfers held back by their receiver at least once",
                         PPS_COLUMN_INTEGER, .goal = PPS_LOWER, .on_request = true},
    [PEAK_IN_FLIGHT] = {"peak_in_flight", "",
                        "maximum number of micro-batches in flight on a stage",
                        PPS_COLUMN_INTEGER, .goal = PPS_LOWER, .on_request = true},
    [IDEAL_TIME] = {"ideal_time", "time", "total_time with channels ideal", PPS_COLUMN_REAL,
                    .decimals = 4, .goal = PPS_NEUTRAL, .on_request = true},
    [CRITICAL_GPU] =
        {"critical_gpu", "",
         "GPU that ends last, from 0; the next seven columns are parts of its time and "
         "add up to total_time",
         PPS_COLUMN_INTEGER, .goal = PPS_NEUTRAL, .on_request = true},
    [CRITICAL_COMPUTE] = {"critical_compute", "time", "its forwards and backwards at full rate",
                          PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_LOWER,
                          .on_request = true},
    [CRITICAL_SLOWDOWN] = {"critical_slowdown", "time",
                           "time that synchronisations add to its forwards and backwards",
                           PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_LOWER,
                           .on_request = true},
    [CRITICAL_FWD_PROP] = {"critical_fwd_prop", "time",
                           "time it waits for activation transfers", PPS_COLUMN_REAL,
                           .decimals = 4, .goal = PPS_LOWER, .on_request = true},
    [CRITICAL_GRAD_PROP] = {"critical_grad_prop", "time",
                            "time it waits for gradient transfers", PPS_COLUMN_REAL,
                            .decimals = 4, .goal = PPS_LOWER, .on_request = true},
    [CRITICAL_GRAD_SYNC] =
        {"critical_grad_sync", "time",
         "time it waits because synchronisations take bandwidth of transfers", PPS_COLUMN_REAL,
         .decimals = 4, .goal = PPS_LOWER, .on_request = true},
    [CRITICAL_BUBBLE] = {"critical_bubble", "time",
                         "time it is idle before its last backward with no transfer on its way",
                         PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_LOWER, .on_request = true},
    [CRITICAL_FINAL_SYNC] = {"critical_final_sync", "time",
                             "time after its last backward, when it only synchronises",
                             PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_LOWER,
                             .on_request = true},
    [SENSITIVITY] =
        {"sensitivity", "",
         "relative change of total_time when a length changes by 1e-15: where it is "
         "large, digits of total_time have no meaning; takes three more simulations of "
         "each point",
         PPS_COLUMN_REAL, .decimals = 12, .goal = PPS_LOWER, .by_name = true},
    [TIME_PER_MICRO_BATCH] = {"time_per_micro_batch", "time", "total_time / n", PPS_COLUMN_REAL,
                              .decimals = 4, .goal = PPS_LOWER, .on_request = true,
                              .size_free = true},
    [D_FWD_LEN] = {"d_total_d_fwd_len", "",
                   "derivative of total_time by fwd_len: what one more unit costs; takes a "
                   "simulation without shortcuts, the six derivatives together",
                   PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_NEUTRAL, .by_name = true},
    [D_BWD_LEN] = {"d_total_d_bwd_len", "", "derivative of total_time by bwd_len",
                   PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_NEUTRAL, .by_name = true},
    [D_PROP_LEN] = {"d_total_d_prop_len", "", "derivative of total_time by prop_len",
                    PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_NEUTRAL, .by_name = true},
    [D_SYNC_BASE_LEN] = {"d_total_d_sync_base_len", "",
                         "derivative of total_time by sync_base_len", PPS_COLUMN_REAL,
                         .decimals = 6, .goal = PPS_NEUTRAL, .by_name = true},
    [D_FWD_IMPACT] = {"d_total_d_fwd_impact", "time", "derivative of total_time by fwd_impact",
                      PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_NEUTRAL, .by_name = true},
    [D_BWD_IMPACT] = {"d_total_d_bwd_impact", "time", "derivative of total_time by bwd_impact",
                      PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_NEUTRAL, .by_name = true},
};

// Returns the group of metrics of a column; 0: it is no metric.
static unsigned metrics_of(int column)
{
    static const unsigned groups[N_COLUMNS] = {
        [BUBBLE_RATIO] = CONTENTION_BUSY,         [COMPUTE_SLOWDOWN] = CONTENTION_BUSY,
        [PORT_UTILIZATION] = CONTENTION_PORT,     [EXPOSED_COMM] = CONTENTION_EXPOSED,
        [FWD_PROP_LATENCY] = CONTENTION_LATENCY,  [GRAD_PROP_LATENCY] = CONTENTION_LATENCY,
        [GRAD_SYNC_LATENCY] = CONTENTION_LATENCY, [THROTTLED_TASKS] = CONTENTION_THROTTLED,
        [PEAK_IN_FLIGHT] = CONTENTION_PEAK,       [IDEAL_TIME] = CONTENTION_IDEAL_TIME,
    };
    return column >= CRITICAL_GPU && column <= CRITICAL_FINAL_SYNC ? CONTENTION_PARTS
                                                                   : groups[column];
}

struct contention_wish contention_wish_of(const struct pps_batch *batch)
{
    struct contention_wish wish = {.sensitivity = batch->column[SENSITIVITY] != NULL};
    for (int c = 0; c < N_COLUMNS; c++)
        if (batch->column[c] != NULL) {
            wish.metrics |= metrics_of(c);
            wish.slopes = wish.slopes || c >= D_FWD_LEN;
        }
    return wish;
}

static void set_column(const struct pps_batch *batch, int column, size_t i, double value)
{
    if (batch->column[column] != NULL)
        batch->column[column][i] = value;
}

static void set_parts(const struct pps_batch *batch, size_t i,
                      const struct contention_parts *parts)
{
    set_column(batch, CRITICAL_GPU, i, parts->gpu);
    set_column(batch, CRITICAL_COMPUTE, i, parts->compute);
    set_column(batch, CRITICAL_SLOWDOWN, i, parts->slowdown);
    set_column(batch, CRITICAL_FWD_PROP, i, parts->waits[CONTENTION_FWD_PROP]);
    set_column(batch, CRITICAL_GRAD_PROP, i, parts->waits[CONTENTION_GRAD_PROP]);
    set_column(batch, CRITICAL_GRAD_SYNC, i, parts->waits[CONTENTION_GRAD_SYNC]);
    set_column(batch, CRITICAL_BUBBLE, i, parts->bubble);
    set_column(batch, CRITICAL_FINAL_SYNC, i, parts->final_sync);
}

void contention_set_row(const struct pps_batch *batch, struct contention_wish wish, size_t i,
                        const struct contention_result *r)
{
    set_column(batch, TOTAL_TIME, i, r->total_time);
    set_column(batch, SENSITIVITY, i, r->sensitivity);
    set_column(batch, TIME_PER_MICRO_BATCH, i, r->total_time / batch->param[PARAM_N][i]);
    for (int k = 0; k < CONTENTION_N_SLOPES && wish.slopes; k++)
        set_column(batch, D_FWD_LEN + k, i, r->slope[k]);
    if (!wish.metrics)
        return;
    set_column(batch, BUBBLE_RATIO, i, r->bubble_ratio);
    set_column(batch, COMPUTE_SLOWDOWN, i, r->compute_slowdown);
    set_column(batch, PORT_UTILIZATION, i, r->port_utilization);
    set_column(batch, EXPOSED_COMM, i, r->exposed_comm);
    set_column(batch, FWD_PROP_LATENCY, i, r->latency[CONTENTION_FWD_PROP]);
    set_column(batch, GRAD_PROP_LATENCY, i, r->latency[CONTENTION_GRAD_PROP]);
    set_column(batch, GRAD_SYNC_LATENCY, i, r->latency[CONTENTION_GRAD_SYNC]);
    set_column(batch, THROTTLED_TASKS, i, (double)r->throttled_tasks);
    set_column(batch, PEAK_IN_FLIGHT, i, r->peak_in_flight);
    set_column(batch, IDEAL_TIME, i, r->ideal_time);
    set_parts(batch, i, &r->critical);
}
