// SPDX-License-Identifier: Apache-2.0
// Interpolates in cost tables.
#include "kernels/dynapipe/costs/cost_tables.h"

#include <math.h>
#include <stdlib.h>

const char *const cost_quantity_names[COST_QUANTITIES] = {
    "encoder_fw",      "encoder_bw",     "decoder_fw",        "decoder_bw",
    "postprocess_fw",  "postprocess_bw", "encoder_stored_mb", "decoder_stored_mb",
    "encoder_peak_mb", "decoder_peak_mb"};

const char *const cost_recompute_names[DYNAPIPE_RECOMPUTE_TYPES] = {"none", "full",
                                                                    "selective"};

static bool is_of_decoder(enum cost_quantity quantity)
{
    return quantity == COST_DECODER_FORWARD || quantity == COST_DECODER_BACKWARD ||
           quantity == COST_DECODER_STORED || quantity == COST_DECODER_PEAK;
}

static bool is_postprocess(enum cost_quantity quantity)
{
    return quantity == COST_POSTPROCESS_FORWARD || quantity == COST_POSTPROCESS_BACKWARD;
}

void cost_axes_of(const struct cost_tables *tables, enum cost_quantity quantity,
                  enum cost_axis axes[COST_AXES], int *n)
{
    axes[0] = COST_ROWS;
    axes[1] = is_postprocess(quantity) && tables->has_decoder ? COST_TARGET : COST_INPUT;
    axes[2] = COST_TARGET;
    *n = is_of_decoder(quantity) ? 3 : 2;
}

int64_t cost_values_of(const struct cost_tables *tables, enum cost_quantity quantity)
{
    enum cost_axis axes[COST_AXES];
    int n;
    int64_t values = 1;
    if (is_of_decoder(quantity) && !tables->has_decoder)
        return 0;
    cost_axes_of(tables, quantity, axes, &n);
    for (int a = 0; a < n; a++)
        values *= tables->nodes[axes[a]];
    return values;
}

static void take(struct cost_tables *t, struct room *room)
{
    for (int a = 0; a < COST_AXES; a++)
        t->axis[a] = room_take(room, (size_t)t->nodes[a], sizeof *t->axis[a]);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int q = 0; q < COST_QUANTITIES; q++) {
            const int64_t n = t->has[type] ? cost_values_of(t, (enum cost_quantity)q) : 0;
            t->values[type][q] = n > 0 ? room_take(room, (size_t)n, sizeof(double)) : NULL;
            for (int64_t k = 0; k < n && room->memory != NULL; k++)
                t->values[type][q][k] = (double)NAN;
        }
}

bool cost_tables_allocate(struct cost_tables *tables)
{
    struct room room = {NULL, 0};
    take(tables, &room);
    tables->memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (tables->memory == NULL)
        return false;
    room = (struct room){tables->memory, 0};
    take(tables, &room);
    return true;
}

void cost_tables_free(struct cost_tables *tables)
{
    free(tables->memory);
    tables->memory = NULL;
}

// ---- interpolation --------------------------------------------------------------------------------

// A place on an axis: between node `at` and the next one.
struct place {
    int32_t at;
    double next; // weight of the next node; may be negative below the first node
};

static bool find(const double *axis, int32_t n, double x, struct place *place)
{
    int32_t low = 0, high = n - 1;
    if (n == 0 || x > axis[n - 1])
        return false;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (x >= axis[middle])
            low = middle;
        else
            high = middle;
    }
    *place = (struct place){low, n == 1 ? 0 : (x - axis[low]) / (axis[low + 1] - axis[low])};
    return true;
}

// Returns the value at a place, where values of neighbouring nodes lie `step` apart. Nodes that do not count may be NAN.
static double between(const double *values, const struct place *place, int64_t step)
{
    const double *first = values + place->at * step;
    return place->next == 0   ? first[0]
           : place->next == 1 ? first[step]
                              : (1 - place->next) * first[0] + place->next * first[step];
}

