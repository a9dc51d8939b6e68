// SPDX-License-Identifier: Apache-2.0
// Chooses the columns of a cut: its axes, its value, and the columns that distinguish its maps.
#include "engine/slice/slice_private.h"

#include <stdlib.h>
#include <string.h>

const char *pps_reduce_word(enum pps_reduce reduce)
{
    static const char *const words[] = {"none", "min", "max", "mean", "first", "last"};
    return words[reduce];
}

enum pps_status pps_reduce_parse(const char *word, enum pps_reduce *reduce,
                                 struct pps_error *err)
{
    *reduce = PPS_REDUCE_NONE;
    for (int i = PPS_REDUCE_MIN; word != NULL && i <= PPS_REDUCE_LAST; i++)
        if (strcmp(word, pps_reduce_word((enum pps_reduce)i)) == 0)
            *reduce = (enum pps_reduce)i;
    if (word == NULL || *reduce != PPS_REDUCE_NONE)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--reduce %s: write min, max, mean, first or last", word);
}

static enum pps_status find_axis(const struct pps_slices *cut, const char *option,
                                 const char *name, const char *fallback, int *column,
                                 struct pps_error *err)
{
    if (name != NULL)
        return pps_view_column(&cut->view, option, name, column, err);
    *column = fallback == NULL ? -1 : pps_result_find(cut->view.result, fallback);
    if (*column >= 0)
        return PPS_OK;
    if (fallback != NULL)
        return pps_fail(err, PPS_E_INPUT, "%s has no column %s; name the axis: %s COLUMN",
                        cut->view.path, fallback, option);
    return pps_fail(err, PPS_E_INPUT, "%s: cannot tell what to draw; name the axis: %s COLUMN",
                    cut->view.path, option);
}

// The axes of a result whose kernel is not known: its first two parameters.
static struct pps_heatmap first_axes(const struct pps_view *view)
{
    struct pps_heatmap map = {0};
    for (int i = 0; i < view->n_columns && view->roles_known && map.y == NULL; i++) {
        if (view->columns[i].role != PPS_ROLE_PARAM)
            continue;
        map.y = map.x != NULL ? view->columns[i].name : NULL;
        map.x = map.x != NULL ? map.x : view->columns[i].name;
    }
    return map;
}

static enum pps_status find_axes(struct pps_slices *cut, const struct pps_slice_ask *ask,
                                 struct pps_error *err)
{
    const struct pps_kernel *kernel = cut->view.kernel;
    const struct pps_heatmap first = first_axes(&cut->view);
    const struct pps_heatmap *map = kernel == NULL ? &first : &kernel->heatmap;
    const char *value = ask->value;
    if (value == NULL && map->value != NULL &&
        pps_result_find(cut->view.result, map->value) >= 0)
        value = map->value;
    enum pps_status status = find_axis(cut, "--x", ask->x, map->x, &cut->x, err);
    if (status == PPS_OK)
        status = find_axis(cut, "--y", ask->y, map->y, &cut->y, err);
    if (status == PPS_OK)
        status = pps_view_objective(&cut->view, "--value", value, &cut->value, err);
    if (status != PPS_OK)
        return status;
    cut->asked_axes = ask->x != NULL || ask->y != NULL;
    cut->asked_value = ask->value != NULL;
    if (cut->x == cut->y || cut->x == cut->value || cut->y == cut->value)
        return pps_fail(err, PPS_E_INPUT,
                        "--x, --y and --value must be three columns; %s is two",
                        cut->view.columns[cut->x == cut->y ? cut->x : cut->value].name);
    return PPS_OK;
}

bool pps_slice_tells_apart(const struct pps_slices *cut, int column)
{
    if (column == cut->x || column == cut->y || column == cut->value)
        return false;
    return cut->view.roles_known ? cut->view.columns[column].role == PPS_ROLE_PARAM
                                 : column < cut->value;
}

// Adds the columns of a list that the result has and that are not axes.
static void add_known(struct pps_slices *cut, const char *list)
{
    char name[128];
    for (; *list != '\0'; list += *list == ',') {
        const size_t n = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, list);
        const int column = pps_result_find(cut->view.result, name);
        if (column >= 0 && column != cut->x && column != cut->y && column != cut->value)
            cut->by[cut->n_by++] = column;
        list += n;
    }
}

// Returns how the rows of one cell are combined by default.
static enum pps_reduce usual_reduce(const struct pps_slices *cut)
{
    const struct pps_kernel *kernel = cut->view.kernel;
    const enum pps_goal goal = cut->view.columns[cut->value].goal;
    if (kernel == NULL || !kernel->heatmap.best || goal == PPS_NEUTRAL)
        return PPS_REDUCE_NONE;
    return goal == PPS_HIGHER ? PPS_REDUCE_MAX : PPS_REDUCE_MIN;
}

static enum pps_status find_groups(struct pps_slices *cut, const struct pps_slice_ask *ask,
                                   struct pps_error *err)
{
    cut->split = -1;
    cut->asked_reduce = ask->reduce != PPS_REDUCE_NONE;
    cut->reduce = cut->asked_reduce ? ask->reduce : usual_reduce(cut);
    if (ask->by == NULL && cut->asked_reduce)
        return PPS_OK;
    if (ask->by != NULL)
        return pps_view_list(&cut->view, "--by", ask->by, &cut->by, &cut->n_by, err);
    cut->by = calloc((size_t)cut->view.n_columns, sizeof *cut->by);
    if (cut->by == NULL)
        return pps_fail_memory(err, "the result");
    if (cut->reduce != PPS_REDUCE_NONE) {
        if (cut->view.kernel->heatmap.by != NULL)
            add_known(cut, cut->view.kernel->heatmap.by);
        return PPS_OK;
    }
    const char *split = cut->view.kernel == NULL ? NULL : cut->view.kernel->heatmap.split;
    for (int i = 0; i < cut->view.n_columns; i++) {
        if (!pps_slice_tells_apart(cut, i))
            continue;
        if (split != NULL && strcmp(cut->view.columns[i].name, split) == 0)
            cut->split = cut->n_by;
        cut->by[cut->n_by++] = i;
    }
    return PPS_OK;
}

enum pps_status pps_slice_columns(struct pps_slices *cut, const struct pps_slice_ask *ask,
                                  struct pps_error *err)
{
    enum pps_status status = find_axes(cut, ask, err);
    if (status == PPS_OK)
        status = find_groups(cut, ask, err);
    return status == PPS_OK ? pps_slice_panel_columns(cut, ask, err) : status;
}

bool pps_slices_suit_lines(const struct pps_slices *cut, const char **x, const char **y)
{
    const struct pps_constant *known = cut->constants.list;
    const int still = known[cut->y].varied ? cut->x : cut->y;
    int varied[2], n = 0;
    if (known[cut->x].varied && known[cut->y].varied)
        return false;
    for (int i = 0; i < cut->view.n_columns; i++) {
        const bool axis = i == cut->x || i == cut->y;
        const bool follows = cut->split >= 0 && cut->by[cut->split] == i && cut->n_maps == 1;
        if (!known[i].varied || follows || !(axis || pps_slice_tells_apart(cut, i)))
            continue;
        if (n == 2)
            return false;
        varied[n++] = i;
    }
    // The axis of the maps that varies is the axis of the lines.
    const bool swapped = n == 2 && (varied[1] == cut->x || varied[1] == cut->y);
    *x = n > 0 ? cut->view.columns[varied[swapped]].name : NULL;
    *y = cut->view.columns[n == 2 ? varied[!swapped] : still].name;
    return n > 0;
}
