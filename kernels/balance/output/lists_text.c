// SPDX-License-Identifier: Apache-2.0
// Writes the lists of a strategy as text.
#include "kernels/balance/output/lists_text.h"

// Appends the numbers of one chunk.
static void balance_list_row_text(const struct balance_layers *layers,
                                  const struct balance_strategy *strategy,
                                  enum balance_list list, int32_t chunk,
                                  struct text_buffer *text)
{
    for (int32_t s = 0; s < strategy->stages; s++)
        text_buffer_add(text, "%s%d", s == 0 ? "[" : ", ",
                        balance_listed(layers, strategy, list, chunk, s));
    text_buffer_add(text, "]");
}

void balance_list_text(const struct balance_layers *layers,
                       const struct balance_strategy *strategy, enum balance_list list,
                       struct text_buffer *text)
{
    for (int32_t v = 0; v < strategy->chunks; v++) {
        text_buffer_add(text, "%s", v == 0 ? "[" : ", ");
        balance_list_row_text(layers, strategy, list, v, text);
    }
    text_buffer_add(text, "]");
}

static void add_key(const struct balance_layers *layers,
                    const struct balance_strategy *strategy, enum balance_list list,
                    struct text_buffer *text)
{
    text_buffer_add(text, "%s: ", balance_list_names[list]);
    if (strategy->chunks == 1)
        balance_list_row_text(layers, strategy, list, 0, text);
    else
        balance_list_text(layers, strategy, list, text);
    text_buffer_add(text, "\n");
}

void balance_fragment_text(const struct balance_layers *layers,
                           const struct balance_strategy *strategy, struct text_buffer *text)
{
    text_buffer_add(text, "# %d layers over %d stages", layers->layers, strategy->stages);
    if (strategy->chunks > 1)
        text_buffer_add(text, " of %d chunks, one list per chunk", strategy->chunks);
    text_buffer_add(text, "; offsets against %d layers per %s.\n# model.model_config:\n",
                    layers->layers / (strategy->stages * strategy->chunks),
                    strategy->chunks > 1 ? "chunk" : "stage");
    add_key(layers, strategy, BALANCE_OFFSET, text);
    text_buffer_add(text, "pp_interleave_num: %d\n", strategy->chunks);
    if (strategy->chunks == 1)
        text_buffer_add(text, "# parallel.pipeline_config:\npipeline_interleave: false\n");
    text_buffer_add(text, "# recompute_config:\n");
    for (int list = BALANCE_LIST_FULL; list < BALANCE_LISTS; list++)
        add_key(layers, strategy, (enum balance_list)list, text);
}
