// SPDX-License-Identifier: Apache-2.0
// Checks a program and computes its derived figures.
#include "kernels/common/split/program.h"

#include "kernels/common/split/chunk.h"

#include <math.h>
#include <stdio.h>

const struct nd_figures nd_figures_default = {
    .select_mem0 = 76,
    .select_mem12 = 76,
    .select_mem = 77,
    .re_comp_mem0 = 3,
    .re_comp_mem12 = 3,
    .re_comp_mem = 5,
    .act_mem0 = 79,
    .act_mem12 = 79,
    .act_mem = 79,
    .layer_mem012 = 349,
    .layer_mem = 340,
    .static_mem0 = 734,
    .static_mem = 116,
    .lm_head_mem = 690,
};

void nd_program_default(struct nd_program *program)
{
    *program = (struct nd_program){
        .stages = 1,
        .chunks = 1,
        .micro_batches = 1,
        .splits = 1,
        .layers = {0, 1},
        .layer_ratio = 0.3,
        .backward_ratio = 2,
        .head_backward = (double)NAN,
        .head_ratio = 1.5,
        .full_growth = 1,
        .select_growth = 0.33,
        .memory = nd_figures_default,
        .allow_full = true,
    };
}

// ---- what is refused ----------------------------------------------------------------------------

enum {
    STAGES_MAX = 4096,
    LAYERS_MAX = 1 << 16,
    PLACES_MAX = 1 << 25, // stages times layers
};

static bool is_figure(double value)
{
    return isfinite(value) && value >= 0 && value <= 1e15;
}

static const char *wrong_ratio(const struct nd_program *p)
{
    const struct {
        const char *name;
        double value;
    } ratios[] = {
        {"layer_ratio", p->layer_ratio},
        {"backward_ratio", p->backward_ratio},
        {"head_ratio", p->head_ratio},
        {"recompute_ratio", p->full_growth},
        {"select_ratio", p->select_growth},
        {"hop", p->hop},
        {"working", p->working},
        {"head_backward", isnan(p->head_backward) ? 0 : p->head_backward},
    };
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++)
        if (!is_figure(ratios[k].value))
            return ratios[k].name;
    return NULL;
}

static const char *wrong_memory(const struct nd_figures *m)
{
    const struct {
        const char *name;
        double value;
    } figures[] = {
        {"select_mem0", m->select_mem0},
        {"select_mem12", m->select_mem12},
        {"select_mem", m->select_mem},
        {"re_comp_mem0", m->re_comp_mem0},
        {"re_comp_mem12", m->re_comp_mem12},
        {"re_comp_mem", m->re_comp_mem},
        {"act_mem0", m->act_mem0},
        {"act_mem12", m->act_mem12},
        {"act_mem", m->act_mem},
        {"layer_mem012", m->layer_mem012},
        {"layer_mem", m->layer_mem},
        {"static_mem0", m->static_mem0},
        {"static_mem", m->static_mem},
        {"lm_head_mem", m->lm_head_mem},
    };
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        if (!is_figure(figures[k].value))
            return figures[k].name;
    return NULL;
}

static bool check_sizes(const struct nd_program *p, char *text, size_t size)
{
    struct orders_shape shape = nd_program_shape(p);
    if (p->stages < 1 || p->stages > STAGES_MAX) {
        snprintf(text, size, "stages = %d must be 1 to %d", p->stages, STAGES_MAX);
        return false;
    }
    if (p->layers[0] < 0 || p->layers[1] < 0 || p->layers[0] > LAYERS_MAX ||
        p->layers[1] > LAYERS_MAX) {
        snprintf(text, size, "layers = %d and %d must be 0 to %d", p->layers[0], p->layers[1],
                 LAYERS_MAX);
        return false;
    }
    if ((p->stages + 1) * ((int64_t)p->layers[0] + p->layers[1] + 1) > PLACES_MAX) {
        snprintf(text, size, "%d stages with %d and %d layers exceed the solver's limit",
                 p->stages, p->layers[0], p->layers[1]);
        return false;
    }
    if (p->micro_batches < 1) {
        snprintf(text, size, "micro-batches = %d must be at least 1", p->micro_batches);
        return false;
    }
    if (shape.micro_batches < shape.stages) // infeasible, not wrong
        shape.micro_batches = shape.stages;
    if (p->again == ND_AGAIN_EVERY && p->again_n < 1) {
        snprintf(text, size, "every %d-th layer cannot be made again", p->again_n);
        return false;
    }
    return orders_check(&shape, text, size);
}

