// SPDX-License-Identifier: Apache-2.0
// Tests which options families say that they use.
#include "kernels/common/executor/executor.h"
#include "kernels/schedule/catalogue/catalogue.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A pipeline of the family with stages that differ. tight: with the memory of 1F1B and a little more.
static struct pipeline *pipeline_for(const struct family *family, int32_t devices, int32_t m,
                                     bool tight)
{
    const struct pipeline_shape shape = {devices, devices * family->chunks(1), m, 1,
                                         family->directions};
    struct pipeline *p = pipeline_new(&shape);
    cr_assert_not_null(p);
    pipeline_place(p, family->placement);
    for (int32_t s = 0; s < shape.stages; s++)
        p->stage[s] = (struct pipeline_stage){.f = m % 2 ? 9 : 3 + s % (3 - m % 8 / 4),
                                              .b = m % 2 ? 1 : 4 + m % 3,
                                              .w = 1 + m % 3,
                                              .kept_until_w = 1};
    for (int32_t d = 0; d < devices && tight; d++)
        p->limit[d] = devices * family->chunks(1) + 1;
    p->links.latency = 1;
    return p;
}

// Returns the order of a family; NULL: it has none. Adds what a search has evaluated.
static struct order *build(const struct family *family, const struct pipeline *p,
                           const struct family_options *options, int64_t *evaluations)
{
    struct family_result result = {.value = 0};
    struct room room = {NULL, 0};
    if (family->misfit(&p->shape, options) != NULL)
        return NULL;
    (void)family_take(family, &p->shape, options, &room);
    char *bytes = aligned_alloc(ROOM_ALIGNMENT, room.used + ROOM_ALIGNMENT);
    room = (struct room){bytes, 0};
    struct order *order = order_new(p->shape.devices, order_room(p, false));
    void *memory = family_take(family, &p->shape, options, &room);
    const enum family_status status =
        family_build(family, &(struct family_task){p, options, memory, NULL, order, &result});
    free(bytes);
    *evaluations += result.evaluations;
    if (status == FAMILY_DONE)
        return order;
    order_free(order);
    return NULL;
}

// Returns whether an option changes the order of the family, or the effort for it, for some pipeline.
static bool matters(const struct family *family, const struct family_options *from,
                    const struct family_options *to)
{
    static const int32_t shapes[][2] = {{2, 4}, {4, 5},  {4, 8},  {3, 12},
                                        {3, 7}, {6, 12}, {5, 15}, {4, 18}};
    bool differs = false;
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes && !differs; i++) {
        struct pipeline *p = pipeline_for(family, shapes[i / 2][0], shapes[i / 2][1], i % 2);
        int64_t n = 0, other = 0;
        struct order *a = build(family, p, from, &n), *b = build(family, p, to, &other);
        differs = (a == NULL) != (b == NULL) || n != other || (a != NULL && !order_equal(a, b));
        order_free(a);
        order_free(b);
        pipeline_free(p);
    }
    return differs;
}

// Catches an option that a family uses and does not state, and one that it states and does not use: `ppsweep
// schedule` refuses the options that a family does not state.
Test(catalogue, families_state_the_options_that_they_use)
{
    static const struct family_options plain = {.budget = 150, .seed = 1};
    static const struct {
        unsigned use;
        struct family_options options;
    } changed[] = {{FAMILY_USES_GROUP, {.budget = 150, .seed = 1, .group = 6}},
                   {FAMILY_USES_DESCENDING, {.budget = 150, .seed = 1, .descending = true}},
                   {FAMILY_USES_PUBLISHED, {.budget = 150, .seed = 1, .published = true}},
                   {FAMILY_USES_SEED, {.budget = 150, .seed = 2}},
                   {FAMILY_USES_BUDGET, {.budget = 40, .seed = 1}}};
    for (int k = 0; families[k] != NULL; k++) {
        if (families[k] == &family_best)
            continue; // it uses what the others use
        for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
            const bool is_used = (families[k]->uses & changed[i].use) != 0;
            if (is_used && changed[i].use == FAMILY_USES_SEED)
                continue; // searches of these pipelines find the same orders with other seeds
            cr_expect_eq(matters(families[k], &plain, &changed[i].options), is_used,
                         "%s, option %zu", families[k]->name, i);
        }
        cr_expect_eq(families[k]->pairs, (families[k]->uses & FAMILY_USES_PAIR) != 0, "%s",
                     families[k]->name);
    }
}

// Appends the names of the families that use an option.
static void list(unsigned use, char *out, size_t room)
{
    out[0] = '\0';
    for (int k = 0; families[k] != NULL; k++)
        if (families[k] != &family_best && families[k]->uses & use)
            snprintf(out + strlen(out), room - strlen(out), "%s%s", out[0] != '\0' ? ", " : "",
                     families[k]->name);
}

Test(catalogue, help_names_the_families_that_use_an_option)
{
    static const struct {
        unsigned use;
        const char *names;
    } of[] = {{FAMILY_USES_GROUP, FAMILIES_WITH_GROUP},
              {FAMILY_USES_DESCENDING, FAMILIES_WITH_DESCENDING},
              {FAMILY_USES_PUBLISHED, FAMILIES_WITH_PUBLISHED}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char names[256];
        list(of[i].use, names, sizeof names);
        cr_expect_str_eq(names, of[i].names);
    }
}
