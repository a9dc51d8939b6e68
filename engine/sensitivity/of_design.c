// SPDX-License-Identifier: Apache-2.0
// Analyses the rows of a design. The experiment in the manifest says which draw each row is: draws that
// were skipped have no row.
#include "engine/sensitivity/sensitivity_private.h"

#include "base/text/human.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/work_groups.h"
#include "engine/sensitivity/grid_effects.h"
#include "engine/sensitivity/indices.h"
#include "engine/space/sample_design.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct design {
    const struct pps_sensitivity_ask *ask;
    struct pps_experiment *experiment;
    struct pps_view view;
    int objective;
    struct pps_cursor *cursor;
    uint64_t n_draws; // of whole groups
    double *y;        // of each draw; NAN: it has no row or no value
    double *
        moved; // morris: part of its range by which a factor moved to come to this draw, signed
    uint64_t rows;
};

static enum pps_status refuse_selection(const struct pps_sensitivity_ask *ask,
                                        const struct cJSON *experiment, struct pps_error *err)
{
    const char *method =
        cJSON_GetStringValue(pps_json_member(pps_json_member(experiment, "sample"), "method"));
    if (ask->view.n_filters > 0)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s: the rows of a %s design belong together; remove the filter, or run "
            "the experiment with fewer values",
            ask->view.filters[0], method);
    if (ask->by != NULL && strcmp(ask->by, PPS_BY_NONE) != 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--by %s: the rows of a %s design belong together; run one design for "
                        "each value",
                        ask->by, method);
    return PPS_OK;
}

// ---- rows and draws -------------------------------------------------------------------------------

// Returns whether the row has the parameters of the cursor's point.
static bool is_point(const struct pps_cursor *cursor, const struct pps_cell *cells)
{
    const char *at = cursor->prefix, *end = at + cursor->prefix_n;
    for (int c = 0; c < cursor->space->n_columns; c++) {
        struct pps_cell cell;
        at = pps_cell_next(at, end, &cell);
        if (cell.n != cells[c].n || memcmp(cell.text, cells[c].text, cell.n) != 0)
            return false;
        if (at == NULL)
            break;
    }
    return true;
}

// Returns the place of an axis in its range, from 0 to 1; of an axis without order, the number of its
// value. *ordered: it has an order.
static double place_of(const struct pps_cursor *cursor, int d, bool *ordered)
{
    const struct pps_axis *axis = &cursor->space->axes[d];
    *ordered = pps_design_is_ordered(cursor->space, d);
    if (axis->kind == PPS_AXIS_CONTINUOUS)
        return (cursor->point[axis->param] - axis->start) / (axis->stop - axis->start);
    const struct pps_cursor_level *level = &cursor->level[d];
    if (!*ordered)
        return (double)level->at;
    return level->values.count > 1 ? (double)level->at / (double)(level->values.count - 1) : 0;
}

// Notes by how much the factor moved since the draw before, whose places are in `places`.
static void note_move(struct design *d, uint64_t k, double *places)
{
    const struct pps_space *space = &d->experiment->space;
    const int f = pps_morris_moved(space, k);
    for (int g = 0; g < space->sample->n_factors; g++) {
        bool ordered;
        const double place = place_of(d->cursor, space->sample->factors[g], &ordered);
        if (g == f)
            d->moved[k] = ordered ? place - places[g] : place != places[g];
        places[g] = place;
    }
}

static enum pps_status wrong_row(const struct design *d, struct pps_error *err)
{
    return pps_fail(
        err, PPS_E_INPUT,
        "%s: row %" PRIu64
        " is not the draw of the design that belongs here; the rows must be as `run` "
        "wrote them (a shard must be merged first)",
        d->view.path, pps_result_row(d->view.result));
}

