// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a TOML document. An accepted document has a place with an end for every
// value; after values are set and removed in its text, the text is accepted again and has them. A
// rejected document has a place and a reason of one line.
#include "base/document/plain.h"
#include "base/edit/toml_edit.h"
#include "base/text/text_buffer.h"
#include "tests/fuzz/support/require.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count(const cJSON *item)
{
    size_t n = 1;
    for (const cJSON *child = item->child; child != NULL; child = child->next)
        n += count(child);
    return n;
}

static void check_places(const struct plaindoc *doc)
{
    require(cJSON_IsObject(doc->root) && count(doc->root) == doc->n_places);
    for (size_t i = 0; i < doc->n_places; i++) {
        const struct pps_json_place *place = &doc->places[i];
        require(place->item != NULL && place->key_at <= place->value_at);
        require(place->value_at <= place->value_end && place->value_end <= doc->n);
        if (cJSON_IsNumber(place->item))
            require(__builtin_isfinite(place->item->valuedouble));
    }
}

// Sets and removes keys that seeds have, and keys that no document has.
static void check_edit(const struct plaindoc *doc, const char *text, size_t n)
{
    static const char *const paths[] = {"a", "training.seq_len", "new.key"};
    struct text_edit edit = {.n = 0};
    struct toml_edit t;
    struct text_buffer out = {.text = NULL};
    struct plaindoc again;
    struct pps_fault fault;
    cJSON *value = cJSON_CreateString("it's");
    bool set[3];
    toml_edit_begin(&t, doc, &edit);
    for (int k = 0; k < 3; k++)
        set[k] = toml_set(&t, paths[k], value);
    cJSON_Delete(value);
    const bool removed = toml_remove(&t, "b") && toml_get(doc, "b") != NULL;
    toml_edit_end(&t);
    text_edit_apply(&edit, text, n, &out);
    require(!edit.failed && !out.failed);
    if (!plaindoc_parse(&again, PLAINDOC_TOML, out.text != NULL ? out.text : "", out.n, &fault))
        abort();
    for (int k = 0; k < 3; k++)
        require(!set[k] || strcmp(toml_get(&again, paths[k])->valuestring, "it's") == 0);
    require(!removed || toml_get(&again, "b") == NULL);
    plaindoc_free(&again);
    text_buffer_free(&out);
    text_edit_free(&edit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plaindoc doc;
    struct pps_fault fault;
    // An exact copy: AddressSanitizer finds reads beyond its end.
    char *text = malloc(size > 0 ? size : 1);
    require(text != NULL);
    memcpy(text, data, size);
    if (plaindoc_parse(&doc, PLAINDOC_TOML, text, size, &fault)) {
        check_places(&doc);
        check_edit(&doc, text, size);
        plaindoc_free(&doc);
    } else {
        require_fault(&fault);
    }
    free(text);
    return 0;
}
