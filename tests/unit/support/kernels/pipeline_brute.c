// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/pipeline_brute.h"

static void brute_stage(struct brute *b, int32_t stage);

// ---- what may be made again ---------------------------------------------------------------------

static int32_t sum(const int32_t of_type[2])
{
    return of_type[0] + of_type[1];
}

// Layers of type 1 come first.
static bool brute_starts(const struct nd_chunk_plan *chunk)
{
    const int32_t made[2] = {chunk->full[0] + chunk->part[0], chunk->full[1] + chunk->part[1]};
    return made[1] == 0 || made[0] == chunk->layers[0];
}

// Every n-th layer of a stage, counted one by one.
static int32_t brute_every(const struct brute *b, int32_t k, int32_t n)
{
    const int32_t stages = b->program->stages;
    int32_t number = 0, again = 0;
    for (int32_t j = k % stages; j <= k; j += stages)
        for (int32_t x = 0; x < sum(b->chunks[j].layers); x++)
            again += ++number % n == 0 && j == k;
    return again;
}

// Deals n layers to the chunks of a stage, one by one.
static int32_t brute_dealt(const struct brute *b, int32_t k, int32_t n)
{
    const int32_t number = k / b->program->stages, layers = sum(b->chunks[k].layers);
    int32_t dealt = 0;
    for (int32_t x = 0; x < n; x++)
        dealt += x % b->program->chunks == number;
    return dealt < layers ? dealt : layers;
}

static bool brute_has(const struct brute *b, enum nd_again again, int32_t n)
{
    const struct nd_program *p = b->program;
    for (int32_t k = 0; k < p->stages * p->chunks; k++) {
        const struct nd_chunk_plan *chunk = &b->chunks[k];
        const int32_t layers = sum(chunk->layers), full = sum(chunk->full);
        const bool has = again == ND_AGAIN_PARTS   ? sum(chunk->part) == layers
                         : again == ND_AGAIN_EACH  ? full == (n < layers ? n : layers)
                         : again == ND_AGAIN_DEALT ? full == brute_dealt(b, k, n)
                                                   : full == brute_every(b, k, n);
        if (!has || (again != ND_AGAIN_PARTS && sum(chunk->part) > 0))
            return false;
    }
    return true;
}

static bool brute_says(const struct brute *b)
{
    const struct nd_program *p = b->program;
    const enum nd_again again = p->dialect == ND_SAYS_EACH    ? ND_AGAIN_EACH
                                : p->dialect == ND_SAYS_DEALT ? ND_AGAIN_DEALT
                                                              : ND_AGAIN_EVERY;
    bool says = brute_has(b, ND_AGAIN_PARTS, 0) || brute_has(b, ND_AGAIN_EACH, 0);
    for (int32_t n = 1; n <= sum(p->layers) * p->chunks; n++)
        says = says || brute_has(b, again, n);
    return says;
}

static bool brute_may(const struct brute *b)
{
    const struct nd_program *p = b->program;
    bool starts = true;
    for (int32_t k = 0; k < p->stages * p->chunks; k++)
        starts = starts && brute_starts(&b->chunks[k]);
    if (p->dialect != ND_SAYS_ANY)
        return starts && brute_says(b);
    return p->again == ND_AGAIN_ANY || starts;
}

// ---- all choices --------------------------------------------------------------------------------

static bool brute_fits(const struct brute *b, int32_t stage)
{
    const struct nd_program *p = b->program;
    const struct orders_shape shape = nd_program_laid_out(p);
    double kept[8], layers = 0, spare = p->working;
    for (int32_t v = 0; v < p->chunks; v++) {
        kept[v] = nd_chunk_kept(p, &b->chunks[v * p->stages + stage]);
        layers += nd_chunk_layers_mb(p, &b->chunks[v * p->stages + stage]);
        spare = sum(b->chunks[v * p->stages + stage].full) > 0 ? 0 : spare;
    }
    const struct memline_peak peak =
        memline_of_order(&shape, &b->orders[stage * orders_length(&shape)], kept);
    return layers + peak.memory <= nd_program_budget(p, stage) + spare + 1e-9;
}

// Tries all ways to recompute in chunk v of the stage, then in the chunks after it, then in
// other stages.
static void brute_chunk(struct brute *b, int32_t stage, int32_t v)
{
    const struct nd_program *p = b->program;
    if (v == p->chunks) {
        if (brute_fits(b, stage))
            brute_stage(b, stage + 1);
        return;
    }
    const int32_t k = v * p->stages + stage;
    struct nd_chunk_plan *chunk = &b->chunks[k];
    for (int way = 0; way < 2; way++)
        for (int32_t a = 0; a <= chunk->layers[0]; a++)
            for (int32_t c = 0; c <= chunk->layers[1]; c++) {
                const bool none = a + c == 0;
                if ((way == 1 && none) ||
                    (!none && !(way == 0 ? p->allow_full : p->allow_select)))
                    continue;
                chunk->full[0] = way == 0 ? a : 0;
                chunk->full[1] = way == 0 ? c : 0;
                chunk->part[0] = way == 1 ? a : 0;
                chunk->part[1] = way == 1 ? c : 0;
                const bool head = k == p->stages * p->chunks - 1;
                if (!nd_chunk_within(p, chunk, head))
                    continue;
                b->forward[k] = nd_chunk_forward(p, chunk, head);
                b->backward[k] = nd_chunk_backward(p, chunk, head);
                brute_chunk(b, stage, v + 1);
            }
}

