// SPDX-License-Identifier: Apache-2.0
// Prints what `ppsweep check` knows for people.
#include "planner/check/checked.h"

#include "base/math/units.h"
#include "base/text/human.h"
#include "base/text/say.h"

#include <math.h>
#include <stdio.h>

// ---- what was read ------------------------------------------------------------------------------

// Prints " (my70b.sh:35)" for an item of a document.
static void print_place(const struct plan_run *run, const struct cJSON *item)
{
    int line = 0, column = 0;
    if (run->baseline_in == NULL || item == NULL)
        return;
    pps_json_where(&run->baseline_in->json, item, 0, &line, &column);
    if (line > 0)
        pps_say_part(stdout, " (%s:%d)", run->baseline_in->json.name, line);
}

enum list { LAYERS, FULL, SELECT };

static int32_t value_of(const struct configuration *c, int32_t v, int32_t d, enum list list)
{
    const struct configuration_part *part = &c->parts[configuration_part_at(c, v, d)];
    return list == LAYERS ? configuration_part_layers(part)
           : list == FULL ? configuration_sum(part->full)
                          : configuration_sum(part->select);
}

// Prints a row for each chunk, "9 10 10 11 | 10 11 10 9"; equal numbers as "16 x 4".
static void print_list(const struct configuration *c, enum list list)
{
    const int32_t first = value_of(c, 0, 0, list);
    bool equal = c->n_parts > 8;
    for (int32_t k = 0; k < c->n_parts; k++)
        equal = equal && value_of(c, k / c->strategy.pp, k % c->strategy.pp, list) == first;
    if (equal) {
        printf(" %d in every part", first);
        return;
    }
    for (int32_t v = 0; v < c->strategy.vp; v++) {
        printf("%s", v > 0 ? " |" : "");
        for (int32_t d = 0; d < c->strategy.pp; d++)
            printf(" %d", value_of(c, v, d, list));
    }
}

static int64_t sum_of(const struct configuration *c, enum list list)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < c->n_parts; k++)
        sum += value_of(c, k / c->strategy.pp, k % c->strategy.pp, list);
    return sum;
}

static void print_recompute(const struct checked *checked)
{
    const struct configuration *c = &checked->plan.configuration;
    const int64_t all = sum_of(c, LAYERS), full = sum_of(c, FULL), select = sum_of(c, SELECT);
    if (full == 0 && select == 0) {
        printf("; recompute nothing");
        return;
    }
    if (full > 0) {
        printf("; recompute");
        if (full == all)
            printf(" every layer");
        else
            print_list(c, FULL);
        if (c->recompute_group > 1)
            printf(", %d together", c->recompute_group);
        print_place(&checked->run, checked->plan.items.recompute);
    }
    if (select > 0) {
        printf("; recompute parts of");
        if (select == all)
            printf(" every layer");
        else
            print_list(c, SELECT);
        print_place(&checked->run, checked->plan.items.select);
    }
}

static void print_read(const struct checked *checked)
{
    const struct configuration *c = &checked->plan.configuration;
    const struct nd_strategy *s = &c->strategy;
    printf("read      dp %d, tp %d, cp %d, pp %d, ep %d, op %d, vp %d, mbs %d, sp %s; ", s->dp,
           s->tp, s->cp, s->pp, s->ep, s->op, s->vp, s->mbs, s->sp ? "on" : "off");
    printf("%s sequences of %s tokens, ", pps_count_text((double)c->training.gbs).text,
           pps_count_text((double)c->model.seq_length).text);
    printf("%s, schedule %s", training_precision_word(c->training.precision),
           configuration_schedule(c));
    print_place(&checked->run, checked->plan.items.schedule);
    const int32_t runs = configuration_micro_batches(c) / configuration_run_micro_batches(c);
    if (runs > 1)
        printf(", %d runs of the pipeline", runs);
    printf("\n          layers");
    print_list(c, LAYERS);
    print_place(&checked->run, checked->plan.items.layers);
    print_recompute(checked);
    printf("\n");
}

