// SPDX-License-Identifier: Apache-2.0
// Finds lower bounds. The best strategy against weighted paths is a problem per stage and number of layers: every
// chunk gets its least layers, the others go to any chunk, and a single vector in flight limits memory. This is
// a multiple-choice knapsack with fractions, which takes the cheapest step of memory first (Sinha, Zoltners 1979).
#include "kernels/balance/search/balance_bound.h"

#include "kernels/common/executor/longest_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHECKED = 1024, // rounds after which the bound must have grown
    ROUNDS_LEAST = 20
};
#define WORK 3e9  // steps of knapsacks in all rounds
#define GAIN 1e-3 // by this, relatively

// What a layer may be: a kind in a chunk. Costs time by the weights of the paths, and memory.
struct choice {
    double cost, mb;
    int32_t chunk;
    enum balance_kind kind;
};

// A step of a class of layers to the next lighter choice.
struct step {
    double slope; // cost for each MiB
    int32_t class;
    int32_t from, to; // choices of the class
};

// A class of layers that have the same choices: the least layers of a chunk, or the other layers of the stage.
struct class
{
    int32_t n_choices, first; // in `choices`: by increasing cost and decreasing memory, convex
};

struct stage_cost {
    double cost;    // INFINITY: does not fit
    int32_t vector; // that limits it
};

struct balance_bound {
    const struct balance_task *task;
    struct balance_replay *replay;
    struct longest_path path;
    int32_t *operations; // of a path
    int32_t room;
    int32_t most;                         // layers of a stage
    double *forward, *backward;           // [chunk * stages + stage]: mean of the responses
    double *forward_now, *backward_now;   // the present response
    double *on_forward, *on_backward;     // mean visits of the paths
    double *best_forward, *best_backward; // those of the largest bound
    struct choice *choices;               // [(chunks + 1) * chunks * kinds]
    struct class *classes;                // [chunks + 1]
    struct step *steps;                   // [(chunks + 1) * chunks * kinds]
    int32_t n_steps;
    double head_mb;           // activations of the head in flight on the stage that is open
    struct stage_cost *costs; // [stages][most + 1]
    int32_t *layers;          // [stages]
    bool has_path;
};

// Costs are convex in the layers of a stage, so that those of more layers continue with the last difference.
static int32_t most_of(const struct balance_layers *layers, const struct balance_shape *shape)
{
    const int64_t even = layers->layers / shape->stages + 1,
                  most = 2 * even + 2 * (int64_t)shape->chunks + 4;
    return most < layers->layers ? (int32_t)most : layers->layers;
}

struct balance_bound *balance_bound_take(const struct balance_layers *layers,
                                         const struct balance_shape *shape, struct room *room)
{
    const struct pipeline_shape whole = balance_pipeline(shape);
    const int32_t operations = 2 * shape->chunks * shape->micro_batches * shape->pieces;
    const size_t chunks = (size_t)shape->stages * (size_t)shape->chunks,
                 classes = (size_t)shape->chunks + 1,
                 choices = classes * (size_t)shape->chunks * BALANCE_KINDS;
    struct balance_bound *taken = room_take(room, 1, sizeof *taken), counted;
    struct balance_bound *b = taken != NULL ? taken : &counted;
    longest_path_take(&b->path, &whole, operations, room);
    b->room = operations * shape->stages;
    b->most = most_of(layers, shape);
    b->operations = room_take(room, (size_t)b->room, sizeof *b->operations);
    double **const times[] = {&b->forward,      &b->backward,     &b->forward_now,
                              &b->backward_now, &b->on_forward,   &b->on_backward,
                              &b->best_forward, &b->best_backward};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] = room_take(room, chunks, sizeof **times[i]);
    b->choices = room_take(room, choices, sizeof *b->choices);
    b->classes = room_take(room, classes, sizeof *b->classes);
    b->steps = room_take(room, choices, sizeof *b->steps);
    b->costs = room_take(room, (size_t)shape->stages * ((size_t)b->most + 1), sizeof *b->costs);
    b->layers = room_take(room, (size_t)shape->stages, sizeof *b->layers);
    return taken;
}

