// SPDX-License-Identifier: Apache-2.0
// Pads samples, sorts them by length, and packs them into rows.
#include "kernels/dynapipe/split/samples.h"

#include <stdlib.h>

int32_t split_padded(int32_t length, int32_t extra, int32_t offset)
{
    if (length == 0)
        return 0;
    const int32_t tokens = length + extra - offset, m = SPLIT_LENGTH_MULTIPLE;
    return tokens <= 0 ? 0 : (tokens + m - 1) / m * m;
}

int32_t split_input_of(const struct split_samples *samples, int32_t i)
{
    return split_padded(samples->input[i], 0, samples->offset);
}

int32_t split_target_of(const struct split_samples *samples, int32_t i)
{
    return samples->target == NULL
               ? 0
               : split_padded(samples->target[i], SPLIT_TARGET_EXTRA, samples->offset);
}

int64_t split_tokens_of(const struct split_samples *samples, int32_t i)
{
    const int64_t rows = samples->rows != NULL ? samples->rows[i] : 1;
    return rows * (samples->input[i] + (samples->target != NULL ? samples->target[i] : 0));
}

static int descending(const void *a, const void *b)
{
    const struct split_key *x = a, *y = b;
    if (x->input != y->input)
        return x->input < y->input ? 1 : -1;
    if (x->target != y->target)
        return x->target < y->target ? 1 : -1;
    return (x->index < y->index) - (x->index > y->index);
}

void split_sort(const struct split_samples *samples, struct split_key *keys, int32_t *order)
{
    for (int32_t i = 0; i < samples->count; i++)
        keys[i] = (struct split_key){samples->input[i],
                                     samples->target == NULL ? 0 : samples->target[i], i};
    qsort(keys, (size_t)samples->count, sizeof *keys, descending);
    for (int32_t i = 0; i < samples->count; i++)
        order[i] = keys[i].index;
}

void split_rows_take(struct split_rows *rows, int32_t samples, struct room *room)
{
    rows->used_input = room_take(room, (size_t)samples, sizeof *rows->used_input);
    rows->used_target = room_take(room, (size_t)samples, sizeof *rows->used_target);
}

void split_rows_clear(struct split_rows *rows, const struct split_samples *samples,
                      int32_t input, int32_t target)
{
    rows->samples = samples;
    rows->input = input;
    rows->target = target;
    rows->count = 0;
}

int32_t split_rows_add(struct split_rows *rows, int32_t sample)
{
    const struct split_samples *s = rows->samples;
    const int32_t input = s->input[sample], target = s->target == NULL ? 0 : s->target[sample];
    // The most tokens of a row before the network shortens it.
    const int32_t most_input = rows->input + s->offset,
                  most_target =
                      s->target == NULL ? 1 : rows->target + s->offset - SPLIT_TARGET_EXTRA;
    for (int32_t r = 0; r < rows->count; r++)
        if (rows->used_input[r] + 1 + input <= most_input &&
            rows->used_target[r] + 1 + target <= most_target) {
            rows->used_input[r] += 1 + input;
            rows->used_target[r] += s->target == NULL ? 0 : 1 + target;
            return r;
        }
    rows->used_input[rows->count] = input;
    rows->used_target[rows->count] = target;
    return rows->count++;
}
