// SPDX-License-Identifier: Apache-2.0
// Finds the cheapest rows at every node of the cost tables, and adds up those of a batch.
#include "kernels/dynapipe/step/batch_bound.h"

#include <math.h>
#include <stdlib.h>

// Kinds of costs: of every device the work for a row, the way of a micro-batch to its first stage and back; and the whole
// chain of a micro-batch.
enum { WORK, BEFORE, BEHIND, OF_DEVICE };

static int32_t kinds_of(const struct step_setup *setup)
{
    return OF_DEVICE * setup->pipeline.devices + 1;
}

// What is known of every node while a bound is opened.
struct nodes {
    struct batch_bound *bound;
    double *cost;               // [node][kind] of a micro-batch; NAN: not in the tables
    double *needs;              // [node][device] MB at least; -INFINITY: not known
    struct micro_batches of[2]; // one micro-batch: without recomputation, with some
};

static int64_t node_at(const struct batch_bound *b, int32_t rows, int32_t input, int32_t target)
{
    return ((int64_t)rows * b->n[COST_INPUT] + input) * b->n[COST_TARGET] + target;
}

static void take(struct batch_bound *b, const struct step_setup *s, struct room *room)
{
    size_t lengths = 1;
    for (int a = 0; a < COST_AXES; a++)
        b->axis[a] = room_take(room, (size_t)b->n[a], sizeof *b->axis[a]);
    for (int a = COST_INPUT; a < COST_AXES; a++)
        lengths *= (size_t)b->n[a];
    b->least = room_take(room, (size_t)kinds_of(s) * lengths, sizeof *b->least);
}

static void take_nodes(struct nodes *n, const struct step_setup *s, struct room *room)
{
    const struct batch_bound *b = n->bound;
    const size_t all = (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
    n->cost = room_take(room, all * (size_t)kinds_of(s), sizeof *n->cost);
    n->needs = room_take(room, all * (size_t)s->pipeline.devices, sizeof *n->needs);
    for (int k = 0; k < 2; k++)
        micro_batches_take(&n->of[k], 1, s->pipeline.stages, room);
}

// ---- costs at the nodes ---------------------------------------------------------------------------

// Writes the costs of a micro-batch.
static void add_up(const struct step_setup *s, const struct micro_batches *m, double *cost)
{
    double before = 0, behind = 0;
    for (int32_t k = 0; k < kinds_of(s); k++)
        cost[k] = k % OF_DEVICE == WORK ? 0 : (double)NAN;
    for (int32_t k = 0; k < s->pipeline.stages; k++) {
        double *of = cost + OF_DEVICE * s->pipeline.device_of[k];
        if (isnan(of[BEFORE])) {
            of[BEFORE] = before;
            of[BEHIND] = behind;
        }
        of[WORK] += m->forward[k] + m->backward[k];
        before += m->forward[k] + m->activation[k];
        behind += m->backward[k] + m->gradient[k];
    }
    cost[OF_DEVICE * s->pipeline.devices] = before + behind;
}

// Writes what every device needs at least while a micro-batch is alone in it. Only forwards count, whose needs are linear
// between the nodes where all layers of a stage are of one kind.
static void add_needs(struct nodes *n, const struct step_setup *s,
                      const struct network_shape *shape, double *needs)
{
    double stored[DYNAPIPE_DEVICES_MAX] = {0};
    for (int32_t k = 0; k < s->pipeline.stages; k++) {
        const int32_t d = s->pipeline.device_of[k];
        double keeps = HUGE_VAL, peak = HUGE_VAL;
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
            const struct micro_batches *m = &n->of[type > 0];
            if (type > 0 &&
                !network_fill(s->network, s->stages, s->links, s->tables,
                              (enum dynapipe_recompute)type, false, shape, 0, &n->of[1]))
                continue;
            keeps = fmin(keeps, m->stored[k]);
            peak = fmin(peak, m->peak[k]);
        }
        needs[d] = s->state[d] + stored[d] + peak;
        stored[d] += keeps;
    }
}

static void price(struct nodes *n, const struct step_setup *s, bool keeps_limit)
{
    const struct batch_bound *b = n->bound;
    const bool is_mixed = s->network->decoders > 0 && s->pipeline.stages == 1;
    const int32_t kinds = kinds_of(s), devices = s->pipeline.devices;
    for (int32_t i = 0; i < b->n[0]; i++)
        for (int32_t j = 0; j < b->n[1]; j++)
            for (int32_t k = 0; k < b->n[2]; k++) {
                const int64_t at = node_at(b, i, j, k);
                const struct network_shape shape = {
                    (int32_t)b->axis[0][i], (int32_t)b->axis[1][j], (int32_t)b->axis[2][k]};
                const bool is_known = network_fill(s->network, s->stages, s->links, s->tables,
                                                   DYNAPIPE_KEEP, false, &shape, 0, &n->of[0]);
                for (int32_t d = 0; d < devices; d++)
                    n->needs[at * devices + d] = -HUGE_VAL;
                if (is_known)
                    add_up(s, &n->of[0], n->cost + at * kinds);
                else
                    n->cost[at * kinds] = (double)NAN;
                if (is_known && keeps_limit && !is_mixed)
                    add_needs(n, s, &shape, n->needs + at * devices);
            }
}

