// SPDX-License-Identifier: Apache-2.0
// Plans the batches of a search.
#include "engine/optimise/best_search.h"

#include "base/math/random.h"
#include "engine/optimise/best_places.h"
#include "engine/optimise/cma_es.h"
#include "engine/optimise/pattern_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    CHUNK = 1024,     // points of the grid per batch
    DRAWN = 4,        // starts of an arm besides its middle, without a grid
    REFINED = 32,     // best points of a group around which finer steps are tried
    FEWEST = 8,       // fewer are not worth their evaluations
    PATTERNS = 3,     // pattern searches of a group at a time
    STARTS = 8,       // of pattern searches of a group before those of its other arms
    RESTART_ARMS = 3, // arms between which restarts alternate
    IDLE = 200,       // rounds without a new point that end the search
};

static const double APART = 0.03; // of starts of one arm

// How far the points of an arm around which finer steps are tried lie apart: the wider list covers more of the arm, the
// narrower one more of what is near its best point. Chosen on 02-paper.json with n of 8 to 64 and 4 or 8 GPUs.
static const double spreads[] = {0.07, 0.03};
enum { N_SPREADS = sizeof spreads / sizeof *spreads };

// The best known place of an arm.
struct pps_starts {
    double x[PPS_MOST_COORDINATES], value;
    bool tried; // a pattern search began here
};

// A search that runs within a group.
struct runner {
    size_t arm;
    bool active, is_cma;
    struct pps_pattern pattern;
    struct pps_cma cma;
    size_t first, n; // its points in the batch
};

// Notes what point i of a batch says about its arm and group.
static void note_point(struct pps_best_search *s, const struct pps_search_batch *b, size_t i,
                       bool is_grid)
{
    struct pps_starts *start = &s->starts[b->arm[i]];
    struct pps_best_group *group = &s->groups[s->space->arms[b->arm[i]].group];
    if (!isfinite(b->values[i]))
        return;
    if (b->values[i] < start->value) {
        start->value = b->values[i];
        memcpy(start->x, b->x + i * PPS_MOST_COORDINATES, sizeof start->x);
    }
    const struct pps_evaluated_point *points = s->evaluation->points;
    if (group->best == SIZE_MAX || b->values[i] < points[group->best].value)
        group->best = b->number[i];
    if (is_grid &&
        (group->grid_best == SIZE_MAX || b->values[i] < points[group->grid_best].value))
        group->grid_best = b->number[i];
}

static enum pps_status evaluate(struct pps_best_search *s, struct pps_search_batch *b,
                                bool is_grid, struct pps_error *err)
{
    const enum pps_status status =
        pps_evaluate_batch(s->evaluation, b->points, b->n, b->values, b->number, err);
    for (size_t i = 0; i < b->n && status == PPS_OK; i++)
        note_point(s, b, i, is_grid);
    if (status == PPS_OK && s->watch != NULL)
        s->watch(s->self, s);
    return status;
}

// ---- the first points -----------------------------------------------------------------------------

static enum pps_status add_grid_point(const struct pps_best_search *s,
                                      struct pps_search_batch *b, const double *point,
                                      struct pps_error *err)
{
    if (!pps_search_batch_reserve(b, b->n + 1))
        return pps_fail_memory(err, "the grid");
    double *x = b->x + b->n * PPS_MOST_COORDINATES;
    memset(x, 0, PPS_MOST_COORDINATES * sizeof *x);
    if (!pps_search_space_find(s->space, point, &b->arm[b->n], x))
        return PPS_OK; // a value that --over does not include
    memcpy(b->points + b->n * PPS_MAX_PARAMS, point, PPS_MAX_PARAMS * sizeof *point);
    b->n++;
    return PPS_OK;
}

static enum pps_status run_grid(struct pps_best_search *s, struct pps_search_batch *b,
                                struct pps_error *err)
{
    const struct pps_experiment *e = s->space->experiment;
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    enum pps_status status = cursor == NULL ? pps_fail_memory(err, "the grid") : PPS_OK;
    if (status == PPS_OK)
        pps_cursor_seek(cursor, &e->space, 0);
    while (status == PPS_OK) {
        const bool more = pps_cursor_next(cursor, e->n_points, left_out);
        if (more)
            status = add_grid_point(s, b, cursor->point, err);
        if (status == PPS_OK && (b->n == CHUNK || !more)) {
            status = evaluate(s, b, true, err);
            b->n = 0;
        }
        if (!more)
            break;
        pps_cursor_step(cursor);
    }
    free(cursor);
    s->grid = e->n_points;
    return status;
}