static void brute_stage(struct brute *b, int32_t stage)
{
    const struct nd_program *p = b->program;
    if (stage < p->stages) {
        brute_chunk(b, stage, 0);
        return;
    }
    if (!brute_may(b))
        return;
    const double value = nd_evaluator_by_order(b->evaluator, b->forward, b->backward);
    if (value < b->best) {
        b->best = value;
        for (int32_t k = 0; k < p->stages * p->chunks; k++)
            b->best_chunks[k] = b->chunks[k];
    }
}

// Tries all splits: layers of type 1 and 2 in each chunk, type 1 first.
static void brute_cut(struct brute *b, int32_t k, int32_t left1, int32_t left2)
{
    const struct nd_program *p = b->program;
    const int32_t chunks = p->stages * p->chunks;
    if (k == chunks) {
        if (left1 == 0 && left2 == 0)
            brute_stage(b, 0);
        return;
    }
    for (int32_t x1 = 0; x1 <= left1; x1++)
        for (int32_t x2 = 0; x2 <= left2; x2++) {
            if (x1 + x2 == 0 || (x2 > 0 && x1 < left1))
                continue;
            b->chunks[k] = (struct nd_chunk_plan){.layers = {x1, x2}};
            brute_cut(b, k + 1, left1 - x1, left2 - x2);
        }
}

double brute_force(const struct nd_program *p)
{
    const struct orders_shape shape = nd_program_laid_out(p);
    struct brute b = {.program = p, .best = HUGE_VAL};
    b.evaluator = nd_evaluator_new(p, NULL);
    b.orders = malloc((size_t)(p->stages * orders_length(&shape)) * sizeof *b.orders);
    cr_assert(b.evaluator != NULL && b.orders != NULL);
    for (int32_t i = 0; i < p->stages; i++)
        orders_of_stage(&shape, i, &b.orders[i * orders_length(&shape)]);
    brute_cut(&b, 0, p->layers[0], p->layers[1]);
    free(b.orders);
    nd_evaluator_free(b.evaluator);
    return b.best;
}

static double brute_ratio(struct draws *d, const double *usual, int32_t n, double most)
{
    return draws_below(d, 2) ? usual[draws_below(d, n)] : most * draws_below(d, 1000) / 1000;
}

struct nd_program brute_program(struct draws *d, int32_t stages, int32_t layers)
{
    static const double rho[] = {0.3, 0.4, 1, 2.5}, beta[] = {2, 1.8, 0.1, 1};
    static const double gamma[] = {1, 0.9, 0, 3}, sigma[] = {0.33, 0, 0.1, 0.5};
    static const double head[] = {1.5, 0, 1, 4};
    struct nd_program p;
    nd_program_default(&p);
    p.stages = 1 + draws_below(d, stages);
    p.micro_batches = p.stages + (draws_below(d, 3) ? draws_below(d, 10) : 0);
    p.layers[0] = draws_below(d, 3);
    p.layers[1] = p.stages + draws_below(d, layers - p.stages + 1) - (p.layers[0] > 0);
    p.layer_ratio = brute_ratio(d, rho, 4, 3);
    p.backward_ratio = brute_ratio(d, beta, 4, 4);
    p.full_growth = brute_ratio(d, gamma, 4, 4);
    p.select_growth = brute_ratio(d, sigma, 4, 1);
    p.head_ratio = brute_ratio(d, head, 4, 4);
    p.head_backward = draws_below(d, 4) ? (double)NAN : 3.0 * draws_below(d, 10) / 10;
    p.allow_full = draws_below(d, 5) > 0;
    p.allow_select = draws_below(d, 3) == 0;
    p.low_mem = draws_below(d, 2);
    p.memory.act_mem = 100 + draws_below(d, 900);
    p.memory.act_mem0 = p.memory.act_mem12 = 100 + draws_below(d, 900);
    p.memory.re_comp_mem = draws_below(d, 100);
    p.memory.re_comp_mem0 = p.memory.re_comp_mem12 = draws_below(d, 100);
    p.memory.select_mem = 50 + draws_below(d, 500);
    p.memory.select_mem0 = p.memory.select_mem12 = 50 + draws_below(d, 500);
    p.memory.layer_mem = draws_below(d, 2000);
    p.memory.layer_mem012 = draws_below(d, 1000);
    const int32_t each = (p.layers[0] + p.layers[1]) / p.stages + 1;
    const int32_t room = each * (2500 + 700 * p.stages);
    p.budget_first = draws_below(d, room);
    p.budget_middle = draws_below(d, 3) ? p.budget_first : draws_below(d, room);
    p.budget_last = draws_below(d, 3) ? p.budget_first : draws_below(d, room);
    if (draws_below(d, 4) == 0) {
        p.compat = ND_ORIG;
        p.head_backward = (double)NAN;
        if (draws_below(d, 2))
            p.micro_batches += 6 * p.stages;
    }
    return p;
}
