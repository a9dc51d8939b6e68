// SPDX-License-Identifier: Apache-2.0
// Prices the parts of a configuration for other micro-batches.
#include "kernels/dynapipe/training/training_stages.h"

#include "kernels/configuration/price.h"

#include <stdlib.h>
#include <string.h>

#define MB 1e6 // bytes
#define US 1e6 // of a second

enum { TOKENS_MOST = 1 << 20, LENGTHS_MOST = 32, ROWS_MOST = 16 }; // of the tables

const char *training_stages_misfit(const struct configuration *c)
{
    int64_t layers = 0;
    for (int32_t k = 0; k < c->n_parts; k++) {
        if (configuration_part_layers(&c->parts[k]) == 0)
            return "a chunk has no layer";
        layers += configuration_part_layers(&c->parts[k]);
    }
    if (configuration_family(c)->directions > 1)
        return "micro-batches enter its pipeline at both ends";
    if (c->strategy.pp > DYNAPIPE_DEVICES_MAX || c->n_parts > DYNAPIPE_STAGES_MAX)
        return "the pipeline is too long";
    return layers <= NETWORK_LAYERS_MAX ? NULL : "there are too many layers";
}

// ---- prices -------------------------------------------------------------------------------------

// The training with micro-batches of another shape.
struct shaped {
    struct configuration configuration;
    struct configuration_figures figures;
};

static void shape(struct shaped *shaped, const struct training_stages *t,
                  struct configuration_part *parts, int64_t rows, int64_t length)
{
    shaped->configuration = *t->configuration;
    shaped->configuration.parts = parts;
    shaped->configuration.n_parts = t->stages.stages;
    shaped->configuration.strategy.mbs = (int32_t)rows;
    shaped->configuration.model.seq_length = length;
    configuration_figures_of(&shaped->figures, &shaped->configuration);
}

// Memory that the shape changes, in bytes.
struct transient {
    double again; // layers that are made again
    double logits;
};

// Sets the memory of a device that the shape changes, and the rest.
static void weigh(const struct shaped *shaped, const struct training_stages *t, int32_t device,
                  struct transient *transient, double *fixed)
{
    struct pipeline pipeline = {
        .shape = {t->stages.devices, shaped->configuration.n_parts, 1, 1, 1}};
    int32_t device_of[DYNAPIPE_STAGES_MAX];
    double memory[CONFIGURATION_MEMORIES], sum = 0;
    memcpy(device_of, t->stages.device_of, (size_t)t->stages.stages * sizeof *device_of);
    pipeline.device_of = device_of;
    configuration_price_device(memory, &shaped->figures, &shaped->configuration, &pipeline,
                               device);
    for (int m = 0; m < CONFIGURATION_MEMORIES; m++)
        sum += memory[m];
    transient->again = shaped->figures.allocated * memory[CONFIGURATION_WORKING];
    transient->logits = shaped->figures.allocated * memory[CONFIGURATION_LOGITS];
    *fixed = sum - transient->again - transient->logits;
}

// Writes a micro-batch whose layers are `parts`.
static void write(const struct training_stages *t, struct configuration_part *parts,
                  const struct network_shape *of, int32_t micro_batch,
                  struct micro_batches *batches)
{
    struct shaped shaped;
    struct transient transient[DYNAPIPE_DEVICES_MAX];
    double fixed;
    shape(&shaped, t, parts, of->rows, of->input);
    for (int32_t d = 0; d < t->stages.devices; d++)
        weigh(&shaped, t, d, &transient[d], &fixed);
    for (int32_t s = 0; s < t->stages.stages; s++) {
        const int64_t at = micro_batches_at(batches, micro_batch, s);
        struct configuration_part_price price;
        configuration_price_part(&price, &shaped.figures, &shaped.configuration, s);
        const double stored = shaped.figures.allocated * price.kept / MB;
        batches->forward[at] = price.forward * US;
        batches->backward[at] = price.backward * US;
        batches->stored[at] = stored;
        const struct transient *own = &transient[t->stages.device_of[s]];
        batches->peak[at] = stored + own->logits / MB;
        batches->backward_peak[at] = (own->again + own->logits) / MB;
        batches->activation[at] = batches->gradient[at] =
            s == t->stages.stages - 1
                ? 0
                : US *
                      configuration_price_message_of(&shaped.figures, &shaped.configuration, s);
    }
}

