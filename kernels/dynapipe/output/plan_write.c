// SPDX-License-Identifier: Apache-2.0
// Writes plans of steps.
#include "kernels/dynapipe/output/plan_write.h"

#include "base/edit/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const plan_order_names[] = {"best", "length", "path", "given", NULL};
const char *const plan_limit_names[] = {"micro-batch", "available", NULL};

// ---- figures --------------------------------------------------------------------------------------

static void add_replica(const struct planned_step *step, int32_t k, struct step_figures *f,
                        double *busy)
{
    const struct step_replica *r = &step->replicas[k];
    const struct plan_answer *a = &r->answer;
    if (k == 0 || a->makespan > f->makespan) {
        f->makespan = a->makespan;
        f->slowest = k;
    }
    f->bound = a->bound > f->bound ? a->bound : f->bound;
    f->evaluations += a->evaluations;
    f->first_fit = a->first_fit > f->first_fit ? a->first_fit : f->first_fit;
    f->is_proven = f->is_proven && a->is_proven;
    if (!a->fits && a->needs - step->setup->limits[a->device] > f->exceeds) {
        f->exceeds = a->needs - step->setup->limits[a->device];
        f->exceeding_device = a->device;
    }
    for (int32_t d = 0; d < step->setup->pipeline.devices; d++) {
        *busy += lanes_busy(&a->rule->lanes, &a->rule->ordered, d);
        if (a->rule->peaks[d] > f->peak) {
            f->peak = a->rule->peaks[d];
            f->peak_device = d;
            f->peak_replica = k;
        }
    }
    for (int64_t at = 0; at < (int64_t)r->count * step->setup->pipeline.stages; at++) {
        f->full += a->recompute[at] == DYNAPIPE_FULL;
        f->selective += a->recompute[at] == DYNAPIPE_SELECTIVE;
    }
}

struct step_figures step_figures_of(const struct planned_step *step)
{
    struct step_figures f = {.is_proven = true};
    double busy = 0;
    for (int32_t k = 0; k < step->n; k++) {
        add_replica(step, k, &f, &busy);
        f.micro_batches += step->replicas[k].count;
    }
    f.least = step->batch_bound > 0 ? fmin(step->batch_bound, f.bound) : f.bound;
    f.utilisation =
        f.makespan > 0 ? busy / (f.makespan * step->setup->pipeline.devices * step->n) : 0;
    if (step->samples == NULL)
        return f;
    const struct split_result *split = step_divided(step->division).split;
    f.samples = step->samples->count;
    for (int32_t i = 0; i < step->samples->count; i++)
        f.tokens += split_tokens_of(step->samples, i);
    for (int32_t g = 0; g < split->count; g++)
        f.padded +=
            (int64_t)split->groups[g].rows * (split->groups[g].input + split->groups[g].target);
    return f;
}

// ---- values ---------------------------------------------------------------------------------------

static void add_text(struct text_buffer *out, const char *text)
{
    text_buffer_add_bytes(out, text, strlen(text));
}

static void add_whole(struct text_buffer *out, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? (uint64_t)-value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        digits[--at] = '-';
    text_buffer_add_bytes(out, digits + at, sizeof digits - at);
}

static void key(struct text_buffer *out, const char *name)
{
    const char last = out->n > 0 ? out->text[out->n - 1] : '{';
    if (last != '{')
        add_text(out, ",");
    add_text(out, "\"");
    add_text(out, name);
    add_text(out, "\":");
}

static void boolean(struct text_buffer *out, const char *name, bool value)
{
    key(out, name);
    add_text(out, value ? "true" : "false");
}

static void whole(struct text_buffer *out, const char *name, int64_t value)
{
    key(out, name);
    add_whole(out, value);
}

static void real(struct text_buffer *out, const char *name, double value)
{
    key(out, name);
    json_write_number(out, value);
}

static void text(struct text_buffer *out, const char *name, const char *value)
{
    key(out, name);
    json_write_text(out, value);
}

static void wholes(struct text_buffer *out, const char *name, const int32_t *values, int32_t n)
{
    key(out, name);
    for (int32_t k = 0; k < n; k++) {
        add_text(out, k > 0 ? "," : "[");
        add_whole(out, values[k]);
    }
    add_text(out, n > 0 ? "]" : "[]");
}

static void reals(struct text_buffer *out, const char *name, const double *values, int32_t n)
{
    key(out, name);
    for (int32_t k = 0; k < n; k++) {
        add_text(out, k > 0 ? "," : "[");
        json_write_number(out, values[k]);
    }
    add_text(out, n > 0 ? "]" : "[]");
}

// ---- replicas -------------------------------------------------------------------------------------

