// SPDX-License-Identifier: Apache-2.0
// Names places of orders in documents.
#include "base/document/fault.h"
#include "base/text/characters.h"
#include "base/text/number.h"
#include "kernels/schedule/orders/found_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool order_source_no_memory(struct pps_fault *fault)
{
    *fault = (struct pps_fault){.line = 0};
    return false;
}

// Only LF ends a line.
static void find_place(const struct order_source *source, size_t at, struct pps_fault *fault)
{
    size_t begin = 0;
    fault->line = 1;
    for (size_t i = 0; i < at; i++)
        if (source->text[i] == '\n') {
            begin = i + 1;
            fault->line++;
        }
    fault->column = 1 + (int)pps_utf8_count(source->text + begin, at - begin);
}

void order_source_place(const struct order_source *source, int32_t device, size_t at,
                        struct pps_fault *fault)
{
    *fault = (struct pps_fault){.line = 0};
    if (source->form == ORDER_FORM_JSON)
        fault->item = cJSON_GetArrayItem(source->lines, device);
    else
        find_place(source, at, fault);
}

int order_source_cell(const struct order_source *source, size_t at)
{
    int cell = 1;
    for (size_t i = at; i > 0 && source->text[i - 1] != '\n'; i--)
        cell += source->text[i - 1] == ',';
    return cell;
}

// Writes "row 2, cell 3 (1F3)" for a byte of a CSV.
static void name_cell(const struct order_source *source, size_t at, int row, char *out,
                      size_t n)
{
    const char *const text = source->text;
    size_t from = at, to = at;
    char word[40];
    while (from > 0 && text[from - 1] != ',' && text[from - 1] != '\n')
        from--;
    while (to < source->n && text[to] != ',' && text[to] != '\n' && text[to] != '\r')
        to++;
    while (from < to && (text[from] == ' ' || text[from] == '\t'))
        from++;
    while (to > from && (text[to - 1] == ' ' || text[to - 1] == '\t'))
        to--;
    number_text_quote(word, sizeof word, text + from, to - from);
    snprintf(out, n, to > from ? "row %d, cell %d (%s)" : "row %d, cell %d", row,
             order_source_cell(source, at), word);
}

bool order_source_fault(const struct order_source *source, int32_t device, size_t at,
                        struct pps_fault *fault, const char *format, ...)
{
    char text[400], place[120];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    order_source_place(source, device, at, fault);
    if (source->form == ORDER_FORM_JSON)
        snprintf(place, sizeof place, "order[%d], character %zu", device, at + 1);
    else if (source->form == ORDER_FORM_PYTORCH)
        name_cell(source, at, fault->line, place, sizeof place);
    else
        snprintf(place, sizeof place, "rank %d", device);
    return pps_fault_set(fault, fault->item, false, "%s: %s", place, text);
}
