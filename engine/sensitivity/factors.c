// SPDX-License-Identifier: Apache-2.0
// Joins parameters that do not vary independently.
#include "engine/sensitivity/factors.h"

#include <stdlib.h>
#include <string.h>

// The number of combinations of two parameters' values that occur, each with a number.
struct pairs {
    uint32_t *number; // [levels * levels], UINT32_MAX: does not occur
    uint32_t n;
};

static bool count_pairs(struct pairs *pairs, const struct pps_factor_input *a,
                        const struct pps_factor_input *b, uint64_t n)
{
    const uint64_t all = (uint64_t)a->levels * b->levels;
    pairs->n = 0;
    pairs->number = malloc(all * sizeof *pairs->number);
    if (pairs->number == NULL)
        return false;
    memset(pairs->number, 0xff, all * sizeof *pairs->number);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t *number = &pairs->number[(uint64_t)a->code[i] * b->levels + b->code[i]];
        if (*number == UINT32_MAX)
            *number = pairs->n++;
    }
    return true;
}

// Tables of pairs stay below this multiple of the rows; beyond it, the rows are a sample.
enum { ROOM = 64, LEAST_ROOM = 1 << 16 };

static bool too_many(const struct pps_factor_input *a, const struct pps_factor_input *b,
                     uint64_t n)
{
    return (uint64_t)a->levels * b->levels > ROOM * n + LEAST_ROOM;
}

// Sets *joined if not every combination of the values of a and b occurs.
static enum pps_status compare(const struct pps_factor_input *a,
                               const struct pps_factor_input *b, uint64_t n, bool *joined,
                               struct pps_error *err)
{
    const uint64_t all = (uint64_t)a->levels * b->levels;
    struct pairs pairs = {NULL, 0};
    *joined = true;
    if (all > n)
        return PPS_OK;
    if (!count_pairs(&pairs, a, b, n))
        return pps_fail_memory(err, "pairs of values");
    *joined = pairs.n < all;
    free(pairs.number);
    return PPS_OK;
}

static void join(struct pps_factors *f, int n_params, int a, int b)
{
    const int to = f->of[a] < f->of[b] ? f->of[a] : f->of[b];
    const int from = f->of[a] < f->of[b] ? f->of[b] : f->of[a];
    for (int p = 0; p < n_params; p++)
        if (f->of[p] == from)
            f->of[p] = to;
}

static enum pps_status join_dependent(struct pps_factors *f,
                                      const struct pps_factor_input *params, int n_params,
                                      uint64_t n, struct pps_error *err)
{
    for (int p = 0; p < n_params; p++)
        f->of[p] = p;
    for (int a = 0; a < n_params; a++)
        for (int b = a + 1; b < n_params; b++) {
            bool joined = false;
            if (f->of[a] == f->of[b])
                continue;
            const enum pps_status status = compare(&params[a], &params[b], n, &joined, err);
            if (status != PPS_OK)
                return status;
            if (joined)
                join(f, n_params, a, b);
        }
    return PPS_OK;
}

// Numbers the factors 0, 1, 2 ... in the order of their first parameters.
static void renumber(struct pps_factors *f, int n_params)
{
    int number[PPS_MOST_FACTORS];
    f->n = 0;
    for (int p = 0; p < n_params; p++) {
        if (f->of[p] == p)
            number[p] = f->n++;
        f->of[p] = number[f->of[p]];
    }
}

// Adds a parameter to the code of its factor. Sets *fits to false if there are too many combinations for
// a grid.
static enum pps_status add_param(struct pps_factors *f, int factor,
                                 const struct pps_factor_input *param, uint64_t n, bool *fits,
                                 struct pps_error *err)
{
    const struct pps_factor_input so_far = {f->code[factor], f->levels[factor]};
    struct pairs pairs = {NULL, 0};
    *fits = !too_many(&so_far, param, n);
    if (!*fits)
        return PPS_OK;
    if (!count_pairs(&pairs, &so_far, param, n))
        return pps_fail_memory(err, "pairs of values");
    for (uint64_t i = 0; i < n; i++)
        f->code[factor][i] =
            pairs.number[(uint64_t)so_far.code[i] * param->levels + param->code[i]];
    f->levels[factor] = pairs.n;
    free(pairs.number);
    return PPS_OK;
}

static enum pps_status make_codes(struct pps_factors *f, const struct pps_factor_input *params,
                                  int n_params, uint64_t n, bool *fits, struct pps_error *err)
{
    for (int p = 0; p < n_params && *fits; p++) {
        const int factor = f->of[p];
        if (f->code[factor] == NULL) {
            f->code[factor] = malloc(n * sizeof *f->code[factor]);
            if (f->code[factor] == NULL)
                return pps_fail_memory(err, "the factors");
            memcpy(f->code[factor], params[p].code, n * sizeof *f->code[factor]);
            f->levels[factor] = params[p].levels;
            continue;
        }
        const enum pps_status status = add_param(f, factor, &params[p], n, fits, err);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

// Returns whether every combination of the factors' values occurs once.
static enum pps_status check_grid(struct pps_factors *f, uint64_t n, struct pps_error *err)
{
    uint64_t all = 1;
    for (int g = 0; g < f->n && all <= n; g++)
        all *= f->levels[g];
    f->is_grid = all == n;
    uint8_t *seen = f->is_grid ? calloc(n, 1) : NULL;
    if (f->is_grid && seen == NULL)
        return pps_fail_memory(err, "the grid");
    for (uint64_t i = 0; i < n && f->is_grid; i++) {
        uint64_t at = 0;
        for (int g = 0; g < f->n; g++)
            at = at * f->levels[g] + f->code[g][i];
        f->is_grid = seen[at]++ == 0;
    }
    free(seen);
    return PPS_OK;
}

enum pps_status pps_factors_find(struct pps_factors *f, const struct pps_factor_input *params,
                                 int n_params, uint64_t n, struct pps_error *err)
{
    bool fits = true;
    *f = (struct pps_factors){.n = 0};
    enum pps_status status = join_dependent(f, params, n_params, n, err);
    if (status != PPS_OK)
        return status;
    renumber(f, n_params);
    status = make_codes(f, params, n_params, n, &fits, err);
    if (status == PPS_OK && fits && (f->n > 1 || n_params == 1))
        status = check_grid(f, n, err);
    return status;
}

void pps_factors_free(struct pps_factors *f)
{
    for (int g = 0; g < PPS_MOST_FACTORS; g++)
        free(f->code[g]);
    *f = (struct pps_factors){.n = 0};
}
