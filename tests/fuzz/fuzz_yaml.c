// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a YAML document. An accepted document must have one place for every value,
// within the text; copies must have the value of their source. A rejected document must have a place
// and a reason of one line. The tree must survive writing and reading. Its text must survive edits:
// afterwards every path has its new value.
#include "base/document/plain.h"
#include "base/edit/plain_write.h"
#include "base/edit/yaml_edit.h"
#include "base/text/text_buffer.h"
#include "tests/fuzz/support/require.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

// ---- edits --------------------------------------------------------------------------------------

enum { PATH_MAX_BYTES = 512 };

static bool is_simple(const char *key)
{
    return *key != '\0' && strlen(key) < 60 &&
           strspn(key, "abcdefghijklmnopqrstuvwxyz_") == strlen(key);
}

// Writes the path of a value that `choice` selects; the value has only simple keys above it. Returns
// false if there is none.
static bool choose(const cJSON *item, unsigned *choice, char *path, size_t n)
{
    for (const cJSON *child = item->child; child != NULL; child = child->next) {
        if (!cJSON_IsObject(item) || !is_simple(child->string) ||
            n + strlen(child->string) + 8 > PATH_MAX_BYTES)
            continue;
        const size_t length =
            (size_t)sprintf(path + n, "%s%s", n > 0 ? "." : "", child->string);
        if ((*choice)-- == 0)
            return true;
        if (choose(child, choice, path, n + length))
            return true;
    }
    path[n] = '\0';
    return false;
}

static void check_edit(const struct plaindoc *doc, const char *text, size_t n, unsigned choice)
{
    struct text_edit edit = {.changes = NULL};
    struct text_buffer out = {.text = NULL};
    struct yaml_edit y;
    struct plaindoc again;
    struct pps_fault fault = {.item = NULL};
    char path[PATH_MAX_BYTES] = "", added[PATH_MAX_BYTES + 8];
    unsigned left = choice;
    const bool found = choose(doc->root, &left, path, 0);
    snprintf(added, sizeof added, "%s%snew_key", found ? path : "", found ? "." : "");
    const cJSON *item = found ? yaml_get(doc, path) : doc->root;
    const bool grow = choice % 2 == 0 && (cJSON_IsObject(item) || cJSON_IsNull(item));
    if (!grow && !found)
        return;
    yaml_edit_begin(&y, doc, &edit);
    yaml_set_number(&y, grow ? added : path, 123456);
    if (!yaml_edit_end(&y, &fault)) {
        require(strstr(fault.text, "cannot be set here") != NULL);
        text_edit_free(&edit);
        return;
    }
    text_edit_apply(&edit, text, n, &out);
    require(!out.failed);
    require(
        plaindoc_parse(&again, PLAINDOC_YAML, out.text != NULL ? out.text : "", out.n, &fault));
    const cJSON *now = yaml_get(&again, grow ? added : path);
    require(cJSON_IsNumber(now) && now->valuedouble == 123456);
    plaindoc_free(&again);
    text_buffer_free(&out);
    text_edit_free(&edit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plaindoc doc;
    struct pps_fault fault;
    char *text = malloc(size + 1); // malloc(0) may return NULL
    require(text != NULL);
    memcpy(text, data, size);
    if (!plaindoc_parse(&doc, PLAINDOC_YAML, text, size, &fault)) {
        free(text);
        require_fault(&fault);
        return 0;
    }
    check_places(&doc);
    check_written(&doc);
    check_edit(&doc, text, size, size > 0 ? data[size / 2] % 16 : 0);
    free(text);
    plaindoc_free(&doc);
    return 0;
}