// Sets the costs of the nodes below the tables, which the first cell goes on to: where a time would be below 0 there, these
// costs are smaller than the true ones.
static void extend(const struct nodes *n, const struct step_setup *s)
{
    const struct batch_bound *b = n->bound;
    const int32_t kinds = kinds_of(s);
    const int64_t step[COST_AXES] = {(int64_t)b->n[1] * b->n[2], b->n[2], 1},
                  all = (int64_t)b->n[0] * step[0];
    for (int a = 0; a < COST_AXES; a++) {
        const double *x = b->axis[a];
        if (b->n[a] == s->tables->nodes[a] || b->n[a] < 2)
            continue;
        const double weight = b->n[a] > 2 ? (x[0] - x[1]) / (x[2] - x[1]) : 0;
        const int64_t from = step[a], next = b->n[a] > 2 ? 2 * step[a] : step[a];
        for (int64_t at = 0; at < all; at++)
            for (int32_t k = 0; at / step[a] % b->n[a] == 0 && k < kinds; k++) {
                const double first = n->cost[(at + from) * kinds + k];
                n->cost[at * kinds + k] =
                    first + weight * (n->cost[(at + next) * kinds + k] - first);
                for (int32_t d = 0; d < s->pipeline.devices; d++)
                    n->needs[at * s->pipeline.devices + d] = -HUGE_VAL;
            }
    }
}

// ---- the least costs ------------------------------------------------------------------------------

// Returns whether a device can hold a micro-batch of a cell that the node belongs to, or may.
static bool fits_near(const struct nodes *n, const struct step_setup *s, const int32_t at[3],
                      int32_t device)
{
    const struct batch_bound *b = n->bound;
    for (int32_t i = at[0] - 1; i <= at[0] + 1; i++)
        for (int32_t j = at[1] - 1; j <= at[1] + 1; j++)
            for (int32_t k = at[2] - 1; k <= at[2] + 1; k++) {
                if (i < 0 || j < 0 || k < 0 || i >= b->n[0] || j >= b->n[1] || k >= b->n[2])
                    continue;
                const int64_t node = node_at(b, i, j, k) * s->pipeline.devices + device;
                if (plan_fits(n->needs[node], s->limits[device]))
                    return true;
            }
    return false;
}

static bool can_run(const struct nodes *n, const struct step_setup *s, const int32_t at[3])
{
    if (isnan(n->cost[node_at(n->bound, at[0], at[1], at[2]) * kinds_of(s)]))
        return false;
    for (int32_t d = 0; d < s->pipeline.devices; d++)
        if (!fits_near(n, s, at, d))
            return false;
    return true;
}

// Sets the least costs over all rows of a node and all longer ones.
static void find_least(const struct nodes *n, const struct step_setup *s)
{
    const struct batch_bound *b = n->bound;
    const int64_t lengths = (int64_t)b->n[1] * b->n[2];
    const int32_t kinds = kinds_of(s);
    for (int64_t at = lengths - 1; at >= 0; at--) {
        const int32_t j = (int32_t)(at / b->n[2]), k = (int32_t)(at % b->n[2]);
        for (int32_t kind = 0; kind < kinds; kind++) {
            double *least = b->least + kind * lengths + at;
            *least = j + 1 < b->n[1] ? least[b->n[2]] : HUGE_VAL;
            *least = k + 1 < b->n[2] ? fmin(*least, least[1]) : *least;
        }
        for (int32_t i = 0; i < b->n[0]; i++) {
            const int32_t place[3] = {i, j, k};
            const double *cost = n->cost + node_at(b, i, j, k) * kinds;
            const bool runs = can_run(n, s, place);
            for (int32_t kind = 0; kind < kinds && runs; kind++) {
                const bool is_work = kind % OF_DEVICE == WORK && kind < kinds - 1;
                double *least = b->least + kind * lengths + at;
                *least = fmin(*least, cost[kind] / (is_work ? b->axis[0][i] : 1));
            }
        }
    }
}

// ---- opening --------------------------------------------------------------------------------------

// Sets the nodes of an axis.
static void set_axis(struct batch_bound *b, const struct cost_tables *t, int a)
{
    const int32_t more = b->n[a] - t->nodes[a];
    if (more > 0)
        b->axis[a][0] = a == COST_TARGET ? 0 : 1;
    for (int32_t k = 0; k < t->nodes[a]; k++)
        b->axis[a][k + more] = t->axis[a][k];
}

