// SPDX-License-Identifier: Apache-2.0
// Groups steps that were predicted without their source, by device, stack and kind of model.
#include "bench/measured/left_outs.h"

#include "planner/nd/profiling/left_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void left_outs_find(struct left_outs *all, const struct measured *m,
                    const struct measured *layouts)
{
    all->n = 0;
    for (int i = 0; i < m->n; i++)
        all->of[all->n++] = (struct left_out){&m->all[i], fabs(m->left_out[i])};
    for (int i = 0; i < layouts->n; i++) {
        const struct nd_measurement *row = &layouts->all[i];
        if (row->seconds > 0)
            all->of[all->n++] =
                (struct left_out){row, fabs(nd_predict(row, m->cache) / row->seconds - 1)};
    }
}

static bool in_8_bits(const struct nd_measurement *row)
{
    return row->training.precision != TRAINING_BF16;
}

static bool same_group(const struct nd_measurement *a, const struct nd_measurement *b)
{
    return strcmp(a->hardware.base, b->hardware.base) == 0 &&
           strcmp(stack_base(&a->training.stack), stack_base(&b->training.stack)) == 0 &&
           (a->model.experts > 0) == (b->model.experts > 0) && in_8_bits(a) == in_8_bits(b);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct nd_left_out_group all_steps(const struct left_outs *all, bool experts)
{
    static double errors[2 * ND_MEASURED];
    int steps = 0;
    for (int i = 0; i < all->n; i++)
        if ((all->of[i].row->model.experts > 0) == experts)
            errors[steps++] = all->of[i].error;
    qsort(errors, (size_t)steps, sizeof *errors, by_value);
    return (struct nd_left_out_group){"",    "",    experts,
                                      false, steps, errors[(4 * steps + 4) / 5 - 1]};
}

// The groups in the order of their first step, and all steps; returns their number.
static int find_groups(const struct left_outs *all, struct nd_left_out_group *groups)
{
    static double errors[2 * ND_MEASURED];
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        const struct nd_measurement *row = all->of[i].row;
        int first = 0, steps = 0;
        while (!same_group(row, all->of[first].row))
            first++;
        if (first < i)
            continue;
        for (int j = 0; j < all->n; j++)
            if (same_group(row, all->of[j].row))
                errors[steps++] = all->of[j].error;
        qsort(errors, (size_t)steps, sizeof *errors, by_value);
        groups[n++] = (struct nd_left_out_group){row->hardware.base,
                                                 stack_base(&row->training.stack),
                                                 row->model.experts > 0,
                                                 in_8_bits(row),
                                                 steps,
                                                 errors[(4 * steps + 4) / 5 - 1]};
    }
    groups[n++] = all_steps(all, false);
    groups[n++] = all_steps(all, true);
    return n;
}

void left_outs_write_groups(FILE *o, const struct left_outs *all)
{
    static struct nd_left_out_group groups[ND_MEASURED];
    const int n = find_groups(all, groups);
    fprintf(o, "// Made by measured_steps --groups.\n// clang-format off\n");
    for (int i = 0; i < n; i++)
        fprintf(o, "{\"%s\", \"%s\", %s, %s, %d, %.3f},\n", groups[i].device, groups[i].stack,
                groups[i].experts ? "true" : "false", groups[i].fp8 ? "true" : "false",
                groups[i].steps, groups[i].within);
    fprintf(o, "// clang-format on\n");
}

bool left_outs_differ(const struct left_outs *all)
{
    static struct nd_left_out_group groups[ND_MEASURED];
    int n;
    const struct nd_left_out_group *kept = nd_left_out_groups(&n);
    if (find_groups(all, groups) != n)
        return true;
    for (int i = 0; i < n; i++)
        if (strcmp(groups[i].device, kept[i].device) != 0 ||
            strcmp(groups[i].stack, kept[i].stack) != 0 ||
            groups[i].experts != kept[i].experts || groups[i].fp8 != kept[i].fp8 ||
            groups[i].steps != kept[i].steps || fabs(groups[i].within - kept[i].within) > 6e-4)
            return true;
    return false;
}

void left_outs_write_table(FILE *o)
{
    int n;
    const struct nd_left_out_group *groups = nd_left_out_groups(&n);
    fprintf(o, "| devices like | stack | models | products | steps | four of five within |\n"
               "| --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < n; i++)
        fprintf(o, "| %s | %s | %s | %s | %d | %.0f %% |\n",
                *groups[i].device != '\0' ? groups[i].device : "all", groups[i].stack,
                groups[i].experts ? "with experts" : "dense",
                *groups[i].device == '\0' ? ""
                : groups[i].fp8           ? "8 bits"
                                          : "16 bits",
                groups[i].steps, 100 * groups[i].within);
}