// ---- a stage ------------------------------------------------------------------------------------

static size_t chunk_at(const struct balance_bound *b, int32_t chunk, int32_t stage)
{
    return (size_t)chunk * (size_t)b->task->shape.stages + (size_t)stage;
}

static int by_cost(const void *one, const void *two)
{
    const struct choice *a = one, *b = two;
    if (a->cost < b->cost || a->cost > b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->mb > b->mb) - (a->mb < b->mb);
}

// Keeps the choices on the lower convex front; returns their number.
static int32_t keep_front(struct choice *list, int32_t n)
{
    int32_t kept = 0;
    qsort(list, (size_t)n, sizeof *list, by_cost);
    for (int32_t i = 0; i < n; i++) {
        if (kept > 0 && list[i].mb >= list[kept - 1].mb)
            continue;
        while (kept > 1 &&
               (list[kept - 1].cost - list[kept - 2].cost) * (list[kept - 1].mb - list[i].mb) >=
                   (list[i].cost - list[kept - 1].cost) *
                       (list[kept - 2].mb - list[kept - 1].mb))
            kept--;
        list[kept++] = list[i];
    }
    return kept;
}

static int by_slope(const void *one, const void *two)
{
    const struct step *a = one, *b = two;
    if (a->slope < b->slope || a->slope > b->slope)
        return a->slope < b->slope ? -1 : 1;
    return a->class != b->class ? a->class - b->class : a->from - b->from;
}

static int32_t add_choices(struct balance_bound *b, int32_t stage, int32_t chunk,
                           const int32_t *vector, struct choice *list)
{
    const struct balance_layers *layers = b->task->layers;
    const size_t at = chunk_at(b, chunk, stage);
    int32_t n = 0;
    for (int k = 0; k < BALANCE_KINDS; k++)
        if (layers->has[k])
            list[n++] = (struct choice){.cost = b->on_forward[at] * layers->forward +
                                                b->on_backward[at] * layers->backward[k],
                                        .mb = vector[chunk] * layers->activation_mb[k],
                                        .chunk = chunk,
                                        .kind = (enum balance_kind)k};
    return n;
}

// Lists the classes of a stage for a vector, and the steps between their choices, cheapest memory first.
static void open_stage(struct balance_bound *b, int32_t stage, const int32_t *vector)
{
    const int32_t chunks = b->task->shape.chunks;
    int32_t used = 0;
    b->n_steps = 0;
    b->head_mb = stage == 0 ? vector[0] * b->task->layers->head_activation_mb : 0;
    for (int32_t c = 0; c <= chunks; c++) {
        struct choice *list = b->choices + used;
        int32_t n = 0;
        if (c < chunks)
            n = add_choices(b, stage, c, vector, list);
        else
            for (int32_t v = 0; v < chunks; v++)
                n += add_choices(b, stage, v, vector, list + n);
        n = keep_front(list, n);
        b->classes[c] = (struct class){.n_choices = n, .first = used};
        for (int32_t i = 1; i < n; i++)
            b->steps[b->n_steps++] = (struct step){.slope = (list[i].cost - list[i - 1].cost) /
                                                            (list[i - 1].mb - list[i].mb),
                                                   .class = c,
                                                   .from = used + i - 1,
                                                   .to = used + i};
        used += n;
    }
    qsort(b->steps, (size_t)b->n_steps, sizeof *b->steps, by_slope);
}

// Knows nothing of the memory of body layers that are computed again: a strategy may have none.
static double free_mb(const struct balance_bound *b, int32_t stage, int32_t layers)
{
    const struct balance_task *task = b->task;
    return task->limit_mb + BALANCE_TOLERANCE_MB - task->layers->constant_mb -
           (stage == 0 ? task->layers->head_mb : 0) -
           (stage == task->shape.stages - 1 ? task->layers->tail_mb : 0) -
           balance_working_mb(task->layers, stage, false) - b->head_mb -
           layers * task->layers->parameter_mb;
}

