// SPDX-License-Identifier: Apache-2.0
// Fills cost tables cell by cell.
#include "kernels/dynapipe/costs/model_tables.h"

static const int mode_of[DYNAPIPE_RECOMPUTE_TYPES] = {LAYERCOST_NONE, LAYERCOST_FULL,
                                                      LAYERCOST_SELECT};

// Averages over the layers of a model.
struct layer_means {
    double forward, backward[LAYERCOST_MODES], stored[LAYERCOST_MODES], parameters;
};

static struct layer_means means_of(const struct layercost_model *m,
                                   const struct layercost_set *set)
{
    struct layer_means means = {.forward = 0};
    int64_t n[MODELDESC_KINDS];
    modeldesc_kinds_of(&m->model, 0, m->model.num_layers, n);
    for (int k = 0; k < layercost_kinds(m); k++) {
        const struct layercost *cost = &set->kind[k];
        const double layers = (double)n[k];
        means.forward += layers * cost->forward;
        means.parameters += layers * (cost->parameters + cost->routed);
        for (int mode = 0; mode < LAYERCOST_MODES; mode++) {
            means.backward[mode] += layers * cost->backward[mode];
            means.stored[mode] += layers * cost->stored[mode];
        }
    }
    const double all = (double)m->model.num_layers;
    means.forward /= all;
    means.parameters /= all;
    for (int mode = 0; mode < LAYERCOST_MODES; mode++) {
        means.backward[mode] /= all;
        means.stored[mode] /= all;
    }
    return means;
}

// Writes the layers of a network without cross attention, and the head.
static void fill(const struct layer_means *means, const struct layercost_set *set, int64_t at,
                 struct cost_tables *t)
{
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const int mode = mode_of[type];
        double **v = t->values[type];
        v[COST_ENCODER_FORWARD][at] = 1e3 * means->forward;
        v[COST_ENCODER_BACKWARD][at] = 1e3 * means->backward[mode];
        v[COST_POSTPROCESS_FORWARD][at] = 1e3 * set->head.forward;
        v[COST_POSTPROCESS_BACKWARD][at] = 1e3 * set->head.backward;
        v[COST_ENCODER_STORED][at] = means->stored[mode] / 1e6;
        v[COST_ENCODER_PEAK][at] = means->stored[LAYERCOST_NONE] / 1e6;
    }
}

// A shape of micro-batches, with what its layers cost.
struct shaped {
    struct layercost_shape shape;
    struct layercost_set set;
    struct layer_means means;
};

static void price(const struct layercost_model *model, int32_t tensor_parallel, double rows,
                  double length, struct shaped *s)
{
    s->shape = (struct layercost_shape){.tp = tensor_parallel,
                                        .cp = 1,
                                        .ep = 1,
                                        .mbs = (int64_t)rows,
                                        .seq_length = (int64_t)length,
                                        .sp = tensor_parallel > 1};
    layercost_of(model, &s->shape, &s->set);
    s->means = means_of(model, &s->set);
}

// ---- encoders and decoders ------------------------------------------------------------------------

// Returns the share of the attention that the mask of a decoder leaves, which the costs count.
static double seen_of(const struct layercost_model *model, const struct shaped *s)
{
    return model->flash ? modeldesc_seen(&model->model, (double)s->shape.seq_length) : 1;
}

// No mask hides anything from an encoder.
static double unmasked(const struct layercost_model *model, const struct shaped *s)
{
    return s->set.dense.parts.attention * (1 / seen_of(model, s) - 1);
}

// Returns the forward of cross attention: queries and output of the target, keys and values of the input, half of the
// traffic and the exchanges of a layer of the target.
static double cross_of(const struct layercost_model *model, const struct shaped *input,
                       const struct shaped *target)
{
    const struct layercost *of = &target->set.dense;
    const double attention = target->set.attention_matrices / of->parameters,
                 lengths = (double)target->shape.seq_length / (double)input->shape.seq_length;
    return attention / 2 * (of->parts.gemm + input->set.dense.parts.gemm) +
           input->set.dense.parts.attention / seen_of(model, input) * lengths +
           (of->parts.memory + of->parts.tp) / 2;
}

// Returns what cross attention stores, bytes: its input, queries and output of the target, keys and values of the input.
static double cross_stored(const struct layercost_model *model, const struct shaped *input,
                           const struct shaped *target)
{
    const double tokens = (double)(target->shape.mbs * (3 * target->shape.seq_length +
                                                        2 * input->shape.seq_length));
    return 2 * tokens * (double)model->model.hidden / (double)target->shape.tp;
}

