// SPDX-License-Identifier: Apache-2.0
#include "kernels/dynapipe/split/packing.h"

void split_rows_take(struct split_rows *rows, int32_t samples, struct room *room)
{
    rows->used_input = room_take(room, (size_t)samples, sizeof *rows->used_input);
    rows->used_target = room_take(room, (size_t)samples, sizeof *rows->used_target);
}

void split_rows_clear(struct split_rows *rows,
                      const struct split_samples *samples,
                      int32_t input,
                      int32_t target)
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
