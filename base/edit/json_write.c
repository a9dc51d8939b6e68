// SPDX-License-Identifier: Apache-2.0
// Writes values as JSON.
#include "base/edit/json_write.h"

#include "base/text/decimal.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

// JSON readers round whole numbers of 2^53 and more unless they have a point or an exponent.
void json_write_number(struct text_buffer *out, double value)
{
    char text[PPS_DECIMAL_CAP];
    if (!isfinite(value)) {
        text_buffer_add(out, "null");
        return;
    }
    const size_t n = pps_decimal_full(text, value);
    text_buffer_add_bytes(out, text, n);
    if (fabs(value) >= 0x1p53 && memchr(text, '.', n) == NULL && memchr(text, 'e', n) == NULL)
        text_buffer_add(out, ".0");
}

void json_write_text(struct text_buffer *out, const char *text)
{
    text_buffer_add(out, "\"");
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == 0x7f)
            text_buffer_add(out, "\\u%04x", c);
        else
            text_buffer_add(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    text_buffer_add(out, "\"");
}

void json_write_tree(struct text_buffer *out, const struct cJSON *value)
{
    const bool is_object = cJSON_IsObject(value);
    if (cJSON_IsNumber(value)) {
        json_write_number(out, value->valuedouble);
    } else if (cJSON_IsString(value)) {
        json_write_text(out, value->valuestring);
    } else if (is_object || cJSON_IsArray(value)) {
        text_buffer_add(out, is_object ? "{" : "[");
        for (const cJSON *item = value->child; item != NULL; item = item->next) {
            if (item != value->child)
                text_buffer_add(out, ", ");
            if (is_object) {
                json_write_text(out, item->string);
                text_buffer_add(out, ": ");
            }
            json_write_tree(out, item);
        }
        text_buffer_add(out, is_object ? "}" : "]");
    } else {
        text_buffer_add(out, cJSON_IsTrue(value)    ? "true"
                             : cJSON_IsFalse(value) ? "false"
                                                    : "null");
    }
}
