// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/dynapipe_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int32_t read_axis(const cJSON *object, const char *name, double *axis)
{
    const cJSON *value;
    int32_t n = 0;
    cJSON_ArrayForEach (value, golden_item(object, name))
        axis[n++] = value->valuedouble;
    return n;
}

static void read_quantity(const cJSON *type, const char *name, struct dynapipe_quantity *q)
{
    const cJSON *line, *cell, *value;
    int32_t i = 0;
    q->is_present = cJSON_HasObjectItem(type, name);
    if (!q->is_present)
        return;
    cJSON_ArrayForEach (line, golden_item(type, name)) {
        int32_t j = 0;
        cJSON_ArrayForEach (cell, line) {
            int32_t k = 0;
            if (cJSON_IsArray(cell))
                cJSON_ArrayForEach (value, cell)
                    q->values[i][j][k++] = value->valuedouble;
            else
                q->values[i][j][0] = cell->valuedouble;
            j++;
        }
        i++;
    }
}

struct dynapipe_grid *dynapipe_grid_load(const char *name)
{
    static const char *const types[] = {"none", "full", "selective"};
    static const char *const quantities[GRID_QUANTITIES] = {
        "encoder_fw",        "encoder_bw",      "postprocess_fw", "postprocess_bw",
        "encoder_stored_mb", "encoder_peak_mb", "decoder_fw",     "decoder_bw",
        "decoder_stored_mb", "decoder_peak_mb"};
    struct dynapipe_grid *grid = calloc(1, sizeof *grid);
    char file[128];
    snprintf(file, sizeof file, "%s.json", name);
    cJSON *document = golden_of("dynapipe", file);
    grid->rows = read_axis(document, "micro_batch_sizes", grid->row_axis);
    grid->lengths = read_axis(document, "sequence_lengths", grid->length_axis);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const cJSON *tables = golden_item(golden_item(document, "recompute"), types[type]),
                    *state = golden_item(tables, "model_state_params_mb");
        for (int q = 0; q < GRID_QUANTITIES; q++)
            read_quantity(tables, quantities[q], &grid->quantities[type][q]);
        grid->has_decoder = cJSON_HasObjectItem(state, "decoder");
        grid->embedding = golden_real(state, "embedding");
        grid->encoder = golden_real(state, "encoder");
        grid->decoder = grid->has_decoder ? golden_real(state, "decoder") : 0;
    }
    cJSON_Delete(document);
    return grid;
}

// A place on an axis: between node `at` and the next.
struct place {
    int32_t at;
    double weight; // of the next node
};

static bool find(const double *axis, int32_t n, double x, struct place *place)
{
    int32_t i = 0;
    while (i < n - 2 && x >= axis[i + 1])
        i++;
    *place = (struct place){i, (x - axis[i]) / (axis[i + 1] - axis[i])};
    return x <= axis[n - 1];
}

static double over_two(const struct dynapipe_quantity *q, struct place b, struct place e,
                       int32_t k)
{
    const double low = (1 - e.weight) * q->values[b.at][e.at][k] +
                       e.weight * q->values[b.at][e.at + 1][k],
                 high = (1 - e.weight) * q->values[b.at + 1][e.at][k] +
                        e.weight * q->values[b.at + 1][e.at + 1][k];
    return fmax((1 - b.weight) * low + b.weight * high, 0);
}

static double over_three(const struct dynapipe_quantity *q, struct place b, struct place e,
                         struct place t)
{
    return (1 - t.weight) * over_two(q, b, e, t.at) + t.weight * over_two(q, b, e, t.at + 1);
}

static bool cost(void *self, enum dynapipe_recompute recompute, int32_t rows, int32_t input,
                 int32_t target, struct split_layer_cost *out)
{
    struct dynapipe_grid *grid = self;
    const struct dynapipe_quantity *q = grid->quantities[recompute];
    struct place b, e, t = {0, 0};
    grid->calls++;
    if (!find(grid->row_axis, grid->rows, rows, &b) ||
        !find(grid->length_axis, grid->lengths, input, &e) ||
        (grid->has_decoder && !find(grid->length_axis, grid->lengths, target, &t)))
        return false;
    const struct place head = grid->has_decoder ? t : e;
    out->encoder = over_two(&q[GRID_ENCODER_FORWARD], b, e, 0) +
                   over_two(&q[GRID_ENCODER_BACKWARD], b, e, 0);
    out->postprocess = over_two(&q[GRID_POSTPROCESS_FORWARD], b, head, 0) +
                       over_two(&q[GRID_POSTPROCESS_BACKWARD], b, head, 0);
    out->encoder_stored = over_two(&q[GRID_ENCODER_STORED], b, e, 0);
    out->encoder_peak = over_two(&grid->quantities[DYNAPIPE_KEEP][GRID_ENCODER_PEAK], b, e, 0);
    if (!grid->has_decoder)
        return true;
    out->decoder = over_three(&q[GRID_DECODER_FORWARD], b, e, t) +
                   over_three(&q[GRID_DECODER_BACKWARD], b, e, t);
    out->decoder_stored = over_three(&q[GRID_DECODER_STORED], b, e, t);
    out->decoder_peak =
        over_three(&grid->quantities[DYNAPIPE_KEEP][GRID_DECODER_PEAK], b, e, t);
    return true;
}

struct split_costs dynapipe_grid_costs(struct dynapipe_grid *grid)
{
    return (struct split_costs){cost, grid};
}
