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
            all->of[all->n++] = (struct left_out){row, fabs(layouts->left_out[i])};
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

// The steps that are like a row in device, stack, kind of model and precision; NULL: all of this kind of model.
static struct nd_left_out_group group_of(const struct left_outs *all,
                                         const struct nd_measurement *row, bool experts)
{
    static double errors[2 * ND_MEASURED];
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        const struct nd_measurement *other = all->of[i].row;
        if (row != NULL ? same_group(row, other) : (other->model.experts > 0) == experts)
            errors[n++] = all->of[i].error;
    }
    qsort(errors, (size_t)n, sizeof *errors, measured_by_value);
    struct nd_left_out_group group = {.experts = experts, .steps = n};
    group.within = n > 0 ? errors[(4 * n + 4) / 5 - 1] : (double)NAN;
    group.device = row != NULL ? row->hardware.base : "";
    group.stack = row != NULL ? stack_base(&row->training.stack) : "";
    group.fp8 = row != NULL && in_8_bits(row);
    return group;
}

// The groups in the order of their first step, and all steps; returns their number.
static int find_groups(const struct left_outs *all, struct nd_left_out_group *groups)
{
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        const struct nd_measurement *row = all->of[i].row;
        int first = 0;
        while (!same_group(row, all->of[first].row))
            first++;
        if (first == i)
            groups[n++] = group_of(all, row, row->model.experts > 0);
    }
    groups[n++] = group_of(all, NULL, false);
    groups[n++] = group_of(all, NULL, true);
    return n;
}

enum { GROUP_LINE = 128 };

static const char *group_line(const struct nd_left_out_group *group, char line[GROUP_LINE])
{
    snprintf(line, GROUP_LINE, "{\"%s\", \"%s\", %s, %s, %d, %.3f},\n", group->device,
             group->stack, group->experts ? "true" : "false", group->fp8 ? "true" : "false",
             group->steps, group->within);
    return line;
}

void left_outs_write_groups(FILE *o, const struct left_outs *all)
{
    static struct nd_left_out_group groups[ND_MEASURED];
    const int n = find_groups(all, groups);
    char line[GROUP_LINE];
    fprintf(o, "// Made by measured_steps --groups.\n// clang-format off\n");
    for (int i = 0; i < n; i++)
        fputs(group_line(&groups[i], line), o);
    fprintf(o, "// clang-format on\n");
}

bool left_outs_differ(const struct left_outs *all)
{
    static struct nd_left_out_group groups[ND_MEASURED];
    int n;
    const struct nd_left_out_group *kept = nd_left_out_groups(&n);
    bool differ = find_groups(all, groups) != n;
    for (int i = 0; i < n && !differ; i++) {
        char made[GROUP_LINE], old[GROUP_LINE];
        differ = strcmp(group_line(&groups[i], made), group_line(&kept[i], old)) != 0;
    }
    return differ;
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