static bool fill(void *self, enum dynapipe_recompute recompute, const struct network_shape *of,
                 int32_t micro_batch, struct micro_batches *batches)
{
    const struct training_stages *t = self;
    write(t, t->parts[recompute], of, micro_batch, batches);
    return true;
}

static bool fill_mine(void *self, enum dynapipe_recompute recompute,
                      const struct network_shape *of, int32_t micro_batch,
                      struct micro_batches *batches)
{
    const struct training_stages *t = self;
    (void)recompute;
    write(t, t->mine, of, micro_batch, batches);
    return true;
}

// ---- tables of average layers -------------------------------------------------------------------

static void put(const struct training_stages *t, struct configuration_part *parts, int type,
                int64_t at, struct cost_tables *tables)
{
    double **v = tables->values[type];
    const double rows = tables->axis[COST_ROWS][at / tables->nodes[COST_INPUT]],
                 length = tables->axis[COST_INPUT][at % tables->nodes[COST_INPUT]];
    const double layers = t->network.encoders;
    struct shaped shaped;
    struct configuration_part none[1] = {
        {.modules = (int32_t)t->configuration->model.mtp_depth}};
    struct configuration_part_price tail, sum = {.forward = 0};
    if (rows * length > TOKENS_MOST)
        return;
    shape(&shaped, t, parts, (int64_t)rows, (int64_t)length);
    for (int32_t k = 0; k < shaped.configuration.n_parts; k++) {
        struct configuration_part_price price;
        configuration_price_part(&price, &shaped.figures, &shaped.configuration, k);
        sum.forward += price.forward;
        sum.backward += price.backward;
        sum.kept += price.kept;
    }
    shaped.configuration.parts = none;
    shaped.configuration.n_parts = 1;
    configuration_price_part(&tail, &shaped.figures, &shaped.configuration, 0);
    v[COST_ENCODER_FORWARD][at] = 1e3 * (sum.forward - tail.forward) / layers;
    v[COST_ENCODER_BACKWARD][at] = 1e3 * (sum.backward - tail.backward) / layers;
    v[COST_POSTPROCESS_FORWARD][at] = 1e3 * tail.forward;
    v[COST_POSTPROCESS_BACKWARD][at] = 1e3 * tail.backward;
    v[COST_ENCODER_STORED][at] = v[COST_ENCODER_PEAK][at] =
        shaped.figures.allocated * sum.kept / layers / MB;
}

// Writes powers of two up to `most`, and `own` in its place. Returns their number.
static int32_t nodes_of(int64_t first, int64_t most, int64_t own, double *nodes)
{
    int32_t n = 0;
    for (int64_t node = first; node <= most; node *= 2) {
        if (own < node && (n == 0 || (double)own > nodes[n - 1]))
            nodes[n++] = (double)own;
        nodes[n++] = (double)node;
    }
    if ((double)own > nodes[n - 1])
        nodes[n++] = (double)own;
    return n;
}

static bool make_tables(const struct training_stages *t, bool mine, struct cost_tables *tables)
{
    const struct configuration *c = t->configuration;
    double rows[ROWS_MOST], lengths[LENGTHS_MOST];
    *tables =
        (struct cost_tables){.tensor_parallel = c->strategy.tp, .has = {true, !mine, !mine}};
    tables->nodes[COST_ROWS] = nodes_of(1, 256, c->strategy.mbs, rows);
    tables->nodes[COST_INPUT] = nodes_of(64, TOKENS_MOST, c->model.seq_length, lengths);
    if (!cost_tables_allocate(tables))
        return false;
    memcpy(tables->axis[COST_ROWS], rows, (size_t)tables->nodes[COST_ROWS] * sizeof *rows);
    memcpy(tables->axis[COST_INPUT], lengths,
           (size_t)tables->nodes[COST_INPUT] * sizeof *lengths);
    const int64_t n = cost_values_of(tables, COST_ENCODER_FORWARD);
    for (int type = 0; type < (mine ? 1 : DYNAPIPE_RECOMPUTE_TYPES); type++)
        for (int64_t at = 0; at < n; at++)
            put(t, mine ? t->mine : t->parts[type], type, at, tables);
    return true;
}