// Takes the rows in order; the cursor skips the draws that have none.
static enum pps_status match_rows(struct design *d, struct pps_error *err)
{
    const struct pps_space *space = &d->experiment->space;
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    double places[PPS_MAX_AXES] = {0};
    pps_cursor_seek(d->cursor, space, 0);
    for (;; d->rows++) {
        const struct pps_cell *cells;
        enum pps_status status = pps_view_next(&d->view, &cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
        if (!pps_cursor_next(d->cursor, d->n_draws, left_out) || !is_point(d->cursor, cells))
            return wrong_row(d, err);
        const uint64_t k = d->cursor->index;
        if (pps_view_is_done(&d->view, cells))
            pps_cell_number(cells[d->objective], &d->y[k]);
        if (space->sample->method == PPS_SAMPLE_MORRIS)
            note_move(d, k, places);
        pps_cursor_step(d->cursor);
    }
}

static enum pps_status make_room(struct design *d, struct pps_error *err)
{
    d->n_draws = d->experiment->space.n_points;
    d->cursor = calloc(1, sizeof *d->cursor);
    d->y = malloc(d->n_draws * sizeof *d->y);
    d->moved = calloc(d->n_draws, sizeof *d->moved);
    if (d->cursor == NULL || d->y == NULL || d->moved == NULL)
        return pps_fail_memory(err, "the draws");
    for (uint64_t k = 0; k < d->n_draws; k++)
        d->y[k] = (double)NAN;
    return PPS_OK;
}

// ---- groups of draws ------------------------------------------------------------------------------

// Moves the groups whose draws all have values to the front and returns their number.
static uint64_t keep_whole(struct design *d, uint64_t group)
{
    uint64_t kept = 0;
    for (uint64_t j = 0; j < d->n_draws / group; j++) {
        bool whole = true;
        for (uint64_t m = 0; m < group && whole; m++)
            whole = !isnan(d->y[j * group + m]);
        if (whole)
            memmove(d->y + group * kept++, d->y + j * group, group * sizeof *d->y);
    }
    return kept;
}

// Writes the effects of all trajectories; an effect needs both of its draws.
static void list_effects(const struct design *d, uint64_t group, double *effect)
{
    const int n_factors = (int)group - 1;
    for (uint64_t k = 0; k < d->n_draws; k++) {
        const int f = pps_morris_moved(&d->experiment->space, k);
        if (f < 0)
            continue;
        const bool known = d->moved[k] != 0 && !isnan(d->y[k]) && !isnan(d->y[k - 1]);
        effect[k / group * (uint64_t)n_factors + (uint64_t)f] =
            known ? (d->y[k] - d->y[k - 1]) / d->moved[k] : (double)NAN;
    }
}

// ---- effects --------------------------------------------------------------------------------------

static void name_effects(const struct design *d, struct pps_sensitivity_group *group)
{
    const struct pps_space *space = &d->experiment->space;
    for (int f = 0; f < space->sample->n_factors; f++) {
        const struct pps_axis *axis = &space->axes[space->sample->factors[f]];
        struct pps_effect *e = &group->effects[group->n_effects++];
        *e = pps_effect_none();
        e->name[0] = '\0';
        for (int p = 0; p < space->kernel->n_params; p++)
            if ((axis->sets >> p & 1) != 0) {
                const size_t n = strlen(e->name);
                snprintf(e->name + n, sizeof e->name - n, "%s%s", n > 0 ? "+" : "",
                         space->kernel->params[p].name);
            }
        e->n_values = axis->count;
    }
}

static enum pps_status saltelli(struct design *d, struct pps_sensitivity_group *group,
                                struct pps_error *err)
{
    const struct pps_sample *sample = d->experiment->space.sample;
    const uint64_t kept = keep_whole(d, sample->group);
    const struct pps_sobol_sample groups = {d->y, kept, sample->n_factors};
    const struct pps_statistic statistic = {&groups, pps_sobol_indices, kept,
                                            2 * sample->n_factors};
    struct pps_estimate values[2 * PPS_MAX_AXES];
    group->kind = PPS_FROM_SALTELLI;
    if (kept < 2)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: fewer than 2 of %s groups of draws have all of their values; draw "
                        "more, or leave out "
                        "values that are infeasible",
                        d->view.path, pps_count_text((double)sample->count).text);
    const enum pps_status status = pps_bootstrap(&d->ask->bootstrap, &statistic, values, err);
    for (int f = 0; f < sample->n_factors && status == PPS_OK; f++) {
        group->effects[f].first = values[f];
        group->effects[f].total = values[sample->n_factors + f];
    }
    text_buffer_add(
        &group->notes,
        "first-order indices by Saltelli et al. 2010, total indices by Jansen 1999, "
        "from %s groups of %s draws\n",
        pps_count_text((double)kept).text, pps_count_text((double)sample->group).text);
    if (kept < sample->count)
        text_buffer_add(
            &group->notes,
            "%s of %s groups are left out, because a draw of each has no value (skipped, "
            "infeasible, failed or not computed): the indices describe the rest of "
            "the space, in which the parameters are not independent\n",
            pps_count_text((double)(sample->count - kept)).text,
            pps_count_text((double)sample->count).text);
    return status;
}

