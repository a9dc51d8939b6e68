// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a flat, YAML or TOML document; the first byte selects the form. An
// accepted document must have a place for every value, and must read back after writing; a
// rejected document must have a place and a reason of one line.
#include "base/document/plain.h"
#include "base/edit/plain_write.h"
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
        require(place->item != NULL && place->value_at <= doc->n);
        require(place->key_at <= place->value_at);
        if (cJSON_IsNumber(place->item))
            require(__builtin_isfinite(place->item->valuedouble));
    }
}

// YAML can hold any document, TOML any document without null.
static void check_written(const struct plaindoc *doc, enum plaindoc_form form, bool same)
{
    struct text_buffer room = {.text = NULL};
    struct plaindoc again;
    struct pps_fault fault;
    docwrite(&room, form, doc->root);
    require(!room.failed);
    if (plaindoc_parse(&again, form, room.text != NULL ? room.text : "", room.n, &fault)) {
        require(!same || cJSON_Compare(doc->root, again.root, true));
        plaindoc_free(&again);
    } else {
        require(!same);
    }
    text_buffer_free(&room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plaindoc doc;
    struct pps_fault fault;
    if (size == 0)
        return 0;
    const enum plaindoc_form form = (enum plaindoc_form)(data[0] % 3);
    // An exact copy: AddressSanitizer finds reads beyond its end.
    char *text = malloc(size);
    require(text != NULL);
    memcpy(text, data + 1, size - 1);
    require(plaindoc_form_like(text, size - 1) <= PLAINDOC_YAML);
    const bool ok = plaindoc_parse(&doc, form, text, size - 1, &fault);
    free(text);
    if (!ok) {
        require_fault(&fault);
        return 0;
    }
    check_places(&doc);
    check_written(&doc, PLAINDOC_FLAT, false);
    check_written(&doc, PLAINDOC_YAML, true);
    check_written(&doc, PLAINDOC_TOML, form == PLAINDOC_TOML);
    plaindoc_free(&doc);
    return 0;
}