// ---- stages -------------------------------------------------------------------------------------

static int32_t device_of(const struct configuration *c, int32_t part)
{
    const int32_t pp = c->strategy.pp;
    return configuration_part_at(c, part / pp, part % pp) % pp;
}

static void add_part(struct configuration_part *sum, const struct configuration_part *part)
{
    sum->modules += part->modules;
    for (int kind = 0; kind < CONFIGURATION_KINDS; kind++) {
        sum->layers[kind] += part->layers[kind];
        sum->full[kind] += part->full[kind];
        sum->select[kind] += part->select[kind];
    }
}

// Parts that follow each other on one device, as where a placement turns, are one stage.
static void join_parts(struct training_stages *t, int32_t *device_of_layer)
{
    const struct configuration *c = t->configuration;
    int32_t n = 0, layers = 0;
    for (int32_t k = 0; k < c->n_parts; k++) {
        n += k == 0 || device_of(c, k) != device_of(c, k - 1);
        add_part(&t->mine[n - 1], &c->parts[k]);
        for (int32_t l = 0; l < configuration_part_layers(&c->parts[k]); l++)
            device_of_layer[layers++] = device_of(c, k);
    }
    t->network = (struct network){layers, 0, (int32_t)c->model.hidden, 2};
}

static void set_types(struct training_stages *t)
{
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int32_t k = 0; k < t->stages.stages; k++)
            for (int kind = 0; kind < CONFIGURATION_KINDS; kind++) {
                const int32_t layers = t->mine[k].layers[kind];
                struct configuration_part *part = &t->parts[type][k];
                part->modules = t->mine[k].modules;
                part->layers[kind] = layers;
                part->full[kind] = type == DYNAPIPE_FULL ? layers : 0;
                part->select[kind] = type == DYNAPIPE_SELECTIVE ? layers : 0;
            }
}

// Makes the stages of a training without misfit, and their layers.
static bool make_stages(struct training_stages *t)
{
    const size_t n = (size_t)t->configuration->n_parts;
    int32_t device_of_layer[NETWORK_LAYERS_MAX];
    char why[512];
    t->mine = calloc((DYNAPIPE_RECOMPUTE_TYPES + 1) * n, sizeof *t->mine);
    if (t->mine == NULL)
        return false;
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        t->parts[type] = t->mine + (size_t)(type + 1) * n;
    join_parts(t, device_of_layer);
    (void)network_assign(&t->network, device_of_layer, &t->stages, why, sizeof why);
    set_types(t);
    return true;
}

bool training_stages_open(struct training_stages *t, const struct configuration *c)
{
    struct shaped shaped;
    struct transient transient;
    double fixed;
    *t = (struct training_stages){.configuration = c};
    if (!make_stages(t))
        return false;
    shape(&shaped, t, t->mine, c->strategy.mbs, c->model.seq_length);
    for (int32_t d = 0; d < t->stages.devices; d++) {
        weigh(&shaped, t, d, &transient, &fixed);
        t->state[d] = fixed / MB;
    }
    t->limit = c->cluster.memory_limit / MB;
    return make_tables(t, false, &t->tables) && make_tables(t, true, &t->mine_costs);
}

void training_stages_free(struct training_stages *t)
{
    free(t->mine);
    cost_tables_free(&t->tables);
    cost_tables_free(&t->mine_costs);
    t->mine = NULL;
}

void training_stages_setup(struct training_stages *t, bool mine, struct step_setup *setup)
{
    setup->network = &t->network;
    setup->stages = &t->stages;
    setup->tables = mine ? &t->mine_costs : &t->tables;
    setup->replicas = t->configuration->strategy.dp;
    setup->zero = 0;
    setup->limit = t->limit;
    setup->fill = (struct step_fill){mine ? fill_mine : fill, t};
    setup->fixed = t->state;
}