static enum pps_status morris(struct design *d, struct pps_sensitivity_group *group,
                              struct pps_error *err)
{
    const struct pps_sample *sample = d->experiment->space.sample;
    const int n = sample->n_factors;
    double *effect = malloc(sample->count * (size_t)n * sizeof *effect);
    struct pps_estimate *values = calloc((size_t)n * PPS_EFFECT_VALUES, sizeof *values);
    const struct pps_effects_sample effects = {effect, sample->count, n};
    const struct pps_statistic statistic = {&effects, pps_elementary_effects, sample->count,
                                            n * PPS_EFFECT_VALUES};
    enum pps_status status = PPS_OK;
    group->kind = PPS_FROM_MORRIS;
    if (effect == NULL || values == NULL) {
        status = pps_fail_memory(err, "the effects");
    } else {
        list_effects(d, sample->group, effect);
        status = pps_bootstrap(&d->ask->bootstrap, &statistic, values, err);
    }
    uint64_t known = 0;
    for (uint64_t i = 0; i < sample->count * (uint64_t)n && status == PPS_OK; i++)
        known += isnan(effect[i]) ? 0 : 1;
    for (int f = 0; f < n && status == PPS_OK; f++) {
        group->effects[f].mu_star = values[f * PPS_EFFECT_VALUES + PPS_MU_STAR];
        if (pps_design_is_ordered(&d->experiment->space, sample->factors[f]))
            group->effects[f].mu = values[f * PPS_EFFECT_VALUES + PPS_MU];
        group->effects[f].sigma = values[f * PPS_EFFECT_VALUES + PPS_SIGMA];
    }
    text_buffer_add(&group->notes,
                    "elementary effects by Morris 1991: the change over the whole range of a "
                    "parameter, from %s steps of %s trajectories; a step of a parameter "
                    "without order (names, weights) is any change of its value\n",
                    pps_count_text((double)known).text,
                    pps_count_text((double)sample->count).text);
    if (known < sample->count * (uint64_t)n)
        text_buffer_add(
            &group->notes,
            "%s of %s steps have no effect that is known, because a draw has no value "
            "(skipped, infeasible, failed or not computed) or the only value\n",
            pps_count_text((double)(sample->count * (uint64_t)n - known)).text,
            pps_count_text((double)(sample->count * (uint64_t)n)).text);
    free(effect);
    free(values);
    return status;
}

static void note_axes(const struct design *d, struct pps_sensitivity_group *group)
{
    const struct pps_space *space = &d->experiment->space;
    for (int f = 0; f < space->sample->n_factors; f++) {
        const struct pps_axis *axis = &space->axes[space->sample->factors[f]];
        const char *name = group->effects[f].name;
        if (axis->kind == PPS_AXIS_DEPENDENT)
            text_buffer_add(&group->notes,
                            "the range of %s depends on other parameters: its index is that of "
                            "its place in the range\n",
                            name);
        else if (__builtin_popcountll(axis->sets) > 1)
            text_buffer_add(&group->notes, "%s are set together and are one factor\n", name);
    }
}

static void describe(const struct design *d, struct pps_sensitivity_group *group)
{
    const struct pps_moments all = pps_moments_of(d->y, d->n_draws);
    group->rows = d->rows;
    group->missing = d->rows - all.n;
    group->mean = all.mean;
    group->variance = all.variance;
}

// ---- the whole ------------------------------------------------------------------------------------

static enum pps_status analyse(struct design *d, struct pps_sensitivity *s,
                               struct pps_error *err)
{
    const struct pps_sample *sample = d->experiment->space.sample;
    struct pps_sensitivity_group *group = s->groups = calloc(1, sizeof *s->groups);
    if (group == NULL)
        return pps_fail_memory(err, "the effects");
    s->n_groups = 1;
    group->name = strdup("");
    group->constant = strdup("");
    group->effects = calloc((size_t)sample->n_factors, sizeof *group->effects);
    if (group->name == NULL || group->constant == NULL || group->effects == NULL)
        return pps_fail_memory(err, "the effects");
    describe(d, group);
    name_effects(d, group);
    enum pps_status status =
        sample->method == PPS_SAMPLE_SALTELLI ? saltelli(d, group, err) : morris(d, group, err);
    note_axes(d, group);
    return status == PPS_OK ? pps_effects_sort(group, err) : status;
}

enum pps_status pps_sensitivity_of_design(const struct pps_sensitivity_ask *ask,
                                          const struct cJSON *experiment,
                                          struct pps_sensitivity *s, struct pps_error *err)
{
    struct design d = {.ask = ask};
    const struct pps_request request = {.kernels = ask->view.kernels,
                                        .digits = PPS_DEFAULT_DIGITS,
                                        .inputs = ask->inputs,
                                        .again = true};
    enum pps_status status = refuse_selection(ask, experiment, err);
    if (status == PPS_OK)
        status =
            pps_experiment_load_tree(&d.experiment, &request, ask->view.path, experiment, err);
    if (status == PPS_OK)
        status = pps_view_open(&d.view, &ask->view, err);
    if (status == PPS_OK)
        status = pps_view_objective(&d.view, "--objective", ask->objective, &d.objective, err);
    if (status == PPS_OK)
        status = pps_sensitivity_head(s, &d.view, d.objective, err);
    if (status == PPS_OK)
        status = make_room(&d, err);
    if (status == PPS_OK)
        status = match_rows(&d, err);
    if (status == PPS_OK)
        status = analyse(&d, s, err);
    free(d.cursor);
    free(d.y);
    free(d.moved);
    pps_view_close(&d.view);
    pps_experiment_free(d.experiment);
    return status;
}
