// SPDX-License-Identifier: Apache-2.0
// Reads the options of `ppsweep schedule` as values of the kernel's parameters.
#include "planner/schedule/request.h"

#include "base/system/whole_file.h"
#include "base/text/nearest.h"
#include "base/text/text_buffer.h"
#include "engine/space/value.h"
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/family_names.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- unused -------------------------------------------------------------------------------------

static const struct {
    const char *option;
    int param;
    unsigned use;
} used_by[] = {
    {"group", P_GROUP, FAMILY_USES_GROUP},
    {"descending", P_DESCENDING, FAMILY_USES_DESCENDING},
    {"compat", P_COMPAT, FAMILY_USES_PUBLISHED},
    {"seed", P_SEED, FAMILY_USES_SEED},
    {"budget", P_BUDGET, FAMILY_USES_BUDGET},
    {"pair", P_PAIR, FAMILY_USES_PAIR},
};

static unsigned uses_of(const struct family *family)
{
    return family != NULL ? family->uses : FAMILY_USES_PAIR;
}

static enum pps_status fail(const char *option, const char *text, unsigned use,
                            const char *name, struct pps_error *err)
{
    struct text_buffer names = {.text = NULL};
    for (int k = 0; families[k] != NULL; k++)
        if (families[k]->uses & use)
            text_buffer_add(&names, "%s%s", names.n > 0 ? ", " : "", families[k]->name);
    const enum pps_status status =
        names.failed
            ? pps_fail_memory(err, "--%s", option)
            : pps_fail(err, PPS_E_INPUT,
                       "--%s%s%s: %s does not use it; remove the option; schedules that use "
                       "it: %s",
                       option, text[0] != '\0' ? " " : "", text, name, names.text);
    text_buffer_free(&names);
    return status;
}

static enum pps_status check_chunks(const double value[N_PARAMS], const char *name,
                                    const struct schedule_point *named, struct pps_error *err)
{
    const int32_t chunks = named->shape.stages / named->shape.devices;
    if (value[P_V] == schedule_params[P_V].fallback || value[P_V] == chunks)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--chunks %.0f: %s has %d per device; remove the option",
                    value[P_V], name, chunks);
}

enum pps_status schedule_check_unused(const double value[N_PARAMS], const char *name,
                                      const struct schedule_point *named,
                                      const struct family *baseline,
                                      const struct pps_args *args, struct pps_error *err)
{
    unsigned uses = uses_of(named->family) | uses_of(baseline);
    if (!noise_is_none(&named->noise))
        uses |= FAMILY_USES_SEED;
    for (size_t i = 0; i < sizeof used_by / sizeof *used_by; i++) {
        const char *text = pps_arg(args, used_by[i].option);
        if (text != NULL && !(uses & used_by[i].use) &&
            value[used_by[i].param] != schedule_params[used_by[i].param].fallback)
            return fail(used_by[i].option, text, used_by[i].use, name, err);
    }
    return check_chunks(value, name, named, err);
}

// ---- inputs -------------------------------------------------------------------------------------

enum { LARGEST = 64 << 20 }; // bytes

// ---- a plan -------------------------------------------------------------------------------------

enum pps_status schedule_inputs_plan(struct schedule_inputs *inputs, const char *path,
                                     const char *cluster, struct pps_error *err)
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
                                  const struct pps_fault *fault, struct pps_error *err)
{
    int line = fault->line, column = fault->column;
    if (fault->text[0] == '\0')
        return pps_fail_memory(err, "%s", inputs->order_path);
    if (fault->item != NULL && inputs->order.json.root != NULL)
        pps_json_where(&inputs->order.json, fault->item, 0, &line, &column);
    return pps_fail_at(err, PPS_E_INPUT, inputs->order_path, line, column, "%s", fault->text);
}

enum pps_status schedule_inputs_order(struct schedule_inputs *inputs, const char *path,
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

// Writes the values of the parameters that the documents set.
static void values_of(const struct schedule_inputs *inputs, double value[N_PARAMS])
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

// ---- request ------------------------------------------------------------------------------------

// Options whose value is that of a parameter.
static const struct schedule_option single[] = {
    {"devices", P_P},
    {"micro-batches", P_M},
    {"chunks", P_V},
    {"slices", P_SLICES},
    {"group", P_GROUP},
    {"latency", P_LATENCY},
    {"channels", P_CHANNELS},
    {"pair", P_PAIR},
    {"limit", P_LIMIT},
    {"per", P_PER},
    {"objective", P_OBJECTIVE},
    {"budget", P_BUDGET},
    {"seed", P_SEED},
    {"compat", P_COMPAT},
    {"level", P_LEVEL},
    {"message-level", P_MESSAGE_LEVEL},
    {"outliers", P_OUTLIER_P},
    {"noise", P_NOISE},
    {"replicates", P_REPLICATES},
    {"rule", P_RULE},
};

enum pps_status schedule_read_value(double *value, const char *option, const char *text,
                                    size_t n, const struct pps_param *param,
                                    struct pps_error *err)
{
    char why[PPS_WHY];
    if (pps_value_parse(param, text, n, value, why))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--%s %.*s: %s", option, (int)n, text, why);
}

enum pps_status schedule_read_three(double value[N_PARAMS], const struct pps_args *args,
                                    const char *option, const int params[3],
                                    const char *example, struct pps_error *err)
{
    const char *text = pps_arg(args, option), *rest = text;
    enum pps_status status = PPS_OK;
    if (text == NULL)
        return PPS_OK;
    for (int i = 0; i < 3 && status == PPS_OK; i++) {
        const size_t n = strcspn(rest, ",");
        if ((rest[n] == ',') != (i < 2))
            return pps_fail(err, PPS_E_INPUT,
                            "--%s %s: expected three numbers separated by commas, such as %s",
                            option, text, example);
        status = schedule_read_value(&value[params[i]], option, rest, n,
                                     &schedule_params[params[i]], err);
        rest += n + 1;
    }
    return status;
}

enum pps_status schedule_read_single(double value[N_PARAMS], const struct schedule_option *list,
                                     size_t n, const struct pps_args *args,
                                     struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < n && status == PPS_OK; i++) {
        const char *text = pps_arg(args, list[i].option);
        if (text != NULL)
            status = schedule_read_value(&value[list[i].param], list[i].option, text,
                                         strlen(text), &schedule_params[list[i].param], err);
    }
    return status;
}