// Writes a list over positions and stages.
static void cells(struct text_buffer *out, const char *name, const double *values,
                  const struct micro_batches *b)
{
    key(out, name);
    add_text(out, "[");
    for (int64_t at = 0; at < (int64_t)b->count * b->stages; at++) {
        if (at % b->stages == 0)
            add_text(out, at > 0 ? "],[" : "[");
        else
            add_text(out, ",");
        json_write_number(out, values[at]);
    }
    add_text(out, b->count > 0 ? "]]" : "]");
}

// Writes backward times without recomputation, if there is any.
static void add_plain(const struct step_replica *r, struct text_buffer *out)
{
    const int32_t stages = r->of[DYNAPIPE_KEEP].stages;
    int64_t at = 0;
    while (at < (int64_t)r->count * stages && r->answer.recompute[at] == DYNAPIPE_KEEP)
        at++;
    if (at == (int64_t)r->count * stages)
        return;
    key(out, "plain_backward_us");
    for (int32_t i = 0; i < r->count; i++) {
        const double *backward =
            r->of[DYNAPIPE_KEEP].backward + (int64_t)r->answer.order[i] * stages;
        add_text(out, i > 0 ? ",[" : "[[");
        for (int32_t s = 0; s < stages; s++) {
            add_text(out, s > 0 ? "," : "");
            json_write_number(out, backward[s]);
        }
        add_text(out, "]");
    }
    add_text(out, "]");
}

static void add_recompute(const struct step_replica *r, int32_t m, struct text_buffer *out)
{
    const int32_t stages = r->of[0].stages;
    key(out, "recompute");
    for (int32_t s = 0; s < stages; s++) {
        add_text(out, s > 0 ? "," : "[");
        add_whole(out, r->answer.recompute[(int64_t)m * stages + s]);
    }
    add_text(out, "]");
}

// Writes the samples of a micro-batch and the row of each.
static void add_samples(const struct split_result *split, int32_t group, bool packed,
                        struct text_buffer *out)
{
    const int32_t first = split->start[group], n = split->start[group + 1] - first;
    wholes(out, "samples", split->order + first, n);
    if (packed)
        wholes(out, "row_of_sample", split->row + first, n);
}

static void add_micro_batches(const struct planned_step *step, const struct step_replica *r,
                              struct text_buffer *out)
{
    key(out, "micro_batches");
    add_text(out, "[");
    for (int32_t i = 0; i < r->count; i++) {
        const int32_t m = r->answer.order[i];
        add_text(out, i > 0 ? ",{" : "{");
        if (step->samples != NULL) {
            const struct split_result *split = step_divided(step->division).split;
            const struct split_group *group = &split->groups[r->group[m]];
            whole(out, "number", r->group[m]);
            whole(out, "rows", group->rows);
            whole(out, "input", group->input);
            whole(out, "target", group->target);
            add_samples(split, r->group[m], step->choice->pack, out);
        }
        add_recompute(r, m, out);
        add_text(out, "}");
    }
    add_text(out, "]");
}

static void add_instruction(const struct instruction *i, struct text_buffer *out)
{
    add_text(out, "[\"");
    add_text(out, instruction_names[i->kind]);
    add_text(out, "\",");
    add_whole(out, i->micro_batch);
    add_text(out, ",");
    add_whole(out, i->stage);
    add_text(out, ",");
    add_whole(out, i->peer);
    add_text(out, ",[");
    for (int t = 0; t < i->slots; t++) {
        if (t > 0)
            add_text(out, ",");
        add_whole(out, i->slot[t]);
    }
    add_text(out, "],");
    add_whole(out, i->tensors);
    add_text(out, "]");
}

static void add_instructions(const struct instructions *in, struct text_buffer *out)
{
    key(out, "instructions");
    add_text(out, "[");
    for (int32_t d = 0; d < in->devices; d++) {
        add_text(out, d > 0 ? ",[" : "[");
        for (int32_t k = 0; k < in->n[d]; k++) {
            if (k > 0)
                add_text(out, ",");
            add_instruction(instruction_at(in, d, k), out);
        }
        add_text(out, "]");
    }
    add_text(out, "]");
}

