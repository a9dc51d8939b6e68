// SPDX-License-Identifier: Apache-2.0
// A hash table maps points to the text of their results.
#include "engine/run/known_rows.h"

#include "base/text/grow_list.h"
#include "base/text/hash_slots.h"
#include "engine/space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct pps_known_rows {
    int n_params;
    struct pps_key_map places; // of a point: 1 + offset of its results in `text`
    char *text;                // per row: a double and a byte (pps_reused), then the results
    size_t text_n, text_cap;
};

// ---- the table --------------------------------------------------------------------------------

static struct pps_key key_of(const struct pps_known_rows *reuse, const double *point)
{
    double values[PPS_MAX_PARAMS];
    for (int p = 0; p < reuse->n_params; p++)
        values[p] = point[p] + 0.0; // avoids negative zero
    const XXH128_hash_t hash = XXH3_128bits(values, (size_t)reuse->n_params * sizeof *values);
    return (struct pps_key){hash.low64, hash.high64};
}

static bool room_for_text(struct pps_known_rows *reuse, size_t n)
{
    char *text = pps_grow(reuse->text, &reuse->text_cap, reuse->text_n + n, 1);
    if (text != NULL)
        reuse->text = text;
    return text != NULL;
}

struct pps_known_rows *pps_known_rows_new(int n_params, double n_rows)
{
    struct pps_known_rows *reuse = calloc(1, sizeof *reuse);
    if (reuse == NULL)
        return NULL;
    reuse->n_params = n_params;
    if (pps_key_map_reserve(&reuse->places, (uint64_t)fmin(fmax(n_rows, 0), 1e10) + 1))
        return reuse;
    free(reuse);
    return NULL;
}

bool pps_known_rows_add(struct pps_known_rows *reuse, const double *point,
                        const struct pps_reused *row)
{
    const struct pps_key key = key_of(reuse, point);
    if (pps_key_map_find(&reuse->places, key) != 0)
        return true; // the point occurs twice
    if (!room_for_text(reuse, sizeof row->value + 1 + row->n) ||
        !pps_key_map_add(&reuse->places, key, reuse->text_n + 1))
        return false;
    char *out = reuse->text + reuse->text_n;
    memcpy(out, &row->value, sizeof row->value);
    out += sizeof row->value;
    *out++ = row->infeasible;
    memcpy(out, row->results, row->n);
    reuse->text_n += sizeof row->value + 1 + row->n;
    return true;
}

bool pps_known_rows_find(const struct pps_known_rows *reuse, const double *point,
                         struct pps_reused *found)
{
    const uint64_t at = pps_key_map_find(&reuse->places, key_of(reuse, point));
    if (at == 0)
        return false;
    const char *row = reuse->text + at - 1;
    memcpy(&found->value, row, sizeof found->value);
    found->infeasible = row[sizeof found->value] != 0;
    found->results = row + sizeof found->value + 1;
    found->n = strcspn(found->results, "\n") + 1;
    return true;
}

void pps_known_rows_close(struct pps_known_rows *reuse)
{
    if (reuse == NULL)
        return;
    pps_key_map_free(&reuse->places);
    free(reuse->text);
    free(reuse);
}
