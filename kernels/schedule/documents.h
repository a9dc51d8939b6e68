// SPDX-License-Identifier: Apache-2.0
// Holds the documents of an experiment: plans, which set the work of a pipeline, and orders.
#pragma once

#include "kernels/common/plan/plan.h"
#include "kernels/schedule/orders/order_document.h"
#include "kernels/schedule/policy/policy.h"
#include "kernels/schedule/table.h"

enum { SLOT_PLAN, SLOT_ORDER, SLOT_POLICY, N_SLOTS };

extern const struct pps_slot schedule_slots[];

// The means of a plan, per device: what its document sets.
struct schedule_means {
    double f, b, w, mem_b, mem_w;
};

struct schedule_shared {
    struct plan **plans; // [n_plans]
    struct schedule_means *means;
    int n_plans;
    struct order_document *orders; // [n_orders]
    int n_orders;
    struct policy **policies; // [n_policies]
    int n_policies;
    struct network_shape widest; // of the networks of all learned policies; width 0: none
};

struct schedule_means schedule_means_of(const struct pipeline *pipeline);

// Of pps_kernel.
bool schedule_open(const struct pps_document *documents, int n, void **shared,
                   struct pps_fault *fault);
void schedule_close(void *shared);
void schedule_values(const void *shared, int slot, int i, double *values);