static void add_plan(const struct planned_step *step, int32_t k, struct text_buffer *out)
{
    const struct step_replica *r = &step->replicas[k];
    const struct plan_answer *a = &r->answer;
    const int32_t devices = step->setup->pipeline.devices;
    const struct micro_batches *b = &a->rule->ordered;
    add_text(out, "{");
    whole(out, "replica", k);
    text(out, "method", a->method);
    real(out, "makespan_ms", a->makespan / 1000);
    real(out, "lower_bound_ms", a->bound / 1000);
    boolean(out, "proven", a->is_proven);
    reals(out, "peak_mb", a->rule->peaks, devices);
    wholes(out, "warm_up", a->warm_up, devices);
    wholes(out, "order", a->order, r->count);
    add_micro_batches(step, r, out);
    cells(out, "forward_us", b->forward, b);
    cells(out, "backward_us", b->backward, b);
    add_plain(r, out);
    cells(out, "stored_mb", b->stored, b);
    cells(out, "forward_peak_mb", b->peak, b);
    cells(out, "backward_peak_mb", b->backward_peak, b);
    cells(out, "activation_us", b->activation, b);
    cells(out, "gradient_us", b->gradient, b);
    wholes(out, "slots", step->instructions[k].slots, devices);
    add_instructions(&step->instructions[k], out);
    add_text(out, "}");
}

// ---- the step -------------------------------------------------------------------------------------

static void add_split(const struct planned_step *step, const struct step_figures *f,
                      struct text_buffer *out)
{
    const struct split_result *split = step_divided(step->division).split;
    whole(out, "samples", f->samples);
    whole(out, "tokens", f->tokens);
    whole(out, "padded_tokens", f->padded);
    real(out, "padding_share", f->padded > 0 ? 1 - (double)f->tokens / (double)f->padded : 0);
    real(out, "tokens_per_s", f->makespan > 0 ? (double)f->tokens / (f->makespan / 1e6) : 0);
    key(out, "division");
    add_text(out, "{");
    text(out, "order", plan_order_names[split->ordered]);
    text(out, "limit", plan_limit_names[split->limit]);
    text(out, "recompute", cost_recompute_names[split->recompute]);
    real(out, "objective_ms", split->objective);
    add_text(out, "}");
}

static void add_pipeline(const struct planned_step *step, struct text_buffer *out)
{
    const struct step_setup *s = step->setup;
    key(out, "pipeline");
    add_text(out, "{");
    whole(out, "devices", s->pipeline.devices);
    whole(out, "replicas", s->replicas);
    whole(out, "hidden", s->network->hidden);
    wholes(out, "device_of_stage", s->pipeline.device_of, s->pipeline.stages);
    wholes(out, "first_layer", s->stages->first_layer, s->pipeline.stages + 1);
    wholes(out, "tensors", s->tensors, s->pipeline.stages);
    reals(out, "state_mb", s->pipeline.state, s->pipeline.devices);
    real(out, "limit_mb", s->limit); // null: none
    add_text(out, "}");
}

// A plan of `compat orig` may need more memory than there is.
static void add_status(const struct planned_step *step, const struct step_figures *f,
                       struct text_buffer *out)
{
    char why[128];
    const double limit = step->setup->limits[f->exceeding_device];
    text(out, "status", f->exceeds > 0 ? "exceeds" : "planned");
    if (f->exceeds <= 0)
        return;
    snprintf(why, sizeof why, "device %d needs %.1f MB, has %.1f MB", (int)f->exceeding_device,
             limit + f->exceeds, limit);
    text(out, "reason", why);
}

void plan_write(const struct planned_step *step, struct text_buffer *out)
{
    const struct step_figures f = step_figures_of(step);
    add_text(out, "{");
    text(out, "batch", step->batch);
    add_status(step, &f, out);
    text(out, "mode",
         step->n > 0 ? plan_mode_names[step->replicas[0].answer.mode]
                     : plan_mode_names[step->choice->mode]);
    text(out, "compat", step->choice->as_published ? "orig" : "none");
    text(out, "method", step->n > 0 ? step->replicas[f.slowest].answer.method : "");
    whole(out, "seed", (int64_t)step->choice->seed);
    whole(out, "evaluations", f.evaluations);
    real(out, "makespan_ms", f.makespan / 1000);
    real(out, "lower_bound_ms", f.bound / 1000);
    real(out, "batch_bound_ms", step->batch_bound > 0 ? f.least / 1000 : (double)NAN);
    real(out, "gap", f.least > 0 ? f.makespan / f.least - 1 : 0);
    boolean(out, "proven", f.is_proven);
    real(out, "utilisation", f.utilisation);
    real(out, "peak_mb", f.peak);
    whole(out, "peak_device", f.peak_device);
    whole(out, "micro_batches_planned", f.micro_batches);
    if (step->samples != NULL)
        add_split(step, &f, out);
    add_pipeline(step, out);
    key(out, "replicas");
    add_text(out, "[");
    for (int32_t k = 0; k < step->n; k++) {
        if (k > 0)
            add_text(out, ",");
        add_plan(step, k, out);
    }
    add_text(out, "]}\n");
}
