// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a YAML document. An accepted document must have one place for every value,
// within the text; copies must have the value of their source. A rejected document must have a place
// and a reason of one line. The tree must survive writing and reading.
#include "base/document/plain.h"
#include "base/document/plain_write.h"
#include "base/text/text_buffer.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

// Checks that the values of the tree are the next places in document order.
static void check_order(const struct plaindoc *doc, const cJSON *item, size_t *i)
{
    require(*i < doc->n_places && doc->places[(*i)++].item == item);
    for (const cJSON *child = item->child; child != NULL; child = child->next)
        check_order(doc, child, i);
}

static void check_places(const struct plaindoc *doc)
{
    size_t n = 0;
    require(cJSON_IsObject(doc->root));
    check_order(doc, doc->root, &n);
    require(n == doc->n_places);
    for (size_t i = 0; i < doc->n_places; i++) {
        const struct pps_json_place *place = &doc->places[i];
        require(place->key_at <= place->value_at && place->value_at <= place->value_end);
        require(place->value_end <= doc->n);
        if (cJSON_IsNumber(place->item))
            require(__builtin_isfinite(place->item->valuedouble));
        if (place->source != NULL)
            require(cJSON_Compare(place->source, place->item, true));
    }
}

static void check_fault(const struct pps_fault *fault)
{
    require(fault->line > 0 && fault->column > 0 && fault->text[0] != '\0');
    for (const char *c = fault->text; *c != '\0'; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f);
}

static void check_written(const struct plaindoc *doc)
{
    struct text_buffer text = {.text = NULL};
    struct plaindoc again;
    struct pps_fault fault;
    docwrite(&text, PLAINDOC_YAML, doc->root);
    require(!text.failed);
    require(plaindoc_parse(&again, PLAINDOC_YAML, text.text != NULL ? text.text : "", text.n,
                           &fault));
    require(cJSON_Compare(doc->root, again.root, true));
    plaindoc_free(&again);
    text_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plaindoc doc;
    struct pps_fault fault;
    char *text = malloc(size + 1); // malloc(0) may return NULL
    require(text != NULL);
    memcpy(text, data, size);
    const bool ok = plaindoc_parse(&doc, PLAINDOC_YAML, text, size, &fault);
    free(text);
    if (!ok) {
        check_fault(&fault);
        return 0;
    }
    check_places(&doc);
    check_written(&doc);
    plaindoc_free(&doc);
    return 0;
}
