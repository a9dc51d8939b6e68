// SPDX-License-Identifier: Apache-2.0
// Fills cost tables cell by cell.
#include "kernels/dynapipe/costs/model_tables.h"

static const int mode_of[DYNAPIPE_RECOMPUTE_TYPES] = {LAYERCOST_NONE, LAYERCOST_FULL,
                                                      LAYERCOST_SELECT};

// Returns the average of a quantity over the layers of a model.
static double average(const struct modeldesc *model, double dense, double moe)
{
    const double leading =
        model->experts == 0 ? (double)model->num_layers : (double)model->dense_layers;
    return (leading * dense + ((double)model->num_layers - leading) * moe) /
           (double)model->num_layers;
}

static void fill(const struct modeldesc *model,
                 const struct layercost_set *set,
                 int64_t at,
                 struct cost_tables *t)
{
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const int mode = mode_of[type];
        double **v = t->values[type];
        v[COST_ENCODER_FORWARD][at] =
            1e3 * average(model, set->dense.forward, set->moe.forward);
        v[COST_ENCODER_BACKWARD][at] =
            1e3 * average(model, set->dense.backward[mode], set->moe.backward[mode]);
        v[COST_POSTPROCESS_FORWARD][at] = 1e3 * set->head.forward;
        v[COST_POSTPROCESS_BACKWARD][at] = 1e3 * set->head.backward;
        v[COST_ENCODER_STORED][at] =
            average(model, set->dense.stored[mode], set->moe.stored[mode]) / 1e6;
        v[COST_ENCODER_PEAK][at] =
            average(model, set->dense.stored[LAYERCOST_NONE], set->moe.stored[LAYERCOST_NONE]) /
            1e6;
    }
}

bool model_tables_make(const struct layercost_model *model,
                       int32_t tensor_parallel,
                       const int32_t *rows,
                       int32_t n_rows,
                       const int32_t *lengths,
                       int32_t n_lengths,
                       struct cost_tables *t)
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
            fill(&model->model, &set, (int64_t)i * n_lengths + k, t);
            t->embedding = 2 * set.embedding / 1e6;
            t->encoder = 2 *
                         average(&model->model, set.dense.parameters,
                                 set.moe.parameters + set.moe.routed) /
                         1e6;
        }
    return true;
}