// Says what waits in the memory of the host, and the rate at which it comes.
static void print_offload(const struct configuration *c)
{
    const struct training *t = &c->training;
    const struct hardware *hw = &c->cluster.hardware;
    char text[256] = "";
    size_t n = 0;
    if (t->offload_parameters)
        n += (size_t)snprintf(text + n, sizeof text - n, ", shards of all states");
    else if (t->offload_optimizer > 0)
        n += (size_t)snprintf(text + n, sizeof text - n, ", %.4g %% of the optimizer state",
                              100 * t->offload_optimizer);
    if (t->offload_activations > 0)
        n += (size_t)snprintf(text + n, sizeof text - n, ", %.4g %% of what layers store",
                              100 * t->offload_activations);
    if (t->offload_checkpoints > 0)
        (void)snprintf(text + n, sizeof text - n,
                       ", %.4g %% of the inputs of layers that are made again",
                       100 * t->offload_checkpoints);
    if (text[0] != '\0')
        pps_say(
            stdout,
            "          in host memory, over %.4g GB/s a device: %s (host memory is not checked)",
            hw->host * hw->link_eff / 1e9, text + 2);
}

static void print_assumed(const struct checked *checked)
{
    const struct configuration *c = &checked->plan.configuration;
    const struct plan_run *run = &checked->run;
    char trust[ND_TRUST_TEXT];
    pps_say(stdout, "%s%s", c->training.stack.name[0] == '\0' ? "assumed   " : "trust     ",
            nd_trust_text(&c->cluster.hardware, &c->training, &c->model, trust));
    if (run->assumes_memory)
        pps_say(
            stdout,
            "          %s: %.6g GiB per device, of which %.4g GiB are reserved (--memory N)",
            c->cluster.hardware.name, units_to_gib(c->cluster.memory_limit),
            units_to_gib(c->cluster.reserve));
    print_offload(c);
    if (run->file_replicas > 0)
        pps_say(stdout, "          %s devices, so dp is %d; the file's devices give %lld",
                pps_count_text((double)c->cluster.world_size).text, c->strategy.dp,
                (long long)run->file_replicas);
    for (int d = 0; d < run->n_documents; d++)
        for (size_t k = 0; k < run->documents[d].not_modelled.n; k++) {
            const struct framework_key *key = &run->documents[d].not_modelled.list[k];
            pps_say(stdout, "%s %s (%s:%d)", k == 0 ? "not modelled" : "            ",
                    key->name, run->documents[d].json.name, key->line);
        }
}

void checked_print_read(const struct checked *checked)
{
    print_read(checked);
    print_assumed(checked);
}

static void print_model(const struct configuration *c)
{
    struct modeldesc_counts counts;
    modeldesc_count(&c->model, &counts);
    pps_say_part(stdout, "model     %s%s%.4g B parameters", c->model.name,
                 c->model.name[0] != '\0' ? ": " : "", (double)counts.total / 1e9);
    if (c->model.experts > 0)
        printf(", %.4g B active", (double)counts.active / 1e9);
    if (c->training.frozen)
        printf(", %.4g M trained", configuration_trained(c) / 1e6);
    printf("; %s devices %s\n", pps_count_text((double)c->cluster.world_size).text,
           c->cluster.hardware.name);
    plan_print_beside(&c->model);
    plan_print_kinds(&c->model);
}

// ---- the step -----------------------------------------------------------------------------------

const char *checked_seconds(double value, char text[32])
{
    pps_human_number(value, value < 0.01 ? 2 : value < 1 ? 3 : 5, text, 32);
    return text;
}

static void print_step(const struct checked *checked)
{
    const struct configuration_step *step = &checked->step;
    char a[32], b[32];
    printf("step      %s s", checked_seconds(step->seconds, a));
    if (checked->group != NULL)
        printf(" +- %.0f %%", 100 * nd_left_out_band(checked->group));
    printf(": pipeline %s s", checked_seconds(step->pipeline, a));
    for (int k = CONFIGURATION_REPLICAS; k < CONFIGURATION_TIMES; k++)
        printf(", %s %s s",
               k == CONFIGURATION_REPLICAS ? "exchange of replicas"
                                           : configuration_time_names[k],
               checked_seconds(step->times[k], b));
    printf("; MFU %.1f %%%s\n", 100 * step->mfu,
           checked->run.training.precision == TRAINING_BF16 ? "" : " of the peak in 16 bits");
    printf("pipeline  compute %s s", checked_seconds(step->times[CONFIGURATION_COMPUTE], a));
    for (int k = CONFIGURATION_TP; k <= CONFIGURATION_CP; k++)
        if (step->times[k] > 0)
            printf(", exchanges of %s %s s", configuration_time_names[k],
                   checked_seconds(step->times[k], b));
    for (int k = CONFIGURATION_RECOMPUTE; k <= CONFIGURATION_TRANSFER; k++)
        printf(", %s %s s", configuration_time_names[k], checked_seconds(step->times[k], b));
    printf(
        "\noverhead  %.1f %%: %.1f imbalance, %.1f recomputation, %.1f bubble, %.1f transfers\n",
        100 * fmax(0, step->pipeline / step->useful - 1),
        100 * step->times[CONFIGURATION_IMBALANCE] / step->useful,
        100 * step->times[CONFIGURATION_RECOMPUTE] / step->useful,
        100 * step->times[CONFIGURATION_BUBBLE] / step->useful,
        100 * step->times[CONFIGURATION_TRANSFER] / step->useful);
}