bool nd_program_check(const struct nd_program *p, char *text, size_t size)
{
    if (!check_sizes(p, text, size))
        return false;
    const char *ratio = wrong_ratio(p), *memory = wrong_memory(&p->memory);
    if (ratio != NULL)
        snprintf(text, size, "%s must be a finite number, not below 0", ratio);
    else if (memory != NULL)
        snprintf(text, size, "%s must be a finite number of MiB, not below 0", memory);
    else if (!isfinite(p->budget_first) || !isfinite(p->budget_middle) ||
             !isfinite(p->budget_last))
        snprintf(text, size, "memory limits must be finite numbers of MiB");
    else if (p->compat == ND_ORIG && p->hop != 0)
        snprintf(text, size, "the published program has no transfer time: hop must be 0");
    else if (p->compat == ND_ORIG && !isnan(p->head_backward))
        snprintf(text, size, "the published program has no backward ratio of the head");
    else
        return true;
    return false;
}

// ---- derived ------------------------------------------------------------------------------------

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Everything but memory.
static bool has_same_times(const struct nd_program *a, const struct nd_program *b)
{
    return a->stages == b->stages && a->chunks == b->chunks &&
           a->micro_batches == b->micro_batches && a->splits == b->splits &&
           a->layers[0] == b->layers[0] && a->layers[1] == b->layers[1] &&
           is_same(a->layer_ratio, b->layer_ratio) &&
           is_same(a->backward_ratio, b->backward_ratio) &&
           is_same(a->head_backward, b->head_backward) &&
           is_same(a->head_ratio, b->head_ratio) && is_same(a->full_growth, b->full_growth) &&
           is_same(a->select_growth, b->select_growth) && is_same(a->hop, b->hop) &&
           a->allow_select == b->allow_select && a->allow_full == b->allow_full &&
           a->low_mem == b->low_mem && a->compat == b->compat && a->again == b->again &&
           a->again_n == b->again_n && a->dialect == b->dialect;
}

bool nd_program_allows_less(const struct nd_program *program, const struct nd_program *less)
{
    const struct nd_figures *a = &program->memory, *b = &less->memory;
    return has_same_times(program, less) && a->select_mem0 <= b->select_mem0 &&
           a->select_mem12 <= b->select_mem12 && a->select_mem <= b->select_mem &&
           a->re_comp_mem0 <= b->re_comp_mem0 && a->re_comp_mem12 <= b->re_comp_mem12 &&
           a->re_comp_mem <= b->re_comp_mem && a->act_mem0 <= b->act_mem0 &&
           a->act_mem12 <= b->act_mem12 && a->act_mem <= b->act_mem &&
           a->layer_mem012 <= b->layer_mem012 && a->layer_mem <= b->layer_mem &&
           program->budget_first >= less->budget_first &&
           program->budget_middle >= less->budget_middle &&
           program->budget_last >= less->budget_last && program->working >= less->working;
}

struct orders_shape nd_program_shape(const struct nd_program *p)
{
    return (struct orders_shape){
        .stages = p->stages,
        .chunks = p->chunks,
        .micro_batches = p->micro_batches,
        .splits = p->splits,
        .warmup = p->low_mem ? ORDERS_LOW : ORDERS_STANDARD,
    };
}

int32_t nd_program_residue(const struct nd_program *p)
{
    const int32_t parts = p->micro_batches / p->stages;
    return p->compat == ND_ORIG && parts > ND_ORIG_PARTS ? parts - ND_ORIG_PARTS : 0;
}

struct orders_shape nd_program_laid_out(const struct nd_program *p)
{
    struct orders_shape shape = nd_program_shape(p);
    shape.micro_batches -= nd_program_residue(p) * p->stages;
    return shape;
}

// P = 1: the one stage is first and last. As published the first counts.
static bool counts_as_last(const struct nd_program *p, int32_t stage)
{
    if (stage != p->stages - 1)
        return false;
    return p->stages > 1 || (p->compat != ND_ORIG && p->budget_last < p->budget_first);
}

double nd_program_budget(const struct nd_program *p, int32_t stage)
{
    return counts_as_last(p, stage) ? p->budget_last
           : stage == 0             ? p->budget_first
                                    : p->budget_middle;
}

double nd_program_head(const struct nd_program *p)
{
    return (1 + (isnan(p->head_backward) ? p->backward_ratio : p->head_backward)) *
           p->head_ratio;
}

