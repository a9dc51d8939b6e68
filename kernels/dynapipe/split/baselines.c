// SPDX-License-Identifier: Apache-2.0
// Divides samples into micro-batches by tokens or of equal size, packed or padded.
#include "kernels/dynapipe/split/baselines.h"
#include "kernels/dynapipe/split/split_private.h"

#include <math.h>
#include <string.h>

// Computes one micro-batch of a division whose samples are known. Returns false if it violates the rules.
typedef bool price_fn(struct split_memory *m, const struct split_task *task,
                      const struct split_rules *rules, struct split_result *r, int32_t g);

static bool price_all(struct split_memory *m, const struct split_task *task,
                      const struct split_rules *rules, struct split_result *r, price_fn *price)
{
    r->longest = r->sum = 0;
    r->recompute = rules->recompute;
    r->stored_limit = rules->stored_limit;
    r->peak_limit = rules->peak_limit;
    for (int32_t g = 0; g < r->count; g++) {
        struct split_group *group = &r->groups[g];
        if (!price(m, task, rules, r, g)) {
            const bool is_outside = isnan(group->time);
            r->lack =
                (struct split_lack){.sample = r->order[r->start[g]],
                                    .is_outside = is_outside,
                                    .recompute = rules->recompute,
                                    .needed = is_outside ? 0 : fmax(group->stored, group->peak),
                                    .available = task->available};
            return false;
        }
        r->longest = fmax(r->longest, group->time);
        r->sum += group->time;
    }
    r->objective = split_objective(&task->pipeline, r->longest, r->sum);
    return true;
}

// Uses the first limit and recompute type with which all micro-batches fit.
static enum split_outcome price_first(struct split_memory *m, const struct split_task *task,
                                      price_fn *price, struct split_result *result)
{
    struct split_result *r = &m->best;
    r->ordered = task->samples->rows != NULL ? SPLIT_ORDER_GIVEN : SPLIT_ORDER_LENGTH;
    struct split_rules rules;
    for (int k = 0; k < SPLIT_ATTEMPTS; k++)
        if (split_attempt(task, k, &rules, &r->limit) && price_all(m, task, &rules, r, price)) {
            *result = *r;
            return SPLIT_FOUND;
        }
    *result = (struct split_result){.lack = r->lack};
    return SPLIT_INFEASIBLE;
}

static bool price_samples(struct split_memory *m, const struct split_task *task,
                          const struct split_rules *rules, struct split_result *r, int32_t g)
{
    const int32_t first = r->start[g], size = r->start[g + 1] - first;
    return split_groups_one(&m->groups, task->samples, r->order, rules, first, size,
                            &r->groups[g], r->row + first);
}

enum split_outcome split_by_tokens(struct split_memory *memory, const struct split_task *task,
                                   int64_t tokens, struct split_result *result)
{
    struct split_result *r = &memory->best;
    int64_t used = 0;
    split_sort(task->samples, memory->keys, r->order);
    r->count = 0;
    for (int32_t p = 0; p < task->samples->count; p++) {
        const int32_t i = r->order[p];
        const int64_t length =
            (int64_t)split_input_of(task->samples, i) + split_target_of(task->samples, i);
        if (p == 0 || used + length > tokens) {
            r->start[r->count++] = p;
            used = 0;
        }
        used += length;
    }
    r->start[r->count] = task->samples->count;
    return price_first(memory, task, price_samples, result);
}

static bool price_rows(struct split_memory *m, const struct split_task *task,
                       const struct split_rules *rules, struct split_result *r, int32_t g)
{
    (void)m;
    (void)task;
    return split_rules_price(rules, &r->groups[g]);
}

// Sorts the samples by row, stable. row_of: of the samples in order of length. Returns where rows start.
static const int32_t *sort_by_row(struct split_memory *m, int32_t samples, int32_t rows,
                                  const int32_t *row_of)
{
    int32_t *start = m->trial.start;
    memset(start, 0, ((size_t)rows + 1) * sizeof *start);
    for (int32_t p = 0; p < samples; p++)
        start[row_of[p] + 1]++;
    for (int32_t row = 0; row < rows; row++)
        start[row + 1] += start[row];
    for (int32_t p = 0; p < samples; p++)
        m->best.order[start[row_of[p]]++] = m->orders[0][p];
    memmove(start + 1, start, (size_t)rows * sizeof *start);
    start[0] = 0;
    return start;
}

enum split_outcome split_uniformly(struct split_memory *memory, const struct split_task *task,
                                   int32_t rows, struct split_result *result)
{
    const struct split_samples *samples = task->samples;
    struct split_result *r = &memory->best;
    struct split_rows *packed = &memory->groups.rows;
    int32_t *row_of = memory->trial.order, input = 0, target = 0;
    split_sort(samples, memory->keys, memory->orders[0]);
    for (int32_t i = 0; i < samples->count; i++) {
        input = split_input_of(samples, i) > input ? split_input_of(samples, i) : input;
        target = split_target_of(samples, i) > target ? split_target_of(samples, i) : target;
    }
    split_rows_clear(packed, samples, input, target);
    for (int32_t p = 0; p < samples->count; p++)
        row_of[p] = split_rows_add(packed, memory->orders[0][p]);
    const int32_t *start = sort_by_row(memory, samples->count, packed->count, row_of);
    r->count = 0;
    for (int32_t row = 0; row < packed->count; row++) {
        if (row % rows == 0) {
            r->start[r->count] = start[row];
            r->groups[r->count++] = (struct split_group){.input = input, .target = target};
        }
        r->groups[r->count - 1].rows++;
        for (int32_t p = start[row]; p < start[row + 1]; p++)
            r->row[p] = row % rows;
    }
    r->start[r->count] = samples->count;
    return price_first(memory, task, price_rows, result);
}

enum split_outcome split_as_given(struct split_memory *memory, const struct split_task *task,
                                  struct split_result *result)
{
    const struct split_samples *samples = task->samples;
    struct split_result *r = &memory->best;
    r->count = samples->count;
    for (int32_t i = 0; i < samples->count; i++) {
        r->order[i] = r->start[i] = i;
        r->row[i] = 0;
        r->groups[i] =
            (struct split_group){.rows = samples->rows[i],
                                 .input = samples->input[i],
                                 .target = samples->target != NULL ? samples->target[i] : 0};
    }
    r->start[r->count] = r->count;
    return price_first(memory, task, price_rows, result);
}
