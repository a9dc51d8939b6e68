// SPDX-License-Identifier: Apache-2.0
// Reads objects by a table of their fields.
#include "base/document/fields.h"

#include "base/math/units.h"
#include "base/text/characters.h"
#include "base/text/nearest.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <string.h>

const char *docfields_name(const struct cJSON *item)
{
    return item->string != NULL ? item->string : "value";
}

// ---- fields by key ----------------------------------------------------------------------------

static int index_of_key(const struct docfields *table, const char *key)
{
    for (int i = 0; i < table->n_fields; i++)
        if (strcmp(table->fields[i].key, key) == 0)
            return i;
    return -1;
}

int docfields_index(const struct docfields *table, const char *name)
{
    const int i = index_of_key(table, name);
    if (i >= 0)
        return i;
    for (int a = 0; a < table->n_aliases; a++)
        if (strcmp(table->aliases[a].alias, name) == 0)
            return index_of_key(table, table->aliases[a].key);
    return -1;
}

// Names of two letters are near to many words and rarely meant.
static bool is_short(const char *name)
{
    return strlen(name) < 3;
}

static void consider_all(struct pps_nearest *nearest, const struct docfields *table)
{
    for (int i = 0; i < table->n_fields; i++)
        pps_nearest_consider(nearest, table->fields[i].key);
    for (int a = 0; a < table->n_aliases; a++)
        if (!is_short(table->aliases[a].alias))
            pps_nearest_consider(nearest, table->aliases[a].alias);
}

bool docfields_unknown(const struct docfields *const *tables, int n, const char *what,
                       const struct cJSON *item, struct pps_fault *fault)
{
    struct pps_nearest nearest = pps_nearest_to(item->string);
    for (int t = 0; t < n; t++)
        consider_all(&nearest, tables[t]);
    if (nearest.name == NULL)
        return pps_fault_set(fault, item, true, "%.60s: there is no such key in %s",
                             item->string, what);
    return pps_fault_set(fault, item, true,
                         "%.60s: there is no such key in %s; did you mean %s?", item->string,
                         what, nearest.name);
}

static bool note(const struct docfields *table, int i, const struct cJSON *item,
                 struct docitems *items, struct pps_fault *fault)
{
    const struct cJSON *before = items->item[i];
    if (cJSON_IsNull(item))
        return true;
    if (before != NULL && !cJSON_Compare(before, item, true))
        return pps_fault_set(fault, item, true, "%.60s: is %s, which %.60s gives another value",
                             item->string, table->fields[i].key, before->string);
    if (before == NULL)
        items->item[i] = item;
    return true;
}

bool docfields_find(const struct docfields *table, const struct cJSON *object, bool lenient,
                    struct docitems *items, struct pps_fault *fault)
{
    *items = (struct docitems){{NULL}};
    if (!cJSON_IsObject(object))
        return pps_fault_set(fault, object, false, "expected an object that describes %s",
                             table->what);
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        const int i = docfields_index(table, item->string);
        if (i < 0 && lenient)
            continue;
        if (i < 0)
            return docfields_unknown(&table, 1, table->what, item, fault);
        if (!note(table, i, item, items, fault))
            return false;
    }
    return true;
}

// ---- values ---------------------------------------------------------------------------------

static bool is_whole(double x)
{
    return x >= -9007199254740992.0 && x <= 9007199254740992.0 && x == (double)(int64_t)x;
}

static bool store_whole(const struct docfield *field, const cJSON *item, void *at,
                        struct pps_fault *fault)
{
    const double x = item->valuedouble;
    if (!cJSON_IsNumber(item) || !is_whole(x) || !(x >= field->min && x <= field->max))
        return pps_fault_set(fault, item, false, "%s: expected a whole number %.0f ... %.0f",
                             docfields_name(item), field->min, field->max);
    *(int64_t *)at = (int64_t)x;
    return true;
}

static bool store_real(const struct docfield *field, const cJSON *item, void *at,
                       struct pps_fault *fault)
{
    const bool above = field->kind == DOCFIELD_ABOVE;
    const double x = item->valuedouble;
    const bool fits = (above ? x > field->min : x >= field->min) && x <= field->max;
    if (!cJSON_IsNumber(item) || !fits)
        return pps_fault_set(fault, item, false,
                             above ? "%s: expected a number above %g, at most %g"
                                   : "%s: expected a number %g ... %g",
                             docfields_name(item), field->min, field->max);
    *(double *)at = x;
    return true;
}