static double on_plane(const struct cost_tables *t, const enum cost_axis axes[COST_AXES],
                       const double *values, const struct place *places, int64_t step)
{
    const int64_t line = t->nodes[axes[1]] * step;
    const double lines[2] = {
        between(values + places[0].at * line, &places[1], step),
        places[0].next == 0 ? 0 : between(values + (places[0].at + 1) * line, &places[1], step),
    };
    const struct place first = {0, places[0].next};
    return between(lines, &first, 1);
}

// Looks up a quantity at places of all its axes, in the order of the axes of the tables.
static bool look_up(const struct cost_tables *t, enum dynapipe_recompute recompute,
                    enum cost_quantity quantity, const struct place all[COST_AXES],
                    double *value)
{
    const double *values = t->values[recompute][quantity];
    enum cost_axis axes[COST_AXES];
    int n;
    double found;
    if (values == NULL)
        return false;
    cost_axes_of(t, quantity, axes, &n);
    const struct place places[] = {all[axes[0]], all[axes[1]]};
    if (n == 2) {
        found = on_plane(t, axes, values, places, 1);
    } else {
        const struct place third = all[axes[2]], first = {0, third.next};
        const int64_t step = t->nodes[COST_TARGET];
        const double planes[2] = {
            on_plane(t, axes, values + third.at, places, step),
            third.next == 0 ? 0 : on_plane(t, axes, values + third.at + 1, places, step),
        };
        found = between(planes, &first, 1);
    }
    *value = found < 0 ? 0 : found;
    return !isnan(found);
}

bool cost_tables_lookup(const struct cost_tables *t, enum dynapipe_recompute recompute,
                        enum cost_quantity quantity, const int32_t at[COST_AXES], double *value)
{
    enum cost_axis axes[COST_AXES];
    struct place places[COST_AXES];
    int n;
    cost_axes_of(t, quantity, axes, &n);
    for (int a = 0; a < n; a++)
        if (!find(t->axis[axes[a]], t->nodes[axes[a]], at[axes[a]], &places[axes[a]]))
            return false;
    return look_up(t, recompute, quantity, places, value);
}

bool cost_tables_layer(void *self, enum dynapipe_recompute recompute, int32_t rows,
                       int32_t input, int32_t target, struct split_layer_cost *out)
{
    static const enum cost_quantity quantities[] = {
        COST_ENCODER_FORWARD,      COST_ENCODER_BACKWARD, COST_POSTPROCESS_FORWARD,
        COST_POSTPROCESS_BACKWARD, COST_ENCODER_STORED,   COST_ENCODER_PEAK,
        COST_DECODER_FORWARD,      COST_DECODER_BACKWARD, COST_DECODER_STORED,
        COST_DECODER_PEAK};
    const struct cost_tables *t = self;
    const int32_t at[COST_AXES] = {rows, input, target};
    const int n = t->has_decoder ? 10 : 6, axes = t->has_decoder ? 3 : 2;
    struct place places[COST_AXES];
    double v[10] = {0};
    for (int a = 0; a < axes; a++)
        if (!find(t->axis[a], t->nodes[a], at[a], &places[a]))
            return false;
    for (int k = 0; k < n; k++) {
        const enum cost_quantity q = quantities[k];
        const bool peak = q == COST_ENCODER_PEAK || q == COST_DECODER_PEAK;
        if (!look_up(t, peak ? DYNAPIPE_KEEP : recompute, q, places, &v[k]))
            return false;
    }
    *out = (struct split_layer_cost){.encoder = v[0] + v[1],
                                     .decoder = v[6] + v[7],
                                     .postprocess = v[2] + v[3],
                                     .encoder_stored = v[4],
                                     .decoder_stored = v[8],
                                     .encoder_peak = v[5],
                                     .decoder_peak = v[9]};
    return true;
}

double cost_state_factor(int32_t zero, int32_t data_parallel)
{
    const double k = data_parallel;
    return (zero >= 3 ? 1 / k : 1) + (zero >= 2 ? 1 / k : 1) + 6 / (zero >= 1 ? k : 1);
}
