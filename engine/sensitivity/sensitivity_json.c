// SPDX-License-Identifier: Apache-2.0
// Writes an analysis of sensitivity as JSON, and as the data of a picture.
#include "engine/sensitivity/sensitivity_text.h"

#include "base/document/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- JSON -----------------------------------------------------------------------------------------

// Adds a number with all of its digits; nothing for a value that does not exist.
static void add_number(cJSON *object, const char *name, double value)
{
    struct text_buffer text = {.n = 0};
    if (!isfinite(value))
        return;
    text_buffer_add_number(&text, value);
    if (text.text != NULL)
        cJSON_AddRawToObject(object, name, text.text);
    text_buffer_free(&text);
}

static void add_estimate(cJSON *object, const char *name, const struct pps_estimate *e)
{
    if (isnan(e->value))
        return;
    cJSON *item = cJSON_AddObjectToObject(object, name);
    add_number(item, "value", e->value);
    add_number(item, "ci95", e->half);
}

static void add_mean(cJSON *object, const char *name, double mean, const char *at)
{
    if (isnan(mean))
        return;
    cJSON *item = cJSON_AddObjectToObject(object, name);
    add_number(item, "mean", mean);
    cJSON_AddStringToObject(item, "at", at);
}

static cJSON *effect_tree(const struct pps_effect *e, const char *factor)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "parameter", e->name);
    if (e->is_member)
        cJSON_AddStringToObject(object, "part_of", factor);
    if (e->n_values > 0)
        pps_json_add_count(object, "values", e->n_values);
    add_estimate(object, "first", &e->first);
    add_estimate(object, "total", &e->total);
    add_estimate(object, "mu_star", &e->mu_star);
    add_estimate(object, "mu", &e->mu);
    add_estimate(object, "sigma", &e->sigma);
    add_mean(object, "lowest", e->low, e->low_at);
    add_mean(object, "highest", e->high, e->high_at);
    return object;
}

static void add_notes(cJSON *object, const char *notes)
{
    cJSON *list = cJSON_AddArrayToObject(object, "notes");
    for (const char *at = notes; *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        char *line = strndup(at, n);
        if (line != NULL)
            cJSON_AddItemToArray(list, cJSON_CreateString(line));
        free(line);
        at += n + (at[n] == '\n');
    }
}

static cJSON *group_tree(const struct pps_sensitivity_group *g)
{
    cJSON *object = cJSON_CreateObject();
    const char *factor = "";
    cJSON_AddStringToObject(object, "group", g->name);
    cJSON_AddStringToObject(object, "analysis", pps_sensitivity_kind_name(g->kind));
    pps_json_add_count(object, "rows", g->rows);
    pps_json_add_count(object, "missing", g->missing);
    add_number(object, "mean", g->mean);
    add_number(object, "variance", g->variance);
    cJSON *effects = cJSON_AddArrayToObject(object, "effects");
    for (int e = 0; e < g->n_effects; e++) {
        if (!g->effects[e].is_member)
            factor = g->effects[e].name;
        cJSON_AddItemToArray(effects, effect_tree(&g->effects[e], factor));
    }
    add_notes(object, g->notes.text);
    return object;
}

void pps_sensitivity_json(const struct pps_sensitivity *s, FILE *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "objective", s->objective);
    cJSON_AddStringToObject(root, "unit", s->unit);
    if (s->partial[0] != '\0')
        cJSON_AddStringToObject(root, "partial", s->partial);
    cJSON *groups = cJSON_AddArrayToObject(root, "groups");
    for (size_t g = 0; g < s->n_groups; g++)
        cJSON_AddItemToArray(groups, group_tree(&s->groups[g]));
    pps_json_put(out, root);
}

// ---- the picture ----------------------------------------------------------------------------------

// A word of the data file: gnuplot separates words by blanks.
static const char *word(const char *text)
{
    return text[0] == '\0' ? "-" : text;
}

static void put_bar(size_t panel, const struct pps_effect *e, FILE *out)
{
    const bool morris = !isnan(e->mu_star.value);
    const struct pps_estimate first = morris ? e->mu_star : e->first;
    const struct pps_estimate second = morris ? e->sigma : e->total;
    fprintf(out, "%zu %s %.10g %.10g %.10g %.10g %.10g %s %.10g %s\n", panel, e->name,
            first.value, first.half, second.value, second.half, e->low, word(e->low_at),
            e->high, word(e->high_at));
}

static int count_factors(const struct pps_sensitivity_group *g)
{
    int n = 0;
    for (int e = 0; e < g->n_effects; e++)
        n += !g->effects[e].is_member;
    return n;
}

static void put_panel(size_t panel, const struct pps_sensitivity_group *g, FILE *out)
{
    const int factors = count_factors(g);
    fprintf(out, "# panel %s\n# analysis %s\n# mean %.10g\n# rows %llu\n# left-out %d\n",
            word(g->name), pps_sensitivity_kind_name(g->kind), g->mean,
            (unsigned long long)g->rows,
            factors > PPS_TORNADO_BARS ? factors - PPS_TORNADO_BARS : 0);
    int shown = 0;
    for (int e = 0; e < g->n_effects && shown < PPS_TORNADO_BARS; e++)
        if (!g->effects[e].is_member) {
            put_bar(panel, &g->effects[e], out);
            shown++;
        }
}

void pps_sensitivity_tornado(const struct pps_sensitivity *s, FILE *out)
{
    fprintf(out, "# objective %s\n", s->objective);
    if (s->unit[0] != '\0')
        fprintf(out, "# unit %s\n", s->unit);
    if (s->partial[0] != '\0')
        fprintf(out, "# partial %s\n", s->partial);
    fprintf(out, "# groups %zu\n", s->n_groups);
    for (size_t g = 0; g < s->n_groups && g < PPS_TORNADO_PANELS; g++)
        put_panel(g, &s->groups[g], out);
}