// Checks what concerns all families. check() of the kernel has the same rules.
static enum pps_status check_memory(const double value[N_PARAMS], struct pps_error *err)
{
    const double f = value[P_MEM_F], b = value[P_MEM_B], w = value[P_MEM_W];
    if (!(fabs(f + b + w) <= 1e-9 * f))
        return pps_fail(err, PPS_E_INPUT,
                        "--memory %.10g,%.10g,%.10g: the changes must add up to 0: write "
                        "%.10g,%.10g,%.10g",
                        f, b, w, f, b, -f - b);
    if (value[P_LIMIT] >= 0 && value[P_LIMIT] < f)
        return pps_fail(err, PPS_E_INPUT,
                        "--limit %.10g: one forward takes %.10g; write %.10g or more",
                        value[P_LIMIT], f, f);
    return PPS_OK;
}

// The sizes of a document cannot be changed.
static enum pps_status check_sizes(const double value[N_PARAMS],
                                   const struct schedule_inputs *inputs, struct pps_error *err)
{
    const struct pipeline_shape *shape = &inputs->order.shape;
    if (inputs->plan != NULL && value[P_P] != inputs->plan->pipeline->shape.devices)
        return pps_fail(err, PPS_E_INPUT, "--devices %.0f: the plan %s has %d", value[P_P],
                        inputs->plan_path, inputs->plan->pipeline->shape.devices);
    if (inputs->shared.n_orders == 0)
        return PPS_OK;
    if (value[P_P] != shape->devices)
        return pps_fail(err, PPS_E_INPUT, "--devices %.0f: the order of %s has %d", value[P_P],
                        inputs->order_path, shape->devices);
    if (value[P_M] != shape->micro_batches)
        return pps_fail(err, PPS_E_INPUT, "--micro-batches %.0f: the order of %s has %d",
                        value[P_M], inputs->order_path, shape->micro_batches);
    if (value[P_SLICES] != shape->slices)
        return pps_fail(err, PPS_E_INPUT, "--slices %.0f: the order of %s has %d",
                        value[P_SLICES], inputs->order_path, shape->slices);
    return PPS_OK;
}

enum pps_status schedule_read_values(double value[N_PARAMS],
                                     const struct schedule_inputs *inputs,
                                     const struct pps_args *args, struct pps_error *err)
{
    static const int times[] = {P_F, P_B, P_W}, memory[] = {P_MEM_F, P_MEM_B, P_MEM_W};
    enum pps_status status;
    for (int p = 0; p < N_PARAMS; p++)
        value[p] = schedule_params[p].fallback;
    values_of(inputs, value);
    status = schedule_read_single(value, single, sizeof single / sizeof *single, args, err);
    if (status == PPS_OK && pps_arg(args, "descending") != NULL)
        value[P_DESCENDING] = 1;
    if (status == PPS_OK)
        status = schedule_read_three(value, args, "times", times, "1,1.5,0.3", err);
    if (status == PPS_OK)
        status = schedule_read_three(value, args, "memory", memory, "1,0,-1", err);
    if (status == PPS_OK)
        status = check_memory(value, err);
    return status == PPS_OK ? check_sizes(value, inputs, err) : status;
}

enum pps_status schedule_read_family(const char *option, const char *name, int *index,
                                     struct pps_error *err)
{
    for (int i = 0; i < FAMILY_NAMES; i++)
        if (strcmp(schedule_family_names[i], name) == 0) {
            *index = i;
            return PPS_OK;
        }
    for (const struct pps_alias *alias = schedule_family_aliases; alias->name != NULL; alias++)
        if (strcmp(alias->name, name) == 0) {
            *index = alias->value;
            return PPS_OK;
        }
    if (strcmp(name, "serial_baseline") == 0)
        return pps_fail(
            err, PPS_E_INPUT,
            "--%s %s: its devices run one after the other, which no order can express; "
            "write ppsweep schedule judge --compat orig",
            option, name);
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: not a schedule%s; ppsweep kernels schedule lists them", option,
                    name, pps_did_you_mean(name, schedule_family_names, FAMILY_NAMES).text);
}
