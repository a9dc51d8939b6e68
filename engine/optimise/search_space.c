// SPDX-License-Identifier: Apache-2.0
// Divides the axes of an experiment into searched parameters and arms.
#include "engine/optimise/search_space.h"

#include "base/math/detmath.h"
#include "base/math/random.h"
#include "base/text/grow_list.h"
#include "base/text/text_buffer.h"
#include "engine/experiment/work_groups.h"
#include "engine/optimise/search_space_private.h"
#include "engine/space/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- domain -------------------------------------------------------------------------------------

static void sort_descending(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] > x[j - 1]; j--) {
            const double kept = x[j];
            x[j] = x[j - 1];
            x[j - 1] = kept;
        }
}

static void project(double *w, int n)
{
    double sorted[PPS_MOST_COORDINATES], sum = 0, shift = 0;
    for (int i = 0; i < n; i++)
        sorted[i] = w[i];
    sort_descending(sorted, n);
    for (int i = 0; i < n; i++) {
        sum += sorted[i];
        if (sorted[i] - (sum - 1) / (i + 1) > 0)
            shift = (sum - 1) / (i + 1);
    }
    for (int i = 0; i < n; i++)
        w[i] = fmax(w[i] - shift, 0);
}

void pps_domain_repair(const struct pps_domain *domain, double *x)
{
    for (int i = 0; i < domain->n_box; i++)
        x[i] = fmin(fmax(x[i], 0), 1);
    if (domain->n_weights > 0)
        project(x + domain->n_box, domain->n_weights);
}

void pps_domain_middle(const struct pps_domain *domain, double *x)
{
    for (int i = 0; i < pps_domain_size(domain); i++)
        x[i] = i < domain->n_box ? 0.5 : 1. / domain->n_weights;
}

void pps_domain_draw(const struct pps_domain *domain, uint64_t seed, uint64_t k, double *x)
{
    double sum = 0;
    for (int i = 0; i < pps_domain_size(domain); i++) {
        const uint64_t bits = pps_random_53(seed, k, PPS_FOR_START + (uint32_t)i);
        x[i] = ((double)bits + 0.5) * 0x1p-53;
        if (i >= domain->n_box)
            sum += x[i] = -detmath_log(x[i]);
    }
    for (int i = domain->n_box; i < pps_domain_size(domain); i++)
        x[i] /= sum;
}

// ---- arms -----------------------------------------------------------------------------------------

// Writes what tells the arm of a point: all parameters that are not searched, and the names of the
// composite axis.
static bool arm_key(const struct pps_search_space *s, const double *point,
                    struct text_buffer *key)
{
    const uint64_t members = s->composite != NULL ? s->composite->sets : 0;
    text_buffer_clear(key);
    for (int p = 0; p < s->experiment->kernel->n_params; p++) {
        const bool is_member = (members >> p & 1) != 0;
        if ((s->varied >> p & 1) == 0 || ((s->searched & ~members) >> p & 1) != 0)
            continue;
        if (is_member && point[p] >= 0)
            text_buffer_add(key, "#,");
        else
            text_buffer_add(key, "%.17g,", point[p]);
    }
    return !key->failed;
}

static enum pps_status group_of(struct pps_search_space *s, const double *point,
                                uint32_t *group, struct pps_error *err)
{
    struct text_buffer name = {.n = 0};
    int by[PPS_MAX_PARAMS];
    const int n_by = pps_work_groups(s->experiment, s->objective, by);
    text_buffer_add(&name, "%s", "");
    for (int i = 0; i < n_by; i++) {
        char text[PPS_CELL_TEXT];
        if ((s->searched >> by[i] & 1) != 0)
            continue;
        pps_value_text(&s->experiment->kernel->params[by[i]], point[by[i]], text);
        text_buffer_add(&name, "%s%s=%s", name.n > 0 ? " " : "",
                        s->experiment->kernel->params[by[i]].name, text);
    }
    enum pps_status status = name.failed ? pps_fail_memory(err, "the groups") : PPS_OK;
    if (status == PPS_OK)
        status = pps_string_pool_add(&s->groups, name.text, name.n, group, err);
    text_buffer_free(&name);
    return status;
}