// Returns what head and tail cost on a stage.
static double ends_of(const struct balance_bound *b, int32_t stage)
{
    const struct balance_layers *layers = b->task->layers;
    const struct balance_shape *shape = &b->task->shape;
    const size_t last = (size_t)(shape->stages * shape->chunks) - 1;
    double cost = 0;
    if (stage == 0)
        cost += layers->head * b->on_forward[0] + layers->head_backward * b->on_backward[0];
    if (stage == shape->stages - 1)
        cost +=
            layers->tail * b->on_forward[last] + layers->tail_backward * b->on_backward[last];
    return cost;
}

// Adds `share` layers of a choice to the response.
static void respond(struct balance_bound *b, int32_t stage, const struct choice *choice,
                    double share)
{
    const size_t at = chunk_at(b, choice->chunk, stage);
    b->forward_now[at] += share * b->task->layers->forward;
    b->backward_now[at] += share * b->task->layers->backward[choice->kind];
}

// Returns the least cost of n layers on the stage that is open; INFINITY: they do not fit. With `responds`, adds the
// layers to the response.
static double cost_of(struct balance_bound *b, int32_t stage, int32_t n, bool responds)
{
    const int32_t chunks = b->task->shape.chunks, least = balance_least_layers(b->task);
    const double rest = n - least * chunks;
    double cost = ends_of(b, stage), mb = -free_mb(b, stage, n);
    for (int32_t c = 0; c <= chunks; c++) {
        const struct choice *first = &b->choices[b->classes[c].first];
        const double many = c < chunks ? least : rest;
        cost += many * first->cost;
        mb += many * first->mb;
        if (responds)
            respond(b, stage, first, many);
    }
    for (int32_t i = 0; i < b->n_steps && mb > 0; i++) {
        const struct choice *from = &b->choices[b->steps[i].from],
                            *to = &b->choices[b->steps[i].to];
        const double many = b->steps[i].class < chunks ? least : rest,
                     frees = many * (from->mb - to->mb), share = frees > mb ? mb / frees : 1;
        cost += share * many * (to->cost - from->cost);
        mb -= share * frees;
        if (responds) {
            respond(b, stage, from, -share * many);
            respond(b, stage, to, share * many);
        }
        if (share < 1)
            mb = 0;
    }
    return mb > 0 ? (double)INFINITY : cost;
}

// ---- all stages ---------------------------------------------------------------------------------

static struct stage_cost *costs_of(const struct balance_bound *b, int32_t stage)
{
    return b->costs + (size_t)stage * ((size_t)b->most + 1);
}

// Returns what layer n + 1 of a stage costs.
static double cost_of_next(const struct balance_bound *b, int32_t stage, int32_t n)
{
    const struct stage_cost *costs = costs_of(b, stage);
    const int32_t last = n < b->most ? n : b->most - 1;
    const int32_t least = balance_least_layers(b->task) * b->task->shape.chunks;
    if (last < least || isinf(costs[last + 1].cost))
        return (double)INFINITY;
    return costs[last + 1].cost - costs[last].cost;
}

static void find_costs(struct balance_bound *b, int32_t stage)
{
    const struct balance_task *task = b->task;
    struct stage_cost *costs = costs_of(b, stage);
    const int32_t least = balance_least_layers(task) * task->shape.chunks;
    const int32_t *vectors;
    const int32_t n_vectors = balance_in_flight(b->replay, stage, &vectors);
    for (int32_t n = least; n <= b->most; n++)
        costs[n] = (struct stage_cost){.cost = -1};
    for (int32_t i = 0; i < n_vectors; i++) {
        open_stage(b, stage, vectors + (size_t)i * (size_t)task->shape.chunks);
        for (int32_t n = least; n <= b->most; n++) {
            const double cost = cost_of(b, stage, n, false);
            if (cost > costs[n].cost)
                costs[n] = (struct stage_cost){.cost = cost, .vector = i};
            if (isinf(costs[n].cost)) {
                for (; n <= b->most; n++)
                    costs[n].cost = (double)INFINITY;
                break;
            }
        }
    }
}