static void print_order(const struct checked *checked)
{
    const struct configuration_step *step = &checked->step;
    const double over = 100 * (step->pipeline / step->bound - 1);
    if (checked->plan.configuration.strategy.pp > 1)
        printf("order     %s is at most %.2g %% above the best order of these parts "
               "(ppsweep schedule compares others)\n",
               configuration_schedule(&checked->plan.configuration), over > 0 ? over : 0);
}

static int largest_cause(const struct configuration_device *device)
{
    int largest = 0;
    for (int m = 1; m < CONFIGURATION_MEMORIES; m++)
        if (device->memory[m] > device->memory[largest])
            largest = m;
    return largest;
}

static void print_stage(const struct checked *checked, int32_t d)
{
    const struct configuration *c = &checked->plan.configuration;
    const struct configuration_device *device = &checked->step.devices[d];
    int32_t layers = 0, again = 0;
    for (int32_t v = 0; v < c->strategy.vp; v++) {
        layers += value_of(c, v, d, LAYERS);
        again += value_of(c, v, d, FULL) + value_of(c, v, d, SELECT);
    }
    const double states = device->memory[CONFIGURATION_PARAMETERS] +
                          device->memory[CONFIGURATION_GRADIENTS] +
                          device->memory[CONFIGURATION_OPTIMIZER_STATE];
    const double activations = device->memory[CONFIGURATION_ACTIVATIONS];
    printf("%-9d %6d %10d %6.1f %10.3f %8.3f %11.3f %8.3f\n", d, layers, again,
           100 * device->busy, units_to_gib(device->peak), units_to_gib(states),
           units_to_gib(activations), units_to_gib(device->peak - states - activations));
}

static void print_stages(const struct checked *checked)
{
    printf("\n%-9s %6s %10s %6s %10s %8s %11s %8s\n", "stage", "layers", "recomputed", "busy %",
           "peak GiB", "states", "activations", "others");
    for (int32_t d = 0; d < checked->plan.configuration.strategy.pp; d++)
        print_stage(checked, d);
    printf("\n");
}

static void print_verdict(const struct checked *checked)
{
    const struct configuration_step *step = &checked->step;
    const struct configuration *c = &checked->plan.configuration;
    const double limit = c->cluster.memory_limit;
    const struct configuration_device *worst = &step->devices[step->worst];
    const int cause = largest_cause(worst);
    char odds[ND_FIT_TEXT];
    if (checked_fits(checked))
        printf("fits      stage %d needs most: %.3f of %.6g GiB\n", step->worst,
               units_to_gib(step->peak), units_to_gib(limit));
    else
        printf(
            "runs out  of memory at stage %d by %.3f GiB: %.3f of %.6g GiB; largest cause %s, "
            "%.3f GiB\n",
            step->worst, units_to_gib(step->peak - limit), units_to_gib(step->peak),
            units_to_gib(limit), configuration_memory_names[cause],
            units_to_gib(worst->memory[cause]));
    printf("          %s\n", nd_fit_text(&c->training, step->peak, limit, odds));
}

static void print_changes(const struct checked *checked)
{
    const struct configuration *c = &checked->plan.configuration;
    char text[32], odds[ND_PERCENT_TEXT];
    for (int k = 0; k < checked->n_changes; k++) {
        const struct checked_change *change = &checked->changes[k];
        printf("%-9s %s: %s s (%+.1f %%), %.2f GiB, %s (probability %s)\n",
               k == 0 ? "at once" : "", change->label, checked_seconds(change->seconds, text),
               100 * (change->seconds / checked->step.seconds - 1), units_to_gib(change->peak),
               change->fits ? "fits" : "does not fit",
               nd_fit_percent(&c->training, change->peak, c->cluster.memory_limit, odds));
    }
}

void checked_print(const struct checked *checked, const struct pps_args *args)
{
    (void)args;
    checked_print_read(checked);
    print_model(&checked->plan.configuration);
    print_step(checked);
    print_stages(checked);
    print_verdict(checked);
    print_order(checked);
    print_changes(checked);
}
