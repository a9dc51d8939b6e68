// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/balance_cases.h"

#include "kernels/balance/model/sequence.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/kernels/proxy_published.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- exact vectors, by playing the order of a stage -------------------------------------------------

static int32_t warm_up(const struct balance_shape *shape, int32_t s)
{
    const int32_t p = shape->stages, v = shape->chunks, r = shape->micro_batches % p;
    if (v == 1)
        return p - s - 1;
    return shape->order == BALANCE_LESS_MEMORY ? v * p - s - 1 + r * (v - 1)
                                               : (v + 1) * p - 2 * s - 2 + r * (v - 1);
}

// Chunks of the forwards, or of the backwards, in their order.
static void list_chunks(const struct balance_shape *shape, bool backward, int32_t *list)
{
    const int32_t p = shape->stages, m = shape->micro_batches, n = shape->chunks;
    int32_t at = 0;
    for (int32_t from = 0; from < m;) {
        const int32_t size = n == 1 || m < p ? m : from == 0 ? p + m % p : p;
        for (int32_t v = 0; v < n; v++)
            for (int32_t i = 0; i < size; i++)
                list[at++] = backward ? n - 1 - v : v;
        from += size;
    }
}

static bool is_dominated(const int32_t *a, const int32_t *b, int32_t n)
{
    for (int32_t v = 0; v < n; v++)
        if (a[v] > b[v])
            return false;
    return true;
}

static int32_t exact_vectors(const struct balance_shape *shape, int32_t s, int32_t *vectors)
{
    const int32_t n = shape->chunks, blocks = n * shape->micro_batches;
    int32_t *f = malloc(2 * (size_t)blocks * sizeof *f), *b = f + blocks, now[16] = {0},
            kept = 0;
    list_chunks(shape, false, f);
    list_chunks(shape, true, b);
    const int32_t warm = warm_up(shape, s) < blocks ? warm_up(shape, s) : blocks;
    for (int32_t i = 0; i < blocks; i++) {
        now[f[i]]++;
        bool is_new = true;
        for (int32_t k = 0; k < kept && is_new; k++)
            is_new = !is_dominated(now, vectors + k * n, n);
        for (int32_t k = kept - 1; k >= 0 && is_new; k--)
            if (is_dominated(vectors + k * n, now, n))
                memmove(vectors + k * n, vectors + --kept * n, (size_t)n * sizeof *vectors);
        if (is_new)
            memcpy(vectors + kept++ * n, now, (size_t)n * sizeof *vectors);
        if (i >= warm)
            now[b[i - warm]]--;
    }
    free(f);
    return kept;
}

void case_open(struct proxy_case *it, bool exact)
{
    const struct balance_shape *shape = &it->program.shape;
    const size_t of_stage = (size_t)CASE_VECTORS;
    it->all = malloc((size_t)shape->stages * of_stage * sizeof *it->all);
    for (int32_t s = 0; s < shape->stages; s++) {
        int32_t *vectors = it->all + (size_t)s * of_stage;
        it->vector_of[s] = vectors;
        it->n_vectors[s] = exact ? exact_vectors(shape, s, vectors)
                                 : proxy_published_vectors(shape, s, vectors);
    }
    it->program.layers = &it->layers;
    it->program.vectors = it->vector_of;
    it->program.n_vectors = it->n_vectors;
}

// ---- golden files -----------------------------------------------------------------------------------

static double real(const cJSON *object, const char *name, double fallback)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return item == NULL ? fallback : item->valuedouble;
}

static void read_body(struct balance_layers *layers, const cJSON *body)
{
    static const struct {
        const char *memory, *coefficient;
        double fallback;
    } keys[BALANCE_KINDS] = {
        {"memory_activation", "backward_coef", 0},
        {"memory_select_rec", "select_rec_coef", 0.04},
        {"memory_select_comm", "select_comm_coef", 0.125},
        {"memory_both_comm_select", "both_comm_select_coef", 0.165},
        {"memory_recompute", "recompute_coef", 0.5},
    };
    layers->layers = (int32_t)real(body, "nb_layer", 0);
    layers->forward = real(body, "time", 0);
    layers->parameter_mb = real(body, "memory_parameter", 0);
    for (int k = 0; k < BALANCE_KINDS; k++) {
        layers->activation_mb[k] = real(body, keys[k].memory, 0);
        layers->has[k] = layers->activation_mb[k] > 0;
        layers->backward[k] =
            2 * layers->forward * (1 + real(body, keys[k].coefficient, keys[k].fallback));
    }
}

// Times and memory of pieces of a micro-batch.
static void cut(struct balance_layers *layers, const cJSON *train, double q)
{
    const struct balance_training training = {
        .batch = (int64_t)real(train, "batch_size", 0),
        .sequence = (int64_t)real(train, "seq_length", 0),
        .heads = (int64_t)real(train, "num_heads", 0),
        .hidden = (int64_t)real(train, "hidden_size", 0),
        .vocabulary = (int64_t)real(train, "vocab_size", 0),
        .intermediate = BALANCE_INTERMEDIATE_USUAL,
        .tensor_parallel = (int64_t)real(train, "model_parallel", 1)};
    balance_cut_sequence(layers, &training, (int32_t)q);
}