// Distributes the layers, each to the stage where it costs least. Returns the cost of all; INFINITY: they do not fit.
static double distribute(struct balance_bound *b)
{
    const struct balance_task *task = b->task;
    const int32_t stages = task->shape.stages,
                  least = balance_least_layers(task) * task->shape.chunks;
    double sum = 0;
    for (int32_t s = 0; s < stages; s++) {
        find_costs(b, s);
        b->layers[s] = least;
        sum += costs_of(b, s)[least].cost;
    }
    for (int32_t rest = task->layers->layers - stages * least; rest > 0; rest--) {
        int32_t best = -1;
        double cheapest = (double)INFINITY;
        for (int32_t s = 0; s < stages; s++) {
            const double more = cost_of_next(b, s, b->layers[s]);
            if (more < cheapest) {
                cheapest = more;
                best = s;
            }
        }
        if (best < 0)
            return (double)INFINITY;
        b->layers[best]++;
        sum += cheapest;
    }
    return sum;
}

// Makes the strategy that `distribute` found the present response.
static void find_response(struct balance_bound *b)
{
    const struct balance_task *task = b->task;
    const struct balance_layers *layers = task->layers;
    const size_t all = (size_t)task->shape.stages * (size_t)task->shape.chunks;
    memset(b->forward_now, 0, all * sizeof *b->forward_now);
    memset(b->backward_now, 0, all * sizeof *b->backward_now);
    b->forward_now[0] += layers->head;
    b->backward_now[0] += layers->head_backward;
    b->forward_now[all - 1] += layers->tail;
    b->backward_now[all - 1] += layers->tail_backward;
    for (int32_t s = 0; s < task->shape.stages; s++) {
        const int32_t *vectors;
        (void)balance_in_flight(b->replay, s, &vectors);
        const int32_t n = b->layers[s] < b->most ? b->layers[s] : b->most;
        const int32_t i = costs_of(b, s)[n].vector;
        open_stage(b, s, vectors + (size_t)i * (size_t)task->shape.chunks);
        (void)cost_of(b, s, b->layers[s], true);
    }
}

static void move_mean(double *mean, const double *now, size_t n, double part)
{
    for (size_t i = 0; i < n; i++)
        mean[i] += part * (now[i] - mean[i]);
}

// Adds `part` to the visits of the chunks on the longest path of the last run. Returns false if the poll ended the walk.
static bool add_path(struct balance_bound *b, double part, double *forwards, double *backwards,
                     struct poll *poll)
{
    const struct executor *executor = balance_replay_executor(b->replay);
    const struct order *order = balance_replay_order(b->replay);
    const int32_t n =
        longest_path_critical(&b->path, executor_starts(executor), executor_ends(executor),
                              b->operations, b->room, poll);
    for (int32_t i = 0; i < n; i++) {
        const struct operation *op = &order->operations[b->operations[i]];
        (op->type == OPERATION_F ? forwards : backwards)[op->stage] += part;
    }
    return n >= 0;
}

bool balance_bound_path(struct balance_bound *b, double *forwards, double *backwards,
                        struct poll *poll)
{
    const size_t all = (size_t)b->task->shape.stages * (size_t)b->task->shape.chunks;
    memset(forwards, 0, all * sizeof *forwards);
    memset(backwards, 0, all * sizeof *backwards);
    return add_path(b, 1, forwards, backwards, poll);
}