enum pps_status pps_search_space_add(struct pps_search_space *s, const struct pps_arm *arm,
                                     struct pps_error *err)
{
    struct text_buffer key = {.n = 0};
    uint32_t id;
    if (s->n_arms == PPS_MOST_ARMS)
        return pps_fail(
            err, PPS_E_INPUT,
            "the parameters that are not searched have more than %d combinations; set "
            "some of them to one value, as in -s n=8, or search them with --over",
            PPS_MOST_ARMS);
    struct pps_arm *arms = pps_grow(s->arms, &s->room, s->n_arms + 1, sizeof *arms);
    s->arms = arms != NULL ? arms : s->arms;
    enum pps_status status = arms == NULL || !arm_key(s, arm->point, &key)
                                 ? pps_fail_memory(err, "the arms")
                                 : PPS_OK;
    if (status == PPS_OK)
        status = pps_string_pool_add(&s->keys, key.text, key.n, &id, err);
    if (status == PPS_OK && id == s->n_arms) {
        s->arms[s->n_arms] = *arm;
        status = group_of(s, arm->point, &s->arms[s->n_arms].group, err);
        s->n_arms += status == PPS_OK;
    }
    text_buffer_free(&key);
    return status;
}

// ---- points ---------------------------------------------------------------------------------------

static double rounded(double value, int decimals)
{
    double scale = 1;
    for (int i = 0; i < abs(decimals); i++)
        scale *= 10;
    return decimals >= 0 ? floor(value * scale + 0.5) / scale
                         : floor(value / scale + 0.5) * scale;
}

// Weights are whole multiples of the sum / 10^6, so that they add up to the sum exactly.
static void place_weights(const struct pps_arm *arm, const double *x, double *point)
{
    const double whole = 1e6;
    double rest = whole;
    int largest = 0;
    for (int i = 0; i < arm->domain.n_weights; i++) {
        point[arm->weights[i]] = floor(x[i] * whole + 0.5);
        rest -= point[arm->weights[i]];
        if (x[i] > x[largest])
            largest = i;
    }
    if (arm->domain.n_weights > 0)
        point[arm->weights[largest]] += rest;
    for (int i = 0; i < arm->domain.n_weights; i++)
        point[arm->weights[i]] = point[arm->weights[i]] * arm->sum / whole;
}

void pps_search_space_point(const struct pps_search_space *s, const struct pps_arm *arm,
                            const double *x, double *point)
{
    struct pps_axis_cell cell;
    memcpy(point, arm->point, sizeof arm->point);
    for (int i = 0; i < s->n_boxes; i++) {
        const struct pps_box *box = &s->boxes[i];
        const double value = box->low + x[i] * (box->high - box->low);
        point[box->param] =
            fmin(fmax(rounded(value, box->whole ? 0 : box->decimals), box->low), box->high);
    }
    place_weights(arm, x + s->n_boxes, point);
    for (int p = 0; p < s->experiment->kernel->n_params; p++)
        if ((s->searched >> p & 1) != 0)
            point[p] = pps_value_cell(&s->experiment->kernel->params[p], point[p], &cell);
}

bool pps_search_space_find(struct pps_search_space *s, const double *point, size_t *arm,
                           double *x)
{
    struct text_buffer key = {.n = 0};
    struct pps_error unused;
    uint32_t id = UINT32_MAX;
    const bool known = arm_key(s, point, &key) &&
                       pps_string_pool_add(&s->keys, key.text != NULL ? key.text : "", key.n,
                                           &id, &unused) == PPS_OK &&
                       id < s->n_arms;
    text_buffer_free(&key);
    if (!known)
        return false;
    *arm = id;
    for (int i = 0; i < s->n_boxes; i++)
        x[i] =
            (point[s->boxes[i].param] - s->boxes[i].low) / (s->boxes[i].high - s->boxes[i].low);
    for (int i = 0; i < s->arms[id].domain.n_weights; i++)
        x[s->n_boxes + i] = point[s->arms[id].weights[i]] / s->arms[id].sum;
    pps_domain_repair(&s->arms[id].domain, x);
    return true;
}

bool pps_search_space_allows(const struct pps_search_space *s, const double *point)
{
    const struct pps_space *space = &s->experiment->space;
    char why[PPS_WHY];
    for (int p = 0; p < space->kernel->n_params; p++)
        if ((s->searched >> p & 1) != 0 && point[p] >= 0 &&
            !pps_value_check(&space->kernel->params[p], point[p], why))
            return false;
    for (int r = 0; r < space->n_rules; r++)
        if (pps_expr_value(space->rules[r].expr, point) == 0)
            return false;
    return space->kernel->check(point, space->kernel->shared) == 0;
}

void pps_search_space_close(struct pps_search_space *s)
{
    free(s->arms);
    pps_string_pool_free(&s->keys);
    pps_string_pool_free(&s->groups);
    *s = (struct pps_search_space){.n_arms = 0};
}