void case_golden(struct proxy_case *it, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/balance/%s", PPS_GOLDEN, name);
    char *text = slurp(path, &(size_t){0});
    cJSON *document = cJSON_Parse(text);
    cr_assert_not_null(document, "%s", path);
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(document, "case"), *layer;
    *it = (struct proxy_case){.optimum = real(document, "optimum_objective", NAN)};
    it->layers.constant_mb = real(given, "const_memory", 0);
    cJSON_ArrayForEach (layer, cJSON_GetObjectItemCaseSensitive(given, "layers")) {
        const char *type = cJSON_GetObjectItemCaseSensitive(layer, "type")->valuestring;
        if (strcmp(type, "HEAD") == 0) {
            it->layers.head = real(layer, "time", 0);
            it->layers.head_mb = real(layer, "memory_parameter", 0);
        } else if (strcmp(type, "TAIL") == 0) {
            it->layers.tail = real(layer, "time", 0);
            it->layers.tail_mb = real(layer, "memory_parameter", 0);
        } else {
            read_body(&it->layers, layer);
        }
    }
    balance_usual_ends(&it->layers);
    const double q = real(given, "seq", 1);
    if (q > 1)
        cut(&it->layers, cJSON_GetObjectItemCaseSensitive(given, "train"), q);
    it->program.shape = (struct balance_shape){
        .stages = (int32_t)real(given, "pp", 0),
        .chunks = (int32_t)real(given, "vp", 0),
        .micro_batches = (int32_t)real(given, "micro", 0),
        .pieces = (int32_t)q,
        .order = real(given, "less_memory", 0) > 0 ? BALANCE_LESS_MEMORY : BALANCE_BIG_MEMORY,
    };
    it->program.level = 1;
    it->program.limit_mb = real(given, "max_memory", 0);
    case_open(it, false);
    cJSON_Delete(document);
    free(text);
}

// ---- random programs --------------------------------------------------------------------------------

static double between(struct random *random, double low, double high)
{
    const double x = low + (high - low) * random_unit(random);
    return random_below(random, 2) == 0 ? round(4 * x) / 4 : x; // equal values happen, too
}

// Strategies, more or less: ways to put the layers in chunks and kinds.
static double ways(const struct balance_layers *layers, int32_t chunks)
{
    int32_t boxes = 0;
    double count = 1;
    for (int k = 0; k < BALANCE_KINDS; k++)
        boxes += layers->has[k] ? chunks : 0;
    for (int32_t i = 1; i <= layers->layers; i++)
        count = count * (boxes + i - 1) / i;
    return count;
}

void case_random(struct proxy_case *it, struct random *random)
{
    *it = (struct proxy_case){.optimum = NAN};
    struct balance_layers *layers = &it->layers;
    struct balance_shape *shape = &it->program.shape;
    shape->stages = 1 + (int32_t)random_below(random, 3);
    shape->chunks = 1 + (int32_t)random_below(random, shape->stages < 3 ? 3 : 2);
    const int32_t chunks = shape->stages * shape->chunks;
    shape->micro_batches = shape->stages * (1 + (int32_t)random_below(random, 2)) +
                           (int32_t)random_below(random, 2) * (int32_t)random_below(random, 3);
    shape->pieces = 1;
    shape->order = random_coin(random) ? BALANCE_BIG_MEMORY : BALANCE_LESS_MEMORY;
    layers->layers = chunks + (int32_t)random_below(random, chunks < 4 ? 5 : 2);
    layers->head = between(random, 0, 3);
    layers->tail = between(random, 0, 3);
    balance_usual_ends(layers);
    layers->forward = between(random, 0.5, 2);
    double a = between(random, 8, 12), b = layers->forward * between(random, 1, 3);
    for (int k = 0; k < BALANCE_KINDS; k++) {
        layers->has[k] = true;
        layers->backward[k] = b + (k > 0 ? between(random, 0, 2) : 0);
        layers->activation_mb[k] = k > 0 ? between(random, 1, a) : a;
    }
    while (ways(layers, chunks) > 10000)
        layers->has[1 + random_below(random, BALANCE_KINDS - 1)] = false;
    layers->parameter_mb = between(random, 0, 20);
    layers->head_mb = between(random, 0, 20);
    layers->tail_mb = between(random, 0, 20);
    layers->constant_mb = between(random, -5, 20);
    if (random_coin(random)) {
        layers->head_activation_mb = between(random, 0, 10);
        layers->head_working_mb = between(random, 0, 20);
        layers->working_mb = between(random, 0, 20);
    }
    it->program.level = (int32_t)random_below(random, 2);
    it->program.allow_empty = random_coin(random);
    it->program.limit_mb = layers->constant_mb +
                           (double)layers->layers / shape->stages *
                               (layers->parameter_mb + shape->stages * between(random, 2, 14));
}