double nd_program_average_bound(const struct nd_program *p)
{
    const double layers = p->layers[1] + p->layer_ratio * p->layers[0];
    const double work = (1 + p->backward_ratio) * layers + nd_program_head(p);
    return p->micro_batches * work / p->stages;
}

double nd_program_static(const struct nd_program *p, int32_t stage)
{
    return counts_as_last(p, stage) ? p->memory.lm_head_mem
           : stage == 0             ? p->memory.static_mem0
                                    : p->memory.static_mem;
}

// ---- chunks -------------------------------------------------------------------------------------

double nd_chunk_forward(const struct nd_program *p, const struct nd_chunk_plan *chunk,
                        bool head)
{
    return chunk->layers[1] + p->layer_ratio * chunk->layers[0] + (head ? p->head_ratio : 0);
}

double nd_chunk_growth(const struct nd_program *p, const struct nd_chunk_plan *chunk)
{
    const double lost = p->compat == ND_ORIG ? 1 : p->full_growth;
    return p->select_growth * (chunk->part[1] + p->layer_ratio * chunk->part[0]) +
           p->full_growth * chunk->full[1] + lost * p->layer_ratio * chunk->full[0];
}

double nd_chunk_backward(const struct nd_program *p, const struct nd_chunk_plan *chunk,
                         bool head)
{
    const double of_head = isnan(p->head_backward) ? p->backward_ratio : p->head_backward;
    return p->backward_ratio * nd_chunk_forward(p, chunk, false) +
           (head ? of_head * p->head_ratio : 0) + nd_chunk_growth(p, chunk);
}

double nd_chunk_kept(const struct nd_program *p, const struct nd_chunk_plan *chunk)
{
    const struct nd_figures *m = &p->memory;
    const int32_t none[2] = {chunk->layers[0] - chunk->full[0] - chunk->part[0],
                             chunk->layers[1] - chunk->full[1] - chunk->part[1]};
    return m->act_mem * none[1] + m->select_mem * chunk->part[1] +
           m->re_comp_mem * chunk->full[1] + m->act_mem0 * none[0] +
           m->select_mem0 * chunk->part[0] + m->re_comp_mem0 * chunk->full[0];
}

double nd_chunk_layers_mb(const struct nd_program *p, const struct nd_chunk_plan *chunk)
{
    return p->memory.layer_mem012 * chunk->layers[0] + p->memory.layer_mem * chunk->layers[1];
}

bool nd_chunk_within(const struct nd_program *p, const struct nd_chunk_plan *chunk, bool head)
{
    if (p->compat != ND_ORIG)
        return true;
    return chunk->layers[0] <= ND_ORIG_LAYERS && chunk->layers[1] <= ND_ORIG_LAYERS &&
           nd_chunk_forward(p, chunk, head) <= ND_ORIG_LAYERS + ND_SLACK_TIME &&
           nd_chunk_backward(p, chunk, head) <= ND_ORIG_BACKWARD + ND_SLACK_TIME &&
           nd_chunk_kept(p, chunk) <= ND_ORIG_KEPT + ND_SLACK_MB;
}

// ---- choices ------------------------------------------------------------------------------------

struct nd_chunk_plan nd_choice_chunk(const struct nd_choice *choice, int32_t k)
{
    return (struct nd_chunk_plan){{choice->layers[0][k], choice->layers[1][k]},
                                  {choice->full[0][k], choice->full[1][k]},
                                  {choice->part[0][k], choice->part[1][k]}};
}

void nd_durations(const struct nd_program *program, const struct nd_choice *choice,
                  double *forward, double *backward)
{
    const int32_t n = program->stages * program->chunks;
    for (int32_t k = 0; k < n; k++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, k);
        if (forward != NULL)
            forward[k] = nd_chunk_forward(program, &chunk, k == n - 1);
        if (backward != NULL)
            backward[k] = nd_chunk_backward(program, &chunk, k == n - 1);
    }
}

void nd_kept(const struct nd_program *program, const struct nd_choice *choice, double *kept_mb)
{
    for (int32_t k = 0; k < program->stages * program->chunks; k++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, k);
        kept_mb[k] = nd_chunk_kept(program, &chunk);
    }
}

double nd_choice_spare(const struct nd_program *program, const struct nd_choice *choice,
                       int32_t stage)
{
    for (int32_t k = stage; k < program->stages * program->chunks; k += program->stages)
        if (choice->full[0][k] + choice->full[1][k] > 0)
            return 0;
    return program->working;
}
