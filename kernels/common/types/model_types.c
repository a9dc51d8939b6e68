// SPDX-License-Identifier: Apache-2.0
// Finds types in their tables, and walks over the keys of a type.
#include "kernels/common/types/model_types_private.h"

#include <stddef.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))

static const struct modeltype_table *const tables[] = {&modeltype_dense, &modeltype_experts,
                                                       &modeltype_mixers};

// clang-format off
static const struct modeltype_key common[] = {
    {"num_hidden_layers", KEY_NUM_LAYERS, NULL}, {"hidden_size", KEY_HIDDEN, NULL},
    {"num_attention_heads", KEY_HEADS, NULL}, {"vocab_size", KEY_VOCAB, NULL},
    {"tie_word_embeddings", KEY_TIED, NULL}, {"_name_or_path", KEY_NAME, NULL}, {NULL, 0, NULL},
};
// clang-format on

const struct modeltype *modeltype_at(int i)
{
    for (int t = 0; t < COUNT_OF(tables); t++) {
        if (i < tables[t]->n)
            return &tables[t]->rows[i];
        i -= tables[t]->n;
    }
    return NULL;
}

const struct modeltype *modeltype_find(const char *name)
{
    const struct modeltype *type;
    for (int i = 0; (type = modeltype_at(i)) != NULL; i++)
        if (strcmp(type->name, name) == 0)
            return type;
    return NULL;
}

const struct modeltype_key *modeltype_next(const struct modeltype *type,
                                           struct modeltype_walk *walk)
{
    while (walk->list < MODELTYPE_LISTS + 1) {
        const struct modeltype_key *list =
            walk->list < MODELTYPE_LISTS ? type->keys[walk->list] : common;
        if (list != NULL && list[walk->at].key != NULL)
            return &list[walk->at++];
        *walk = (struct modeltype_walk){walk->list + 1, 0};
    }
    return NULL;
}