static void fill_encoder(const struct layercost_model *model, const struct shaped *s,
                         int64_t at, struct cost_tables *t)
{
    const double more = 1e3 * unmasked(model, s);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        double **v = t->values[type];
        v[COST_ENCODER_FORWARD][at] = 1e3 * s->means.forward + more;
        v[COST_ENCODER_BACKWARD][at] =
            1e3 * s->means.backward[mode_of[type]] + (type == DYNAPIPE_FULL ? 3 : 2) * more;
        v[COST_ENCODER_STORED][at] = s->means.stored[mode_of[type]] / 1e6;
        v[COST_ENCODER_PEAK][at] = s->means.stored[LAYERCOST_NONE] / 1e6;
    }
}

static void fill_decoder(const struct layercost_model *model, const struct shaped *input,
                         const struct shaped *target, int64_t at, struct cost_tables *t)
{
    const double cross = cross_of(model, input, target),
                 stored = cross_stored(model, input, target);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const bool full = type == DYNAPIPE_FULL;
        double **v = t->values[type];
        v[COST_DECODER_FORWARD][at] = 1e3 * (target->means.forward + cross);
        v[COST_DECODER_BACKWARD][at] =
            1e3 * (target->means.backward[mode_of[type]] + (full ? 3 : 2) * cross);
        v[COST_DECODER_STORED][at] =
            (target->means.stored[mode_of[type]] + (full ? 0 : stored)) / 1e6;
        v[COST_DECODER_PEAK][at] = (target->means.stored[LAYERCOST_NONE] + stored) / 1e6;
    }
}

static void fill_head(const struct shaped *target, int64_t at, struct cost_tables *t)
{
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        t->values[type][COST_POSTPROCESS_FORWARD][at] = 1e3 * target->set.head.forward;
        t->values[type][COST_POSTPROCESS_BACKWARD][at] = 1e3 * target->set.head.backward;
    }
}

// ---- tables ---------------------------------------------------------------------------------------

static bool allocate(bool has_decoder, int32_t tensor_parallel, const int32_t *rows,
                     int32_t n_rows, const int32_t *lengths, int32_t n_lengths,
                     struct cost_tables *t)
{
    *t = (struct cost_tables){.tensor_parallel = tensor_parallel,
                              .has_decoder = has_decoder,
                              .has = {true, true, true},
                              .nodes = {n_rows, n_lengths, has_decoder ? n_lengths : 0}};
    if (!cost_tables_allocate(t))
        return false;
    for (int32_t i = 0; i < n_rows; i++)
        t->axis[COST_ROWS][i] = rows[i];
    for (int32_t k = 0; k < n_lengths; k++) {
        t->axis[COST_INPUT][k] = lengths[k];
        if (has_decoder)
            t->axis[COST_TARGET][k] = lengths[k];
    }
    return true;
}

// Fills the cells of a number of rows and an input.
static void fill_cells(const struct layercost_model *model, int32_t i, int32_t k,
                       struct cost_tables *t)
{
    const double rows = t->axis[COST_ROWS][i], length = t->axis[COST_INPUT][k];
    const int64_t at = (int64_t)i * t->nodes[COST_INPUT] + k;
    struct shaped input, target;
    if (rows * length > MODEL_TABLES_TOKENS)
        return;
    price(model, t->tensor_parallel, rows, length, &input);
    t->embedding = 2 * input.set.embedding / 1e6;
    t->encoder = 2 * input.means.parameters / 1e6;
    if (!t->has_decoder) {
        fill(&input.means, &input.set, at, t);
        return;
    }
    t->decoder = t->encoder + 2 * input.set.attention_matrices / 1e6;
    fill_encoder(model, &input, at, t);
    fill_head(&input, at, t);
    for (int32_t j = 0; j < t->nodes[COST_TARGET]; j++) {
        if (rows * t->axis[COST_TARGET][j] > MODEL_TABLES_TOKENS)
            continue;
        price(model, t->tensor_parallel, rows, t->axis[COST_TARGET][j], &target);
        fill_decoder(model, &input, &target, at * t->nodes[COST_TARGET] + j, t);
    }
}

bool model_tables_make(const struct layercost_model *model, bool has_decoder,
                       int32_t tensor_parallel, const int32_t *rows, int32_t n_rows,
                       const int32_t *lengths, int32_t n_lengths, struct cost_tables *t)
{
    if (!allocate(has_decoder, tensor_parallel, rows, n_rows, lengths, n_lengths, t))
        return false;
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t k = 0; k < n_lengths; k++)
            fill_cells(model, i, k, t);
    return true;
}
