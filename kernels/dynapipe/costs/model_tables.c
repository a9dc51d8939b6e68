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

bool model_tables_make(const struct layercost_model *model, int32_t tensor_parallel,
                       const int32_t *rows, int32_t n_rows, const int32_t *lengths,
                       int32_t n_lengths, struct cost_tables *t)
{
    struct layercost_set set;
    *t = (struct cost_tables){.tensor_parallel = tensor_parallel,
                              .has = {true, true, true},
                              .nodes = {n_rows, n_lengths, 0}};
    if (!cost_tables_allocate(t))
        return false;
    for (int32_t i = 0; i < n_rows; i++)
        t->axis[COST_ROWS][i] = rows[i];
    for (int32_t k = 0; k < n_lengths; k++)
        t->axis[COST_INPUT][k] = lengths[k];
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t k = 0; k < n_lengths; k++) {
            const struct layercost_shape shape = {.tp = tensor_parallel,
                                                  .cp = 1,
                                                  .ep = 1,
                                                  .mbs = rows[i],
                                                  .seq_length = lengths[k],
                                                  .sp = tensor_parallel > 1};
            if ((int64_t)rows[i] * lengths[k] > MODEL_TABLES_TOKENS)
                continue;
            layercost_of(model, &shape, &set);
            const struct layer_means means = means_of(model, &set);
            fill(&means, &set, (int64_t)i * n_lengths + k, t);
            t->embedding = 2 * set.embedding / 1e6;
            t->encoder = 2 * means.parameters / 1e6;
        }
    return true;
}