static enum pps_status run_starts(struct pps_best_search *s, struct pps_search_batch *b,
                                  struct pps_error *err)
{
    bool good = true;
    for (size_t a = 0; a < s->space->n_arms && good; a++) {
        const struct pps_domain *domain = &s->space->arms[a].domain;
        double x[PPS_MOST_COORDINATES];
        pps_domain_middle(domain, x);
        good = pps_search_batch_add(b, s->space, a, x);
        for (uint64_t k = 0; k < DRAWN && good && pps_domain_size(domain) > 0; k++) {
            pps_domain_draw(domain, s->seed, a * DRAWN + k, x);
            good = pps_search_batch_add(b, s->space, a, x);
        }
    }
    const enum pps_status status =
        good ? evaluate(s, b, false, err) : pps_fail_memory(err, "the starts");
    b->n = 0;
    return status;
}

// ---- finer steps ----------------------------------------------------------------------------------

static enum pps_status try_step(struct pps_best_search *s, struct pps_search_batch *b,
                                double step, double apart, struct pps_error *err)
{
    struct pps_best_places places;
    enum pps_status status =
        pps_best_places_open(&places, s->evaluation, s->space, s->refined, apart, err);
    if (status == PPS_OK && !pps_best_places_around(&places, s->space, step, b))
        status = pps_fail_memory(err, "a batch");
    pps_best_places_close(&places);
    if (status == PPS_OK)
        status = evaluate(s, b, false, err);
    b->n = 0;
    return status;
}

// Tries finer steps around the best points of every group, not only around the very best: a ridge narrower than the
// grid shows in none of its cells, and one of these lies beside it.
static enum pps_status refine(struct pps_best_search *s, struct pps_search_batch *b,
                              struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    double step = pps_best_first_step(s);
    for (int k = 0; k < PPS_BEST_STEPS && status == PPS_OK; k++, step /= 2)
        for (int i = 0; i < N_SPREADS && status == PPS_OK; i++)
            status = try_step(s, b, step, spreads[i], err);
    return status;
}

// Chooses around how many points finer steps are tried: about half of the evaluations, as most points around neighbours
// are the same.
static void choose_refined(struct pps_best_search *s)
{
    const size_t around = PPS_BEST_STEPS * s->space->groups.n * pps_most_directions(s->space);
    const size_t most = (size_t)(s->evaluations / 2) / around;
    s->refined = most < FEWEST ? 0 : most < REFINED ? most : REFINED;
}

double pps_best_first_step(const struct pps_best_search *s)
{
    return s->grid > 0 ? 0.05 : 0.1;
}

// ---- runners --------------------------------------------------------------------------------------

// Returns the best arm of a group that has coordinates and, if `fresh`, was not tried; place: how many
// better arms to leave out. SIZE_MAX: none.
static size_t best_arm(const struct pps_best_search *s, uint32_t group, bool fresh,
                       size_t place)
{
    size_t taken[RESTART_ARMS], n = 0;
    for (;;) {
        size_t best = SIZE_MAX;
        for (size_t a = 0; a < s->space->n_arms; a++) {
            const struct pps_arm *arm = &s->space->arms[a];
            bool out = arm->group != group || pps_domain_size(&arm->domain) == 0 ||
                       !isfinite(s->starts[a].value) || (fresh && s->starts[a].tried);
            for (size_t i = 0; i < n; i++)
                out = out || taken[i] == a;
            if (!out && (best == SIZE_MAX || s->starts[a].value < s->starts[best].value))
                best = a;
        }
        if (best == SIZE_MAX || n == place)
            return best;
        taken[n++] = best;
    }
}

// Returns the largest step that a coordinate needs: that of a whole number.
static double largest_grain(const struct pps_domain *domain)
{
    double grain = 0;
    for (int i = 0; i < pps_domain_size(domain); i++)
        grain = fmax(grain, domain->grain[i]);
    return grain;
}

static void begin_pattern(struct pps_best_search *s, struct runner *r,
                          const struct pps_place *place, double step)
{
    const struct pps_domain *domain = &s->space->arms[place->arm].domain;
    *r = (struct runner){.arm = place->arm, .active = true};
    s->starts[place->arm].tried = true;
    s->groups[s->space->arms[place->arm].group].patterns++;
    pps_pattern_begin(&r->pattern, domain, place->x, place->value,
                      fmax(step, largest_grain(domain)));
}

// Begins the next pattern search of a group: from its best places, near them first, then from the best places of other
// arms. Does nothing if all were tried.
static void begin_next_pattern(struct pps_best_search *s, struct runner *r, uint32_t group)
{
    const size_t used = s->groups[group].starts_used;
    if (s->places != NULL && used < s->places->n[group]) {
        begin_pattern(s, r, &s->places->list[group * s->places->most + used], APART / 2);
        s->groups[group].starts_used++;
        return;
    }
    const size_t arm = best_arm(s, group, true, 0);
    if (arm == SIZE_MAX)
        return;
    struct pps_place place = {.arm = arm, .value = s->starts[arm].value};
    memcpy(place.x, s->starts[arm].x, sizeof place.x);
    begin_pattern(s, r, &place, s->grid > 0 ? 0.1 : 0.25);
}

