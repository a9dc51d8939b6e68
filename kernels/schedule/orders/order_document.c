// SPDX-License-Identifier: Apache-2.0
// Reads and writes orders as documents.
#include "kernels/schedule/orders/order_document.h"

#include "base/document/fault.h"
#include "base/text/characters.h"
#include "kernels/schedule/orders/found_private.h"
#include "kernels/schedule/orders/pytorch_csv.h"

#include <stdlib.h>
#include <string.h>

// ---- forms --------------------------------------------------------------------------------------

enum order_form order_form_of(const char *text, size_t n)
{
    bool comment = false;
    for (size_t i = pps_utf8_mark(text, n); i < n; i++) {
        const char c = text[i];
        comment = c == '#' || (comment && c != '\n');
        if (comment || c == ' ' || c == '\t' || c == '\r' || c == '\n')
            continue;
        if (c == '{')
            return ORDER_FORM_JSON;
        return c == ',' || c == '(' || (c >= '0' && c <= '9') ? ORDER_FORM_PYTORCH
                                                              : ORDER_FORM_TEXT;
    }
    return ORDER_FORM_TEXT;
}

// ---- text ---------------------------------------------------------------------------------------

// Adds the operations of a device, whose text begins at byte `from` of the places.
static bool read_device(struct found *found, const struct order_source *source,
                        const char *text, size_t n, size_t from, struct pps_fault *fault)
{
    struct order_text_source line = {text, n, 0};
    struct order_text_operation op[2];
    struct order_text_fault wrong;
    for (int parts; (parts = order_text_next(&line, op, &wrong)) != 0;) {
        if (parts < 0)
            return order_source_fault(source, (int32_t)found->devices, from + wrong.at, fault,
                                      "%s", wrong.text);
        for (int k = 0; k < parts; k++) {
            op[k].at += from;
            if (!found_add(found, &op[k], fault))
                return false;
        }
    }
    return true;
}

static bool too_many(const struct found *found, const struct order_source *source, size_t at,
                     struct pps_fault *fault)
{
    return found->devices >= PIPELINE_DEVICES_MAX &&
           !order_source_fault(source, (int32_t)found->devices - 1, at, fault,
                               "more than %d devices", PIPELINE_DEVICES_MAX);
}

static bool read_lines(struct found *found, const struct order_source *source,
                       struct pps_fault *fault)
{
    for (size_t from = pps_utf8_mark(source->text, source->n), next; from < source->n;
         from = next) {
        const char *line = source->text + from, *end = memchr(line, '\n', source->n - from);
        size_t n = end != NULL ? (size_t)(end - line) : source->n - from;
        next = from + n + 1;
        const char *const comment = memchr(line, '#', n);
        n = comment != NULL ? (size_t)(comment - line) : n;
        const size_t before = found->n;
        if (!read_device(found, source, line, n, from, fault))
            return false;
        if (found->n == before)
            continue;
        if (too_many(found, source, from, fault) || !found_end_device(found, fault))
            return false;
    }
    return true;
}

// ---- JSON ---------------------------------------------------------------------------------------

static bool read_items(struct found *found, const struct order_source *source,
                       struct pps_fault *fault)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, source->lines) {
        const char *const text = item->valuestring;
        const size_t before = found->n;
        if (!cJSON_IsString(item))
            return pps_fault_set(fault, item, false,
                                 "order[%zu]: expected a text, as in \"F0.0 BW0.0\"",
                                 found->devices);
        if (too_many(found, source, 0, fault) ||
            !read_device(found, source, text, strlen(text), 0, fault))
            return false;
        if (found->n == before)
            return pps_fault_set(fault, item, false,
                                 "order[%zu]: the device has no operations; remove it",
                                 found->devices);
        if (!found_end_device(found, fault))
            return false;
    }
    return true;
}

bool order_document_of_json(struct order_document *document, const struct cJSON *root,
                            struct pps_fault *fault)
{
    struct found found = {.n = 0};
    *fault = (struct pps_fault){.line = 0};
    *document = (struct order_document){
        .source = {.form = ORDER_FORM_JSON, .lines = pps_json_member(root, "order")}};
    if (!cJSON_IsObject(root) || !cJSON_IsArray(document->source.lines))
        return pps_fault_set(fault, cJSON_IsObject(root) ? document->source.lines : root, false,
                             "expected \"order\", a list with a text per device, as in "
                             "{\"order\": [\"F0.0 BW0.0\"]}");
    const bool done =
        read_items(&found, &document->source, fault) && found_finish(&found, document, fault);
    found_free(&found);
    if (!done)
        order_document_free(document);
    return done;
}

