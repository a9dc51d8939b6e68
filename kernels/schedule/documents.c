// SPDX-License-Identifier: Apache-2.0
// Reads plans and orders from the documents of an experiment, and the parameters that they set.
#include "kernels/schedule/documents.h"

#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/convert.h"
#include "kernels/schedule/family_names.h"
#include "kernels/schedule/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int plan_sets[] = {P_P, P_M,     P_V,     P_SLICES, P_F,       P_B,
                                P_W, P_MEM_F, P_MEM_B, P_MEM_W,  P_LATENCY, P_CHANNELS};
static const int policy_sets[] = {P_RULE};
static const int order_sets[] = {P_FAMILY, P_P, P_M, P_V, P_SLICES};

#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

const struct pps_slot schedule_slots[N_SLOTS] = {
    [SLOT_PLAN] = {"plan",
                   .summary =
                       "the work of a step: times and memory of every stage, in s and bytes",
                   .param = P_PLAN, .sets = plan_sets, .n_sets = LENGTH(plan_sets),
                   .convert = configuration_convert_plan},
    [SLOT_ORDER] = {"order", .summary = "an order of operations: text, CSV of PyTorch, or JSON",
                    .param = P_ORDER, .sets = order_sets, .n_sets = LENGTH(order_sets),
                    .text = true},
    [SLOT_POLICY] = {"policy",
                     .summary =
                         "a policy: who decides during the step, for times that fluctuate",
                     .param = P_POLICY, .sets = policy_sets, .n_sets = LENGTH(policy_sets)},
};

// ---- reading ------------------------------------------------------------------------------------

void schedule_close(void *of)
{
    struct schedule_shared *shared = of;
    if (shared == NULL)
        return;
    for (int i = 0; shared->plans != NULL && i < shared->n_plans; i++)
        plan_free(shared->plans[i]);
    for (int i = 0; shared->orders != NULL && i < shared->n_orders; i++)
        order_document_free(&shared->orders[i]);
    for (int i = 0; shared->policies != NULL && i < shared->n_policies; i++)
        policy_free(shared->policies[i]);
    free(shared->policies);
    free(shared->plans);
    free(shared->means);
    free(shared->orders);
    free(shared);
}

static struct schedule_shared *new_shared(const struct pps_document *documents, int n)
{
    struct schedule_shared *shared = calloc(1, sizeof *shared);
    if (shared == NULL)
        return NULL;
    for (int d = 0; d < n; d++) {
        shared->n_plans += documents[d].slot == SLOT_PLAN;
        shared->n_orders += documents[d].slot == SLOT_ORDER;
        shared->n_policies += documents[d].slot == SLOT_POLICY;
    }
    shared->plans = calloc((size_t)shared->n_plans + 1, sizeof *shared->plans);
    shared->means = calloc((size_t)shared->n_plans + 1, sizeof *shared->means);
    shared->orders = calloc((size_t)shared->n_orders + 1, sizeof *shared->orders);
    shared->policies = calloc((size_t)shared->n_policies + 1, sizeof *shared->policies);
    if (shared->plans != NULL && shared->means != NULL && shared->orders != NULL &&
        shared->policies != NULL)
        return shared;
    schedule_close(shared);
    return NULL;
}

// The mean over devices of what a micro-batch costs on a device.
struct schedule_means schedule_means_of(const struct pipeline *pipeline)
{
    struct schedule_means sum = {.f = 0};
    const double part = (double)pipeline->shape.slices / pipeline->shape.devices;
    for (int32_t s = 0; s < pipeline->shape.stages; s++) {
        sum.f += pipeline->stage[s].f * part;
        sum.b += pipeline->stage[s].b * part;
        sum.w += pipeline->stage[s].w * part;
        sum.mem_b += pipeline->stage[s].kept_until_b * part;
        sum.mem_w += pipeline->stage[s].kept_until_w * part;
    }
    return sum;
}

