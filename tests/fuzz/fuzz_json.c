// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a JSON document. An accepted document must have a place for every
// value; a rejected document must have a place and a reason of one line.
#include "base/document/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_place(const struct pps_json *json, const struct pps_json_place *place)
{
    char first = json->text[place->value_at];
    require(place->item != NULL && place->value_at < json->n);
    require(place->key_at <= place->value_at);
    require((place->item->string != NULL) == (place->key_at < place->value_at));
    if (place->item->string != NULL)
        require(json->text[place->key_at] == '"');
    require(!cJSON_IsObject(place->item) == (first != '{'));
    require(!cJSON_IsArray(place->item) == (first != '['));
    require(!cJSON_IsString(place->item) == (first != '"'));
    if (cJSON_IsNumber(place->item))
        require(__builtin_isfinite(place->item->valuedouble));
}

static void check_accepted(const struct pps_json *json)
{
    struct pps_error err;
    int line, column;
    const struct pps_json_place *last = &json->places[json->n_places - 1];
    for (size_t i = 0; i < json->n_places; i++)
        check_place(json, &json->places[i]);
    require(pps_json_fail_key(json, last->item, &err, "why") == PPS_E_INPUT && err.line > 0);
    pps_json_where(json, last->item, json->n / 2, &line, &column);
    require(line >= err.line && column > 0);
}

static void check_refused(enum pps_status status, const struct pps_error *err)
{
    // The scan must be at least as strict as the parser behind it.
    require(status == PPS_E_INPUT);
    require(err->line > 0 && err->column > 0 && err->text[0] != '\0');
    for (const char *c = err->text; *c != '\0'; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pps_json json;
    struct pps_error err;
    // An exact copy: AddressSanitizer finds reads beyond its end.
    char *text = malloc(size > 0 ? size : 1);
    enum pps_status status;
    require(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    status = pps_json_parse(&json, "fuzz", text, size, &err);
    free(text);
    if (status == PPS_OK)
        check_accepted(&json);
    else
        check_refused(status, &err);
    pps_json_free(&json);
    return 0;
}