// Moves the mean visits towards the longest path for the mean response. Returns false if the poll ended the walk.
static bool find_path(struct balance_bound *b, double part, struct poll *poll)
{
    const size_t all = (size_t)b->task->shape.stages * (size_t)b->task->shape.chunks;
    (void)balance_makespan(b->replay, b->forward, b->backward);
    for (size_t i = 0; i < all; i++) {
        b->on_forward[i] *= 1 - part;
        b->on_backward[i] *= 1 - part;
    }
    return add_path(b, part, b->on_forward, b->on_backward, poll);
}

// Makes the weights of the largest bound the present ones.
static void restore_weights(struct balance_bound *b, size_t all)
{
    memcpy(b->on_forward, b->best_forward, all * sizeof *b->on_forward);
    memcpy(b->on_backward, b->best_backward, all * sizeof *b->on_backward);
    for (int32_t s = 0; s < b->task->shape.stages; s++)
        find_costs(b, s);
}

// Limits the rounds of large tasks by their work.
static int rounds_of(const struct balance_bound *b, int rounds)
{
    const struct balance_shape *shape = &b->task->shape;
    double vectors = 0;
    for (int32_t s = 0; s < shape->stages; s++) {
        const int32_t *unused;
        vectors += balance_in_flight(b->replay, s, &unused);
    }
    const double steps = (shape->chunks + 1.0) * shape->chunks * BALANCE_KINDS,
                 most = WORK / (vectors * (b->most + 1.0) * steps +
                                (double)b->task->layers->layers * shape->stages);
    return most < ROUNDS_LEAST ? (rounds < ROUNDS_LEAST ? rounds : ROUNDS_LEAST)
           : most < rounds     ? (int)most
                               : rounds;
}

double balance_bound_find(struct balance_bound *b, const struct balance_task *task,
                          struct balance_replay *replay, int rounds, struct poll *poll)
{
    const size_t all = (size_t)task->shape.stages * (size_t)task->shape.chunks;
    double best = 0, before = 0;
    b->task = task;
    b->replay = replay;
    rounds = rounds_of(b, rounds);
    if (!longest_path_set(&b->path, balance_replay_executor(replay), poll))
        return 0;
    for (size_t i = 0; i < all; i++) { // a start that visits all chunks alike
        b->on_forward[i] = b->on_backward[i] =
            (double)task->shape.micro_batches * task->shape.pieces / task->shape.stages;
        b->forward[i] = b->backward[i] = 0;
    }
    // The even weights are a mean of the paths of the devices: all their operations in order.
    for (int round = 0; round < rounds; round++) {
        const double value = distribute(b), part = 1.0 / (round + 1);
        if (isinf(value))
            return value;
        if (round % CHECKED == CHECKED - 1) {
            if (best <= before * (1 + GAIN))
                break;
            before = best;
        }
        if (value > best) {
            best = value;
            memcpy(b->best_forward, b->on_forward, all * sizeof *b->best_forward);
            memcpy(b->best_backward, b->on_backward, all * sizeof *b->best_backward);
        }
        find_response(b);
        move_mean(b->forward, b->forward_now, all, round == 0 ? 1 : 2 * part / (1 + part));
        move_mean(b->backward, b->backward_now, all, round == 0 ? 1 : 2 * part / (1 + part));
        if (!find_path(b, round == 0 ? 1 : 2 * part / (1 + part), poll))
            break;
    }
    restore_weights(b, all);
    return best;
}

double balance_bound_of_stage(const struct balance_bound *b, int32_t stage, int32_t n)
{
    const int32_t least = balance_least_layers(b->task) * b->task->shape.chunks;
    if (n < least)
        return (double)INFINITY;
    if (n <= b->most)
        return costs_of(b, stage)[n].cost;
    return costs_of(b, stage)[b->most].cost + (n - b->most) * cost_of_next(b, stage, n);
}

struct balance_weights balance_bound_weights(const struct balance_bound *b)
{
    return (struct balance_weights){.forward = b->best_forward, .backward = b->best_backward};
}