static bool store_flag(const cJSON *item, void *at, struct pps_fault *fault)
{
    const bool number = cJSON_IsNumber(item);
    if (number ? item->valuedouble != 0 && item->valuedouble != 1 : !cJSON_IsBool(item))
        return pps_fault_set(fault, item, false, "%s: expected true or false",
                             docfields_name(item));
    *(bool *)at = number ? item->valuedouble == 1 : cJSON_IsTrue(item);
    return true;
}

static bool is_gib(const char *unit)
{
    char folded[4] = "";
    const size_t n = strlen(unit);
    if (n >= sizeof folded)
        return false;
    for (size_t i = 0; i < n; i++)
        folded[i] = (char)tolower((unsigned char)unit[i]);
    return n == 0 || pps_has_word("g gb gib", folded);
}

// Accepts digits with at most one decimal point, few enough to need no exponent.
static bool read_digits(const char **text, double *x)
{
    double scale = 0;
    int n = 0;
    *x = 0;
    for (; (**text >= '0' && **text <= '9') || (**text == '.' && scale == 0); (*text)++) {
        if (**text == '.') {
            scale = 1;
            continue;
        }
        *x = *x * 10 + (**text - '0');
        scale *= 10;
        if (++n > 15)
            return false;
    }
    if (scale > 0)
        *x /= scale;
    return n > 0;
}

static bool read_gib(const char *text, double *gib)
{
    if (!read_digits(&text, gib))
        return false;
    while (*text == ' ')
        text++;
    return is_gib(text);
}

// Reads a size in bytes from a number of GiB or from text: "55GB", "55 GiB", "55".
static bool store_gib(const struct cJSON *item, double *bytes, struct pps_fault *fault)
{
    const double largest = 1 << 20;
    double gib = 0;
    bool fits = cJSON_IsString(item) && read_gib(item->valuestring, &gib);
    if (cJSON_IsNumber(item)) {
        gib = item->valuedouble;
        fits = true;
    }
    if (!fits || !(gib > 0 && gib <= largest))
        return pps_fault_set(fault, item, false,
                             "%s: expected a number of GiB above 0, or the same as in \"55GB\"",
                             docfields_name(item));
    *bytes = gib * UNITS_GIB;
    return true;
}

static bool store(const struct docfield *field, const cJSON *item, void *at,
                  struct pps_fault *fault)
{
    switch (field->kind) {
    case DOCFIELD_WHOLE:
        return store_whole(field, item, at, fault);
    case DOCFIELD_REAL:
    case DOCFIELD_ABOVE:
        return store_real(field, item, at, fault);
    case DOCFIELD_FLAG:
        return store_flag(item, at, fault);
    case DOCFIELD_GIB:
        return store_gib(item, at, fault);
    case DOCFIELD_OWN:
        break;
    }
    return true;
}

bool docfields_store(const struct docfields *table, const struct docitems *items, void *record,
                     struct pps_fault *fault)
{
    for (int i = 0; i < table->n_fields; i++) {
        const struct docfield *field = &table->fields[i];
        if (items->item[i] == NULL)
            continue;
        if (!store(field, items->item[i], (char *)record + field->offset, fault))
            return false;
    }
    return true;
}

// ---- records as objects -------------------------------------------------------------------------

static size_t bytes_of(enum docfield_kind kind)
{
    return kind == DOCFIELD_WHOLE  ? sizeof(int64_t)
           : kind == DOCFIELD_FLAG ? sizeof(bool)
                                   : sizeof(double);
}

static bool add_field(const struct docfield *field, const void *at, cJSON *object)
{
    int64_t whole = 0;
    double real = 0;
    bool flag = false;
    if (field->kind == DOCFIELD_FLAG) {
        memcpy(&flag, at, sizeof flag);
        return cJSON_AddBoolToObject(object, field->key, flag) != NULL;
    }
    if (field->kind == DOCFIELD_WHOLE) {
        memcpy(&whole, at, sizeof whole);
        return cJSON_AddNumberToObject(object, field->key, (double)whole) != NULL;
    }
    memcpy(&real, at, sizeof real);
    if (field->kind == DOCFIELD_GIB)
        real /= UNITS_GIB;
    return cJSON_AddNumberToObject(object, field->key, real) != NULL;
}

bool docfields_add(const struct docfields *table, const void *record, const void *base,
                   struct cJSON *object)
{
    for (int i = 0; i < table->n_fields; i++) {
        const struct docfield *field = &table->fields[i];
        const char *at = (const char *)record + field->offset;
        if (field->kind == DOCFIELD_OWN ||
            (base != NULL &&
             memcmp(at, (const char *)base + field->offset, bytes_of(field->kind)) == 0))
            continue;
        if (!add_field(field, at, object))
            return false;
    }
    return true;
}
