// SPDX-License-Identifier: Apache-2.0
// Reads the documents of the schedule commands.
#include "planner/schedule/inputs.h"

#include "base/system/whole_file.h"
#include "kernels/schedule/point.h"
#include "planner/shared/plan_file.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 << 20 }; // bytes

// ---- a plan -------------------------------------------------------------------------------------

enum pps_status schedule_inputs_plan(struct schedule_inputs *inputs,
                                     const char *path,
                                     const char *cluster,
                                     struct pps_error *err)
{
    const enum pps_status status =
        plan_file_read(&inputs->plan, &inputs->plan_json, path, cluster, err);
    if (status != PPS_OK)
        return status;
    inputs->plan_path = path;
    inputs->means = schedule_means_of(inputs->plan->pipeline);
    inputs->shared.plans = &inputs->plan;
    inputs->shared.means = &inputs->means;
    inputs->shared.n_plans = 1;
    return PPS_OK;
}

// ---- an order -----------------------------------------------------------------------------------

static enum pps_status fail_order(const struct schedule_inputs *inputs,
                                  const struct pps_fault *fault,
                                  struct pps_error *err)
{
    int line = fault->line, column = fault->column;
    if (fault->text[0] == '\0')
        return pps_fail_memory(err, "%s", inputs->order_path);
    if (fault->item != NULL && inputs->order.json.root != NULL)
        pps_json_where(&inputs->order.json, fault->item, 0, &line, &column);
    return pps_fail_at(err, PPS_E_INPUT, inputs->order_path, line, column, "%s", fault->text);
}

enum pps_status schedule_inputs_order(struct schedule_inputs *inputs,
                                      const char *path,
                                      struct pps_error *err)
{
    struct pps_fault fault = {.document = 0};
    size_t n;
    inputs->order_path = strcmp(path, "-") == 0 ? "stdin" : path;
    const enum pps_status status =
        pps_whole_file_read(path, LARGEST, &inputs->order_text, &n, err);
    if (status != PPS_OK)
        return status;
    if (!order_document_read(&inputs->order, inputs->order_text, n, &fault)) {
        memset(&inputs->order, 0, sizeof inputs->order);
        return fail_order(inputs, &fault, err);
    }
    if (inputs->order.shape.devices > SCHEDULE_DEVICES_MAX)
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "more than %d devices",
                           SCHEDULE_DEVICES_MAX);
    if (!order_document_check(&inputs->order, &fault))
        return fail_order(inputs, &fault, err);
    if (!order_document_check_messages(&inputs->order, &fault) && !inputs->order.hangs)
        return fail_order(inputs, &fault, err);
    inputs->shared.orders = &inputs->order;
    inputs->shared.n_orders = 1;
    return PPS_OK;
}

enum pps_status schedule_inputs_messages(struct schedule_inputs *inputs, struct pps_error *err)
{
    struct pps_fault fault = {.document = 0};
    return order_document_check_messages(&inputs->order, &fault)
               ? PPS_OK
               : fail_order(inputs, &fault, err);
}

void schedule_inputs_free(struct schedule_inputs *inputs)
{
    plan_free(inputs->plan);
    pps_json_free(&inputs->plan_json);
    order_document_free(&inputs->order);
    free(inputs->order_text);
    *inputs = (struct schedule_inputs){.plan_path = NULL};
}

// ---- values -------------------------------------------------------------------------------------

void schedule_inputs_values(const struct schedule_inputs *inputs, double value[N_PARAMS])
{
    for (int slot = 0; slot < N_SLOTS; slot++) {
        double list[N_PARAMS];
        const int n[N_SLOTS] = {[SLOT_PLAN] = inputs->shared.n_plans,
                                [SLOT_ORDER] = inputs->shared.n_orders,
                                [SLOT_POLICY] = inputs->shared.n_policies};
        if (n[slot] == 0)
            continue;
        schedule_values(&inputs->shared, slot, 0, list);
        for (int i = 0; i < schedule_slots[slot].n_sets; i++)
            value[schedule_slots[slot].sets[i]] = list[i];
    }
}