// Sets line and column of a fault that names an item of a tree.
static void place_item(const struct pps_json *json, struct pps_fault *fault)
{
    struct pps_error err;
    if (fault->text[0] == '\0')
        return;
    (void)(fault->at_key ? pps_json_fail_key(json, fault->item, &err, "-")
                         : pps_json_fail(json, fault->item, &err, "-"));
    fault->line = err.line > 0 ? err.line : 1;
    fault->column = err.column > 0 ? err.column : 1;
    fault->item = NULL;
}

static bool read_json(struct order_document *document, const char *text, size_t n,
                      struct pps_fault *fault)
{
    struct pps_json json;
    struct pps_error err;
    const enum pps_status status = pps_json_parse(&json, "order", text, n, &err);
    if (status == PPS_E_INPUT) {
        pps_fault_set(fault, NULL, false, "%s", err.text);
        fault->line = err.line;
        fault->column = err.column;
    }
    if (status != PPS_OK)
        return false;
    const bool done = order_document_of_json(document, json.root, fault);
    if (done) {
        document->json = json;
    } else {
        place_item(&json, fault);
        pps_json_free(&json);
    }
    return done;
}

// ---- documents ----------------------------------------------------------------------------------

bool order_document_read(struct order_document *document, const char *text, size_t n,
                         struct pps_fault *fault)
{
    struct found found = {.n = 0};
    *fault = (struct pps_fault){.line = 0};
    *document = (struct order_document){
        .source = {.form = order_form_of(text, n), .text = text, .n = n}};
    if (document->source.form == ORDER_FORM_JSON)
        return read_json(document, text, n, fault);
    bool done;
    if (document->source.form == ORDER_FORM_PYTORCH) {
        done = pytorch_read(document, fault);
    } else {
        done = read_lines(&found, &document->source, fault) &&
               found_finish(&found, document, fault);
    }
    found_free(&found);
    if (!done) {
        fault->line = fault->line > 0 ? fault->line : 1;
        fault->column = fault->column > 0 ? fault->column : 1;
        order_document_free(document);
    }
    return done;
}

void order_document_free(struct order_document *document)
{
    free(document->device_of);
    free(document->places);
    free(document->messages.first);
    free(document->messages.list);
    free(document->message_places);
    order_free(document->order);
    pps_json_free(&document->json);
    *document = (struct order_document){.order = NULL};
}

struct pipeline *order_document_pipeline(const struct order_document *document)
{
    const struct pipeline_stage unit = {.f = 1, .b = 1, .w = 1, .r = 1};
    struct pipeline *pipeline = pipeline_new(&document->shape);
    if (pipeline == NULL)
        return NULL;
    memcpy(pipeline->device_of, document->device_of,
           (size_t)(document->shape.stages * document->shape.directions) *
               sizeof *pipeline->device_of);
    for (int32_t s = 0; s < document->shape.stages; s++)
        pipeline->stage[s] = unit;
    return pipeline;
}

// ---- writing ------------------------------------------------------------------------------------

static void write_lines(const struct pipeline *pipeline, const struct order *order, bool json,
                        struct text_buffer *out)
{
    if (json)
        text_buffer_add(out, "{\n  \"order\": [\n");
    for (int32_t d = 0; d < order->devices; d++) {
        text_buffer_add(out, json ? "    \"" : "");
        order_text_write(order, d, pipeline->shape.slices, out);
        text_buffer_add(out, !json ? "\n" : d + 1 < order->devices ? "\",\n" : "\"\n");
    }
    if (json)
        text_buffer_add(out, "  ]\n}\n");
}

bool order_write(enum order_form form, const struct pipeline *pipeline,
                 const struct order *order, struct text_buffer *out, struct pps_fault *fault)
{
    if (form == ORDER_FORM_PYTORCH)
        return pytorch_csv_write(pipeline, order, false, out, fault);
    write_lines(pipeline, order, form == ORDER_FORM_JSON, out);
    return !out->failed || order_source_no_memory(fault);
}