// Begins restart number k of a group: the first around the best place, others anywhere, with ever more
// points per generation.
static void begin_cma(struct pps_best_search *s, struct runner *r, uint32_t group, uint64_t k)
{
    size_t arm = best_arm(s, group, false, k % RESTART_ARMS);
    if (arm == SIZE_MAX)
        arm = best_arm(s, group, false, 0);
    *r = (struct runner){.arm = arm, .active = arm != SIZE_MAX, .is_cma = true};
    if (!r->active)
        return;
    const struct pps_domain *domain = &s->space->arms[arm].domain;
    const uint64_t seed = pps_random_bits(s->seed, k << 32 | group, PPS_FOR_START);
    double x[PPS_MOST_COORDINATES];
    memcpy(x, s->starts[arm].x, sizeof x);
    if (k >= RESTART_ARMS)
        pps_domain_draw(domain, seed, 0, x);
    int lambda = pps_cma_lambda(pps_domain_size(domain));
    for (uint64_t i = RESTART_ARMS; i <= k && lambda <= PPS_MOST_OFFSPRING / 4;
         i += RESTART_ARMS)
        lambda *= 2;
    const double sigma = fmax(k < RESTART_ARMS ? 0.1 : 0.3, 2 * largest_grain(domain));
    pps_cma_begin(&r->cma, domain, x, sigma, lambda, seed);
}

static bool has_ended(const struct runner *r)
{
    return r->is_cma ? pps_cma_has_ended(&r->cma) : pps_pattern_size(&r->pattern) == 0;
}

// Adds the request of a runner to the batch; false without memory.
static bool ask(const struct pps_best_search *s, struct runner *r, struct pps_search_batch *b)
{
    const size_t size = (size_t)pps_domain_size(&s->space->arms[r->arm].domain);
    r->first = b->n;
    r->n = r->is_cma ? (size_t)r->cma.lambda : pps_pattern_size(&r->pattern);
    double *x = malloc(r->n * size * sizeof *x);
    if (x == NULL)
        return false;
    if (r->is_cma)
        pps_cma_ask(&r->cma, x);
    else
        pps_pattern_ask(&r->pattern, x);
    bool good = true;
    for (size_t i = 0; i < r->n && good; i++)
        good = pps_search_batch_add(b, s->space, r->arm, x + i * size);
    free(x);
    return good;
}

static bool tell(const struct pps_best_search *s, struct runner *r,
                 const struct pps_search_batch *b)
{
    const size_t size = (size_t)pps_domain_size(&s->space->arms[r->arm].domain);
    double *x = malloc(r->n * size * sizeof *x);
    if (x == NULL)
        return false;
    for (size_t i = 0; i < r->n; i++)
        memcpy(x + i * size, b->x + (r->first + i) * PPS_MOST_COORDINATES, size * sizeof *x);
    if (r->is_cma)
        pps_cma_tell(&r->cma, x, b->values + r->first);
    else
        pps_pattern_tell(&r->pattern, x, b->values + r->first);
    free(x);
    return true;
}

// ---- rounds ---------------------------------------------------------------------------------------

// Begins searches where others have ended. patterns: pattern searches may begin.
// restarts: CMA-ES follows.
static void refill(struct pps_best_search *s, struct runner *runners, uint32_t group,
                   bool patterns, bool restarts)
{
    bool any = false;
    for (int i = 0; i < PATTERNS; i++) {
        struct runner *r = &runners[i];
        r->active = r->active && !has_ended(r) && (patterns || r->is_cma);
        if (!r->active && patterns)
            begin_next_pattern(s, r, group);
        any = any || r->active;
    }
    for (int i = 0; i < RESTART_ARMS && i < PATTERNS && restarts && !any; i++)
        begin_cma(s, &runners[i], group, s->groups[group].restarts++);
}

// Runs one request of every active search. *active: there was one.
static enum pps_status run_round(struct pps_best_search *s, struct runner *runners, size_t n,
                                 struct pps_search_batch *b, bool *active,
                                 struct pps_error *err)
{
    bool good = true;
    *active = false;
    b->n = 0;
    for (size_t r = 0; r < n && good; r++)
        if (runners[r].active && !has_ended(&runners[r])) {
            good = ask(s, &runners[r], b);
            *active = true;
        }
    if (!good)
        return pps_fail_memory(err, "a batch");
    const enum pps_status status = evaluate(s, b, false, err);
    for (size_t r = 0; r < n && status == PPS_OK && good; r++)
        if (runners[r].active && !has_ended(&runners[r]) && runners[r].n > 0)
            good = tell(s, &runners[r], b);
    return good ? status : pps_fail_memory(err, "a batch");
}

