// SPDX-License-Identifier: Apache-2.0
// Keys of points and the table of results.
#include "memo.h"

#include "shares.h"

#include <string.h>

// ---- keys -----------------------------------------------------------------------------------

static void put_rule(const struct rule *rule, double *word)
{
    word[0] = 1 + rule->winners + 16 * rule->weighted;
    for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
        word[1 + kind] = rule->weighted ? rule->part[kind] : 0;
}

static int put_lengths(const struct sim *s, struct contention_key *key, int n)
{
    const struct contention_point *p = s->p;
    key->word[n++] = p->fwd_len * s->per_unit;
    key->word[n++] = p->bwd_len * s->per_unit;
    key->word[n++] = p->gpus > 1 ? p->prop_len * s->per_unit : 0;
    key->word[n++] = p->sync_base_len * s->per_unit;
    const bool slows = !s->instant_sync || !s->instant_left;
    key->word[n++] = slows ? s->impact[1] : 0;
    key->word[n++] = slows ? s->impact[2] : 0;
    return n;
}

void contention_key(const struct contention_point *p, struct contention_key *key)
{
    struct sim s = {.p = p};
    int n = 0;
    memset(key, 0, sizeof *key);
    contention_constants(&s, p);
    key->word[n++] = p->n;
    key->word[n++] = p->gpus;
    key->word[n++] = p->sync_freq;
    key->word[n++] = (int)p->pipeline + 2 * (int)p->channels + 8 * s.congestion;
    n = put_lengths(&s, key, n);
    for (unsigned kinds = 1; kinds < 1u << CONTENTION_N_SHARING; kinds++, n += 4)
        if (contention_together(&s, kinds))
            put_rule(&s.rules[kinds], &key->word[n]);
}

static uint64_t hash_of(const struct contention_key *key)
{
    uint64_t words[MEMO_WORDS], hash = 0;
    memcpy(words, key->word, sizeof words);
    for (int k = 0; k < MEMO_WORDS; k++)
        hash = (hash ^ words[k]) * 0x9e3779b97f4a7c15u + (hash >> 29);
    return hash ^ hash >> 32;
}

// ---- the table ------------------------------------------------------------------------------

// Multiplies every time in the result by a power of two.
static void scale_times(struct contention_result *result, double factor)
{
    result->total_time *= factor;
    result->ideal_time *= factor;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        result->latency[k] *= factor;
}

enum contention_status contention_recall(struct contention_memo *memo,
                                         const struct contention_point *point,
                                         bool want_metrics,
                                         bool exact,
                                         void *scratch,
                                         const atomic_bool *stop,
                                         struct contention_result *result,
                                         bool *simulated)
{
    const double unit = contention_unit(point);
    struct contention_key key;
    contention_key(point, &key);
    struct contention_memo_place *place = &memo->place[hash_of(&key) & (MEMO_PLACES - 1)];
    *simulated = !place->used || memcmp(&place->key, &key, sizeof key) != 0;
    if (!*simulated) {
        *result = place->result;
        scale_times(result, unit);
        return CONTENTION_DONE;
    }
    enum contention_status status =
        contention_simulate(point, want_metrics, exact, scratch, stop, result);
    if (status != CONTENTION_DONE)
        return status;
    *place = (struct contention_memo_place){true, key, *result};
    scale_times(&place->result, 1 / unit);
    return status;
}
