// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a document of strategies. A strategy that is accepted has all layers of the model, and if it
// is canonical, it is the same one after it is written and read again. A strategy that is refused has a reason.
#include "base/document/plain.h"
#include "kernels/balance/documents/manual_read.h"
#include "kernels/balance/output/lists_text.h"
#include "tests/fuzz/support/require.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { STAGES = 4, LAYERS = 25, DOUBTS = 8 };

static struct balance_layers layers_of(void)
{
    struct balance_layers layers = {.layers = LAYERS, .forward = 1};
    for (int kind = 0; kind < BALANCE_KINDS; kind++) {
        layers.has[kind] = kind != BALANCE_SELECT_COMM;
        layers.activation_mb[kind] = 1;
        layers.backward[kind] = 2;
    }
    return layers;
}

static void read_again(const struct balance_layers *layers,
                       const struct balance_strategy *strategy)
{
    struct text_buffer text = {.text = NULL};
    struct plaindoc doc;
    struct pps_fault fault;
    struct balance_manual manual;
    balance_fragment_text(layers, strategy, &text);
    require(plaindoc_parse(&doc, PLAINDOC_YAML, text.text, text.n, &fault));
    require(balance_manual_read(doc.root, layers, STAGES, 7, &manual, &fault));
    const struct balance_strategy *again = &manual.entries[0].strategy;
    const size_t all = STAGES * (size_t)strategy->chunks;
    require(manual.n == 1 && again->count != NULL && again->chunks == strategy->chunks);
    require(memcmp(again->count, strategy->count, BALANCE_KINDS * all * sizeof(int32_t)) == 0);
    balance_manual_free(&manual);
    plaindoc_free(&doc);
    text_buffer_free(&text);
}

static void check(const struct balance_layers *layers, const struct balance_manual_entry *entry)
{
    int64_t sum = 0;
    const struct balance_strategy *strategy = &entry->strategy;
    require((strategy->count == NULL) == (entry->fault.text[0] != '\0'));
    if (strategy->count == NULL)
        return;
    require(entry->file_name[0] != '\0' && strchr(entry->file_name, '/') == NULL);
    for (size_t k = 0; k < BALANCE_KINDS * (size_t)STAGES * (size_t)strategy->chunks; k++) {
        require(strategy->count[k] >= 0);
        sum += strategy->count[k];
    }
    require(sum == LAYERS);
    if (balance_is_canonical(strategy))
        read_again(layers, strategy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct balance_layers layers = layers_of();
    struct plaindoc doc;
    struct pps_fault fault, doubts[DOUBTS];
    struct balance_manual manual;
    if (!plaindoc_parse(&doc, PLAINDOC_YAML, (const char *)data, n, &fault))
        return 0;
    if (balance_manual_read(doc.root, &layers, STAGES, 1, &manual, &fault))
        for (int32_t i = 0; i < manual.n; i++)
            check(&layers, &manual.entries[i]);
    else
        require(fault.text[0] != '\0');
    (void)balance_manual_doubts(doc.root, doubts, DOUBTS);
    balance_manual_free(&manual);
    plaindoc_free(&doc);
    return 0;
}
