// SPDX-License-Identifier: Apache-2.0
// Measures an executed order: busy and idle time, bubbles, memory, the critical path.
#pragma once

#include "kernels/common/executor/executor.h"

struct metrics {
    double makespan;          // the latest end
    double span;              // max over devices: last end - first start
    double busy_most;         // max over devices: sum of the times of its operations
    double busy_sum;          // of all devices
    double bubble_ratio;      // 1 - busy_sum / (P * makespan)
    double bubble_ratio_span; // 1 - busy_most / span
    double bubble_to_ideal;   // (makespan - busy_most) / busy_most
    double bubble_time;       // P * makespan - busy_sum
    double throughput;        // M / makespan
    double peak_most;         // max over devices: fixed + largest sum of kept memory
};

// busy, peak: [devices]; may be NULL. Ratios of a step without work are 0.
void metrics_of(const struct pipeline *pipeline, const struct order *order,
                const double *starts, const double *ends, struct metrics *metrics, double *busy,
                double *peak);

// The first place where a device holds more than its limit.
struct metrics_excess {
    int32_t device, position;
    double value, limit;
};

// Returns whether a device exceeds its limit by more than 1e-9 of it.
bool metrics_over_limit(const struct pipeline *pipeline, const struct order *order,
                        struct metrics_excess *excess);

// Idle time, summed over all devices, by cause. warm_up + cool_down + forward + gradient + channel is
// bubble_time.
struct metrics_idle {
    double warm_up;   // before the first operation of a device
    double cool_down; // after the last
    double forward;   // between: waits for the message of a forward
    double gradient;  // waits for a gradient
    double channel;   // the part of these waits in which the message waited for its channel
};

void metrics_idle_of(const struct pipeline *pipeline, const struct order *order,
                     const double *starts, const double *ends, struct metrics_idle *idle);