bool batch_bound_open(struct batch_bound *b, const struct step_setup *s, bool keeps_limit)
{
    struct nodes nodes = {.bound = b};
    *b = (struct batch_bound){.setup = NULL};
    if (s->fill.fill != NULL)
        return true;
    for (int a = 0; a < COST_AXES; a++) {
        const int32_t n = s->tables->nodes[a];
        b->n[a] = n + (n == 0 || s->tables->axis[a][0] > (a == COST_TARGET ? 0 : 1));
    }
    struct room room = {NULL, 0}, working = {NULL, 0};
    take(b, s, &room);
    take_nodes(&nodes, s, &working);
    b->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    void *memory = aligned_alloc(ROOM_ALIGNMENT, working.used);
    if (b->memory != NULL && memory != NULL) {
        room = (struct room){b->memory, 0};
        working = (struct room){memory, 0};
        take(b, s, &room);
        take_nodes(&nodes, s, &working);
        for (int a = 0; a < COST_AXES; a++)
            set_axis(b, s->tables, a);
        b->setup = s;
        price(&nodes, s, keeps_limit);
        extend(&nodes, s);
        find_least(&nodes, s);
    }
    free(memory);
    return b->setup != NULL;
}

void batch_bound_close(struct batch_bound *b)
{
    free(b->memory);
    b->memory = NULL;
}

// ---- the bound ------------------------------------------------------------------------------------

// A length between two nodes.
struct place {
    int32_t at;
    double next; // weight of the node behind
};

static struct place find(const double *axis, int32_t n, double x)
{
    struct place place = {0, 0};
    while (place.at + 2 < n && x >= axis[place.at + 1])
        place.at++;
    if (n > 1)
        place.next =
            fmin(fmax((x - axis[place.at]) / (axis[place.at + 1] - axis[place.at]), 0), 1);
    return place;
}

static double mix(double first, double second, double weight)
{
    return weight <= 0 ? first : weight >= 1 ? second : first + weight * (second - first);
}

// Returns the least cost of a kind for lengths of at least those of a sample.
static double least_of(const struct batch_bound *b, int32_t kind, const struct place places[2])
{
    const int32_t targets = b->n[COST_TARGET];
    const double *of =
        b->least + ((int64_t)kind * b->n[COST_INPUT] + places[0].at) * targets + places[1].at;
    const int32_t behind = places[0].next > 0 ? targets : 0, beside = places[1].next > 0;
    return mix(mix(of[0], of[beside], places[1].next),
               mix(of[behind], of[behind + beside], places[1].next), places[0].next);
}

// Returns the least work of a sample in a row with others: its part of the tokens of the row.
static double least_packed(const struct batch_bound *b, int32_t kind, double tokens,
                           double padded, struct place place)
{
    const struct place places[2] = {place, {0, 0}};
    double least = least_of(b, kind, places) / padded;
    for (int32_t k = place.at + 1; k < b->n[COST_INPUT]; k++)
        least =
            fmin(least, b->least[((int64_t)kind * b->n[COST_INPUT] + k) * b->n[COST_TARGET]] /
                            b->axis[COST_INPUT][k]);
    return tokens * least;
}

double batch_bound_of(const struct batch_bound *b, const struct split_samples *samples,
                      bool packs)
{
    if (b->setup == NULL || samples->count == 0)
        return 0;
    const int32_t devices = b->setup->pipeline.devices;
    double bound = 0;
    for (int32_t d = 0; d <= devices; d++) {
        double work = 0, before = HUGE_VAL, behind = HUGE_VAL;
        for (int32_t i = 0; i < samples->count; i++) {
            const double input = split_input_of(samples, i),
                         target = split_target_of(samples, i);
            const struct place places[2] = {
                find(b->axis[COST_INPUT], b->n[COST_INPUT], input),
                find(b->axis[COST_TARGET], b->n[COST_TARGET], target)};
            const int32_t kind = OF_DEVICE * d;
            if (d == devices) {
                bound = fmax(bound, least_of(b, kind, places));
                continue;
            }
            work += !packs ? least_of(b, kind + WORK, places)
                           : least_packed(b, kind + WORK,
                                          fmax(samples->input[i] - samples->offset, 0),
                                          fmax(input, 1), places[0]);
            before = fmin(before, least_of(b, kind + BEFORE, places));
            behind = fmin(behind, least_of(b, kind + BEHIND, places));
        }
        if (d < devices)
            bound = fmax(bound, before + work / b->setup->replicas + behind);
    }
    return bound < HUGE_VAL ? bound : 0;
}
