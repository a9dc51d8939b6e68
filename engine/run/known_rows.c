// SPDX-License-Identifier: Apache-2.0
// A hash table maps points to the text of their results.
#include "engine/run/known_rows.h"

#include "base/text/grow_list.h"
#include "engine/space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// A point is identified by a 128-bit hash: among 10^9 rows, two points collide with a
// probability of 10^-21.
struct place {
    XXH128_hash_t key;
    uint64_t at; // 1 + offset of its results in `text`; 0: empty
};

struct pps_known_rows {
    int n_params;
    struct place *places;
    uint64_t cap, n; // cap is a power of two
    char *text;      // per row: a double and a byte (pps_reused), then the results
    size_t text_n, text_cap;
};

// ---- the table --------------------------------------------------------------------------------

static XXH128_hash_t key_of(const struct pps_known_rows *reuse, const double *point)
{
    double values[PPS_MAX_PARAMS];
    for (int p = 0; p < reuse->n_params; p++)
        values[p] = point[p] + 0.0; // avoids negative zero
    return XXH3_128bits(values, (size_t)reuse->n_params * sizeof *values);
}

static struct place *place_of(const struct pps_known_rows *reuse, XXH128_hash_t key)
{
    uint64_t at = key.low64 & (reuse->cap - 1);
    while (reuse->places[at].at != 0 && !XXH128_isEqual(reuse->places[at].key, key))
        at = (at + 1) & (reuse->cap - 1);
    return &reuse->places[at];
}

static bool resize(struct pps_known_rows *reuse, uint64_t cap)
{
    struct pps_known_rows larger = *reuse;
    larger.cap = cap;
    larger.places = calloc(cap, sizeof *larger.places);
    if (larger.places == NULL)
        return false;
    for (uint64_t i = 0; i < reuse->cap; i++)
        if (reuse->places[i].at != 0)
            *place_of(&larger, reuse->places[i].key) = reuse->places[i];
    free(reuse->places);
    *reuse = larger;
    return true;
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
    uint64_t cap = 1024;
    while ((double)cap * 0.75 < fmin(fmax(n_rows, 0), 1e10) + 1)
        cap *= 2;
    if (reuse == NULL)
        return NULL;
    reuse->n_params = n_params;
    if (resize(reuse, cap))
        return reuse;
    free(reuse);
    return NULL;
}

bool pps_known_rows_add(struct pps_known_rows *reuse,
                        const double *point,
                        const struct pps_reused *row)
{
    const XXH128_hash_t key = key_of(reuse, point);
    if (!room_for_text(reuse, sizeof row->value + 1 + row->n) ||
        (4 * (reuse->n + 1) > 3 * reuse->cap && !resize(reuse, 2 * reuse->cap)))
        return false;
    struct place *place = place_of(reuse, key);
    if (place->at != 0)
        return true; // the point occurs twice
    *place = (struct place){key, reuse->text_n + 1};
    reuse->n++;
    char *out = reuse->text + reuse->text_n;
    memcpy(out, &row->value, sizeof row->value);
    out += sizeof row->value;
    *out++ = row->infeasible;
    memcpy(out, row->results, row->n);
    reuse->text_n += sizeof row->value + 1 + row->n;
    return true;
}

bool pps_known_rows_find(const struct pps_known_rows *reuse,
                         const double *point,
                         struct pps_reused *found)
{
    const struct place *place = place_of(reuse, key_of(reuse, point));
    if (place->at == 0)
        return false;
    const char *row = reuse->text + place->at - 1;
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
    free(reuse->places);
    free(reuse->text);
    free(reuse);
}