// ---- solving ----------------------------------------------------------------------------------------

enum proxy_outcome case_solve(const struct proxy_program *program, struct poll *poll,
                              struct proxy_answer *answer)
{
    struct room counting = {.memory = NULL};
    proxy_take(program->layers, &program->shape, program->allow_empty, &counting);
    struct room room = {.memory = aligned_alloc(ROOM_ALIGNMENT, counting.used)};
    memset(room.memory, 0x5a, counting.used);
    struct proxy *proxy =
        proxy_take(program->layers, &program->shape, program->allow_empty, &room);
    cr_assert_eq(room.used, counting.used);
    *answer = (struct proxy_answer){.has_strategy = false};
    answer->strategy.count = malloc(BALANCE_KINDS * (size_t)program->shape.stages *
                                    (size_t)program->shape.chunks * sizeof(int32_t));
    const enum proxy_outcome outcome = proxy_solve(proxy, program, poll, answer);
    free(room.memory);
    return outcome;
}

static bool fits(const struct proxy_program *program, const struct balance_strategy *strategy)
{
    for (int32_t s = 0; s < program->shape.stages; s++)
        if (proxy_stage_mb(program, strategy, s) > program->limit_mb + PROXY_TOLERANCE_MB)
            return false;
    return true;
}

struct visit {
    const struct proxy_program *program;
    void (*call)(void *self, const struct balance_strategy *strategy);
    void *self;
    struct balance_strategy strategy;
};

// Tries all contents of chunk `at`, given those before it.
static void try_chunk(struct visit *visit, int32_t at, int32_t kind, int32_t rest)
{
    const struct proxy_program *program = visit->program;
    const int32_t chunks = visit->strategy.chunks * visit->strategy.stages;
    if (at == chunks) {
        if (rest == 0 && fits(program, &visit->strategy))
            visit->call(visit->self, &visit->strategy);
        return;
    }
    int32_t *count = visit->strategy.count;
    if (kind == BALANCE_KINDS) {
        int32_t sum = 0;
        for (int k = 0; k < BALANCE_KINDS; k++)
            sum += count[k * chunks + at];
        const bool mixed = count[BALANCE_SELECT * chunks + at] > 0 &&
                           count[BALANCE_SELECT_COMM * chunks + at] > 0;
        if (!mixed && (sum > 0 || program->allow_empty))
            try_chunk(visit, at + 1, 0, rest);
        return;
    }
    const int32_t most = program->layers->has[kind] ? rest : 0;
    for (int32_t n = 0; n <= most; n++) {
        count[kind * chunks + at] = n;
        try_chunk(visit, at, kind + 1, rest - n);
    }
    count[kind * chunks + at] = 0;
}

void case_visit_all(const struct proxy_program *program,
                    void (*call)(void *self, const struct balance_strategy *strategy),
                    void *self)
{
    int32_t count[BALANCE_KINDS * 64] = {0};
    struct visit visit = {program,
                          call,
                          self,
                          {program->shape.stages, program->shape.chunks, count}};
    try_chunk(&visit, 0, 0, program->layers->layers);
}

struct least {
    const struct proxy_program *program;
    double value;
};

static void take_least(void *self, const struct balance_strategy *strategy)
{
    struct least *least = self;
    least->value = fmin(least->value, proxy_evaluate(least->program, strategy).value);
}

double case_try_all(const struct proxy_program *program)
{
    struct least least = {program, (double)INFINITY};
    case_visit_all(program, take_least, &least);
    return least.value;
}

void case_check(const struct proxy_program *program, const struct proxy_answer *answer)
{
    const struct balance_strategy *strategy = &answer->strategy;
    cr_assert(answer->has_strategy);
    cr_expect(fits(program, strategy));
    int32_t all = 0;
    for (int32_t s = 0; s < program->shape.stages; s++)
        for (int32_t v = 0; v < program->shape.chunks; v++) {
            int32_t sum = 0, count[BALANCE_KINDS];
            for (int k = 0; k < BALANCE_KINDS; k++) {
                sum += count[k] = strategy->count[balance_at(strategy, k, v, s)];
                cr_expect(count[k] >= 0 && (count[k] == 0 || program->layers->has[k]));
            }
            cr_expect(sum >= (program->allow_empty ? 0 : 1));
            cr_expect(count[BALANCE_SELECT] == 0 || count[BALANCE_SELECT_COMM] == 0);
            all += sum;
        }
    cr_expect_eq(all, program->layers->layers);
    cr_expect_eq(answer->value.value, proxy_evaluate(program, strategy).value);
    cr_expect_leq(answer->bound, answer->value.value);
}