static bool read_plan(struct schedule_shared *shared, int i,
                      const struct pps_document *document, struct pps_fault *fault)
{
    shared->plans[i] = plan_json_read(document->root, fault);
    if (shared->plans[i] == NULL)
        return false;
    if (shared->plans[i]->pipeline->shape.devices > SCHEDULE_DEVICES_MAX) {
        snprintf(fault->text, sizeof fault->text, "devices: this kernel takes at most %d",
                 SCHEDULE_DEVICES_MAX);
        return false;
    }
    shared->means[i] = schedule_means_of(shared->plans[i]->pipeline);
    return true;
}

static bool read_order(struct schedule_shared *shared, int i,
                       const struct pps_document *document, struct pps_fault *fault)
{
    struct order_document *order = &shared->orders[i];
    const bool read = document->root != NULL
                          ? order_document_of_json(order, document->root, fault)
                          : order_document_read(order, document->text, document->n, fault);
    if (!read) {
        memset(order, 0, sizeof *order);
        return false;
    }
    if (order->shape.devices > SCHEDULE_DEVICES_MAX) {
        snprintf(fault->text, sizeof fault->text, "this kernel takes at most %d devices",
                 SCHEDULE_DEVICES_MAX);
        return false;
    }
    if (!order_document_check(order, fault))
        return false;
    struct pps_fault unused; // messages that hang are no fault where they are not blocking
    return order_document_check_messages(order, &unused) || order->hangs;
}

static bool read_policy(struct schedule_shared *shared, int i,
                        const struct pps_document *document, struct pps_fault *fault)
{
    shared->policies[i] = policy_read(document->root, fault);
    return shared->policies[i] != NULL;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// Sets `widest`.
static void schedule_find_widest(struct schedule_shared *shared)
{
    for (int i = 0; i < shared->n_policies; i++) {
        const struct policy *policy = shared->policies[i];
        if (policy->kind != POLICY_LEARNED)
            continue;
        shared->widest.candidate = policy->shape.candidate;
        shared->widest.state = policy->shape.state;
        for (int k = 0; k < 2; k++)
            shared->widest.width[k] = larger(shared->widest.width[k], policy->shape.width[k]);
    }
}

bool schedule_open(const struct pps_document *documents, int n, void **out,
                   struct pps_fault *fault)
{
    struct schedule_shared *shared = new_shared(documents, n);
    int next[N_SLOTS] = {0};
    *fault = (struct pps_fault){.document = 0};
    if (shared == NULL)
        return false;
    for (int d = 0; d < n; d++) {
        const int slot = documents[d].slot, i = next[slot]++;
        fault->document = d;
        if (slot == SLOT_PLAN    ? read_plan(shared, i, &documents[d], fault)
            : slot == SLOT_ORDER ? read_order(shared, i, &documents[d], fault)
                                 : read_policy(shared, i, &documents[d], fault))
            continue;
        schedule_close(shared);
        return false;
    }
    schedule_find_widest(shared);
    *out = shared;
    return true;
}

// ---- values -------------------------------------------------------------------------------------

static void plan_values(const struct schedule_shared *shared, int i, double *values)
{
    const struct pipeline *pipeline = shared->plans[i]->pipeline;
    const struct schedule_means *means = &shared->means[i];
    const struct pipeline_links *links = &pipeline->links;
    *values++ = pipeline->shape.devices;
    *values++ = pipeline->shape.micro_batches;
    *values++ = 1;
    *values++ = pipeline->shape.slices;
    *values++ = means->f;
    *values++ = means->b;
    *values++ = means->w;
    *values++ = means->mem_b + means->mem_w;
    *values++ = 0 - means->mem_b;
    *values++ = 0 - means->mem_w;
    *values++ = links->latency + links->occupation;
    *values++ = links->channels;
}

static void order_values(const struct schedule_shared *shared, int i, double *values)
{
    const struct pipeline_shape *shape = &shared->orders[i].shape;
    *values++ = FAMILY_NAME_ORDER;
    *values++ = shape->devices;
    *values++ = shape->micro_batches;
    *values++ = 1;
    *values++ = shape->slices;
}

void schedule_values(const void *shared, int slot, int i, double *values)
{
    if (slot == SLOT_PLAN)
        plan_values(shared, i, values);
    else if (slot == SLOT_ORDER)
        order_values(shared, i, values);
    else
        *values = RULE_POLICY;
}
