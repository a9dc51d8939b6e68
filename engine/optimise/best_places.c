// SPDX-License-Identifier: Apache-2.0
// Sorts evaluated points by value, and takes the first of every group.
#include "engine/optimise/best_places.h"

#include "engine/optimise/pattern_search.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    double value;
    size_t number;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked *one = a, *two = b;
    if (one->value != two->value)
        return one->value < two->value ? -1 : 1;
    return (one->number > two->number) - (one->number < two->number);
}

// Returns the feasible points, the best first; NULL without memory.
static struct ranked *rank_points(const struct pps_evaluation *evaluation, size_t *n)
{
    struct ranked *ranked = malloc((evaluation->n + 1) * sizeof *ranked);
    *n = 0;
    for (size_t i = 0; i < evaluation->n && ranked != NULL; i++)
        if (isfinite(evaluation->points[i].value))
            ranked[(*n)++] = (struct ranked){evaluation->points[i].value, i};
    if (ranked != NULL)
        qsort(ranked, *n, sizeof *ranked, compare_ranks);
    return ranked;
}

static bool is_near(const struct pps_place *one, const struct pps_place *two, int size,
                    double apart)
{
    double most = 0;
    for (int i = 0; i < size; i++)
        most = fmax(most, fabs(one->x[i] - two->x[i]));
    return one->arm == two->arm && most <= apart;
}

// Takes a place, unless its group is full or has one like it.
static void take(struct pps_best_places *places, uint32_t group, const struct pps_place *place,
                 int size, double apart)
{
    struct pps_place *list = places->list + (size_t)group * places->most;
    int equal = 0;
    if (places->n[group] == places->most)
        return;
    for (size_t i = 0; i < places->n[group]; i++) {
        equal += list[i].value == place->value;
        if (is_near(&list[i], place, size, apart))
            return;
    }
    if (equal < PPS_EQUAL_PLACES)
        list[places->n[group]++] = *place;
}

enum pps_status pps_best_places_open(struct pps_best_places *places,
                                     const struct pps_evaluation *evaluation,
                                     struct pps_search_space *space, size_t most, double apart,
                                     struct pps_error *err)
{
    size_t n = 0;
    const size_t n_groups = space->groups.n;
    struct ranked *ranked = rank_points(evaluation, &n);
    *places = (struct pps_best_places){.list = calloc(n_groups * most, sizeof *places->list),
                                       .n = calloc(n_groups, sizeof *places->n),
                                       .most = most};
    const bool good = ranked != NULL && places->list != NULL && places->n != NULL;
    for (size_t i = 0; i < n && good; i++) {
        struct pps_place place = {.value = ranked[i].value};
        const double *point = evaluation->points[ranked[i].number].point;
        if (!pps_search_space_find(space, point, &place.arm, place.x))
            continue;
        const struct pps_arm *arm = &space->arms[place.arm];
        const int size = pps_domain_size(&arm->domain);
        if (size > 0)
            take(places, arm->group, &place, size, apart);
    }
    free(ranked);
    return good ? PPS_OK : pps_fail_memory(err, "the best places");
}

void pps_best_places_close(struct pps_best_places *places)
{
    free(places->list);
    free(places->n);
    *places = (struct pps_best_places){.most = 0};
}

// ---- points around places ---------------------------------------------------------------------

size_t pps_most_directions(const struct pps_search_space *space)
{
    size_t most = 1;
    for (size_t a = 0; a < space->n_arms; a++) {
        const struct pps_domain *domain = &space->arms[a].domain;
        const int n = 2 * domain->n_box + domain->n_weights * (domain->n_weights - 1);
        most = (size_t)n > most ? (size_t)n : most;
    }
    return most;
}

// Adds the points at a distance of a place in every direction; false without memory.
static bool add_around(const struct pps_place *place, const struct pps_search_space *space,
                       double step, struct pps_search_batch *b)
{
    const struct pps_domain *domain = &space->arms[place->arm].domain;
    struct pps_pattern pattern;
    pps_pattern_begin(&pattern, domain, place->x, place->value, step);
    const size_t n = pps_pattern_size(&pattern), size = (size_t)pps_domain_size(domain);
    double *x = malloc((n + 1) * size * sizeof *x);
    bool good = x != NULL;
    if (good && n > 0)
        pps_pattern_ask(&pattern, x);
    for (size_t i = 0; i < n && good; i++)
        good = pps_search_batch_add(b, space, place->arm, x + i * size);
    free(x);
    return good;
}

bool pps_best_places_around(const struct pps_best_places *places,
                            const struct pps_search_space *space, double step,
                            struct pps_search_batch *batch)
{
    bool good = true;
    for (size_t g = 0; g < space->groups.n; g++)
        for (size_t i = 0; i < places->n[g] && good; i++)
            good = add_around(&places->list[g * places->most + i], space, step, batch);
    return good;
}
