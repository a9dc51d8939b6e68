// SPDX-License-Identifier: Apache-2.0
// Makes the keys of points and keeps the table of results.
#include "kernels/contention/memo.h"

#include "kernels/contention/model/shares.h"

#include <string.h>

// ---- keys -----------------------------------------------------------------------------------

// Appends rules 1 to 3 for the sets of kinds that can be active together: five bits for each
// set, and the parts for each set of several kinds that share by weight.
static int put_rules(const struct sim *s, struct contention_key *key, int n)
{
    uint64_t bits = 0;
    for (unsigned kinds = 1; kinds < 1u << CONTENTION_N_SHARING; kinds++) {
        const struct rule *rule = &s->rules[kinds];
        const bool together = s->together >> kinds & 1;
        if (together)
            bits |= (uint64_t)(1u | (unsigned)rule->weighted << 1 | rule->winners << 2)
                    << 5 * kinds;
        for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
            if (kinds >> kind & 1 && kinds != KIND_BIT(kind))
                key->word[n++] = together && rule->weighted ? rule->part[kind] : 0;
    }
    key->word[n++] = (double)bits;
    return n;
}

static int put_lengths(const struct sim *s, struct contention_key *key, int n)
{
    const struct contention_point *p = s->p;
    for (int k = 0; k < CONTENTION_N_LENGTHS; k++)
        key->word[n + k] = p->length[k] * s->per_unit;
    if (p->gpus == 1)
        key->word[n + PARAM_PROP_LEN - PARAM_FWD_LEN] = 0;
    n += CONTENTION_N_LENGTHS;
    const bool slows = !s->instant_sync || !s->instant_left;
    key->word[n++] = slows ? s->impact[1] : 0;
    key->word[n++] = slows ? s->impact[2] : 0;
    return n;
}

void contention_key(const struct sim *s, int wish, struct contention_key *key)
{
    const struct contention_point *p = s->p;
    int n = 0;
    key->word[n++] = p->n;
    key->word[n++] = p->gpus;
    key->word[n++] = p->sync_freq;
    key->word[n++] = (int)p->pipeline + 2 * (int)p->channels + 8 * s->congestion + 16 * wish;
    n = put_lengths(s, key, n);
    n = put_rules(s, key, n);
    while (n < MEMO_WORDS)
        key->word[n++] = 0;
}

enum { HASH_CHAINS = 4 }; // this many multiplications are independent
_Static_assert(MEMO_WORDS % HASH_CHAINS == 0, "every chain has as many words");

// Most words are short numbers with zeros in the lower bits, which choose the place. So each
// word is folded onto its lower half before the multiplication.
static uint64_t hash_in(uint64_t hash, uint64_t word)
{
    hash ^= word;
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
}

static uint64_t hash_of(const struct contention_key *key)
{
    uint64_t words[MEMO_WORDS], chain[HASH_CHAINS] = {0}, hash = 0;
    memcpy(words, key->word, sizeof words);
    for (int k = 0; k < MEMO_WORDS; k += HASH_CHAINS)
        for (int c = 0; c < HASH_CHAINS; c++)
            chain[c] = hash_in(chain[c], words[k + c]);
    for (int k = 0; k < HASH_CHAINS; k++)
        hash = hash_in(hash, chain[k]);
    return hash ^ hash >> 32;
}

// ---- the table ------------------------------------------------------------------------------

static bool holds(const struct contention_memo *memo, size_t at, uint64_t hash,
                  const struct contention_key *key)
{
    const struct contention_memo_place *place = &memo->place[at];
    return memo->hash[at] == hash && place->state != MEMO_EMPTY &&
           memcmp(&place->key, key, sizeof *key) == 0;
}

struct contention_memo_place *contention_memo_find(struct contention_memo *memo,
                                                   const struct contention_key *key)
{
    const uint64_t hash = hash_of(key);
    size_t at = hash & (MEMO_PLACES - 1);
    const size_t other = at ^ 1;
    if (holds(memo, at, hash, key))
        return &memo->place[at];
    if (holds(memo, other, hash, key))
        return &memo->place[other];
    if (memo->hash[at] != 0 && (memo->hash[other] == 0 || hash >> 63 != 0))
        at = other;
    memo->hash[at] = hash;
    memo->place[at].state = MEMO_EMPTY;
    memo->place[at].key = *key;
    return &memo->place[at];
}

static void scale_metrics(struct contention_result *result, double factor)
{
    result->ideal_time *= factor;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        result->latency[k] *= factor;
    contention_scale_parts(&result->critical, factor);
}

void contention_copy_result(struct contention_result *to, const struct contention_result *from,
                            double factor, bool has_metrics)
{
    if (has_metrics) {
        *to = *from;
        scale_metrics(to, factor);
    }
    to->total_time = from->total_time * factor;
    to->n_events = from->n_events;
    to->sensitivity = from->sensitivity;
    for (int k = 0; k < CONTENTION_N_SLOPES; k++)
        to->slope[k] = from->slope[k]; // without a unit
}