// Runs pattern searches until `most` evaluations are used, then, with `restarts`, CMA-ES until all are.
static enum pps_status run_rounds(struct pps_best_search *s, struct pps_search_batch *b,
                                  size_t most, bool restarts, struct pps_error *err)
{
    const uint32_t n_groups = s->space->groups.n;
    const size_t n = (size_t)n_groups * PATTERNS, before = s->evaluation->n;
    struct runner *runners = calloc(n, sizeof *runners);
    enum pps_status status = runners == NULL ? pps_fail_memory(err, "the searches") : PPS_OK;
    bool active = true;
    for (int idle = 0; status == PPS_OK && active && idle < IDLE && !s->evaluation->full;) {
        const size_t now = s->evaluation->n;
        for (uint32_t g = 0; g < n_groups; g++)
            refill(s, runners + (size_t)g * PATTERNS, g, now - before < most, restarts);
        status = run_round(s, runners, n, b, &active, err);
        idle = s->evaluation->n == now ? idle + 1 : 0;
    }
    free(runners);
    return status;
}

// Searches from the best points of all arms, tries finer steps around the best points so far, and searches from the best
// places that these find.
static enum pps_status search_between(struct pps_best_search *s, struct pps_search_batch *b,
                                      struct pps_error *err)
{
    struct pps_best_places places = {.most = 0};
    enum pps_status status = PPS_OK;
    choose_refined(s);
    if (s->refined > 0) {
        status = run_rounds(s, b, (size_t)(s->evaluations / 4), false, err);
        if (status == PPS_OK)
            status = refine(s, b, err);
        if (status == PPS_OK)
            status = pps_best_places_open(&places, s->evaluation, s->space, STARTS, APART, err);
        s->places = &places;
    }
    if (status == PPS_OK)
        status = run_rounds(s, b, (s->evaluation->most - s->evaluation->n) / 2, true, err);
    s->places = NULL;
    pps_best_places_close(&places);
    return status;
}

// ---- the whole ------------------------------------------------------------------------------------

static enum pps_status make_room(struct pps_best_search *s, struct pps_error *err)
{
    s->groups = calloc(s->space->groups.n, sizeof *s->groups);
    s->starts = calloc(s->space->n_arms, sizeof *s->starts);
    if (s->groups == NULL || s->starts == NULL)
        return pps_fail_memory(err, "the search");
    for (uint32_t g = 0; g < s->space->groups.n; g++)
        s->groups[g] = (struct pps_best_group){.best = SIZE_MAX, .grid_best = SIZE_MAX};
    for (size_t a = 0; a < s->space->n_arms; a++)
        s->starts[a].value = (double)INFINITY;
    return PPS_OK;
}

// Counts, for every group, the points whose value equals the best.
static void count_equal(struct pps_best_search *s)
{
    const struct pps_evaluation *ev = s->evaluation;
    for (size_t i = 0; i < ev->n; i++) {
        size_t arm;
        double x[PPS_MOST_COORDINATES] = {0};
        if (!pps_search_space_find(s->space, ev->points[i].point, &arm, x))
            continue;
        struct pps_best_group *group = &s->groups[s->space->arms[arm].group];
        group->equal +=
            group->best != SIZE_MAX && ev->points[i].value == ev->points[group->best].value;
    }
}

enum pps_status pps_best_search_run(struct pps_best_search *s, struct pps_error *err)
{
    const struct pps_experiment *e = s->space->experiment;
    const bool grid = e->space.sample == NULL && e->n_points <= s->most_grid;
    struct pps_search_batch b = {.n = 0};
    enum pps_status status = make_room(s, err);
    s->evaluation->most = grid ? UINT32_MAX / 2 : s->evaluations;
    if (status == PPS_OK)
        status = grid ? run_grid(s, &b, err) : run_starts(s, &b, err);
    if (grid)
        s->evaluation->most = s->evaluation->n + s->evaluations;
    if (status == PPS_OK && s->evaluations > 0)
        status = search_between(s, &b, err);
    if (status == PPS_OK || status == PPS_E_STOPPED)
        count_equal(s);
    pps_search_batch_free(&b);
    return status;
}

uint64_t pps_search_hash(const char *identity)
{
    return XXH64(identity, strlen(identity), 0);
}

void pps_best_search_free(struct pps_best_search *s)
{
    free(s->groups);
    free(s->starts);
    s->groups = NULL;
    s->starts = NULL;
}
