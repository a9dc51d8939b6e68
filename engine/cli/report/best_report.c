// SPDX-License-Identifier: Apache-2.0
// Reports the best points of a search.
#include "engine/cli/report/best_report.h"

#include "base/document/json.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/space/value.h"

#include <math.h>
#include <string.h>

enum { SHOWN_GROUPS = 20 };

// ---- points ---------------------------------------------------------------------------------------

static double objective_of(const struct pps_best_search *s, size_t number)
{
    const double value = s->evaluation->points[number].value;
    return s->evaluation->higher ? -value : value;
}

static const char *objective_name(const struct pps_best_search *s)
{
    return s->space->experiment->kernel->columns[s->space->objective].name;
}

// Writes "p_fwd_prop=a p_grad_prop=1.0" of the parameters that vary.
static void write_point(const struct pps_best_search *s, size_t number, char *out, size_t cap)
{
    const struct pps_kernel *kernel = s->space->experiment->kernel;
    size_t n = 0;
    out[0] = '\0';
    for (int p = 0; p < kernel->n_params; p++) {
        char text[PPS_CELL_TEXT];
        if ((s->space->varied >> p & 1) == 0 || n >= cap)
            continue;
        pps_value_text(&kernel->params[p], s->evaluation->points[number].point[p], text);
        n += (size_t)snprintf(out + n, cap - n, "%s%s=%s", n > 0 ? " " : "",
                              kernel->params[p].name, text);
    }
}

// Returns by what part of itself the grid's best is improved.
static double gain_of(const struct pps_best_search *s, const struct pps_best_group *g)
{
    const double grid = objective_of(s, g->grid_best);
    return fabs(objective_of(s, g->best) - grid) / fabs(grid);
}

static bool is_better(const struct pps_best_search *s, const struct pps_best_group *g)
{
    const struct pps_evaluated_point *points = s->evaluation->points;
    return g->grid_best != SIZE_MAX && points[g->best].value < points[g->grid_best].value;
}

// ---- text -----------------------------------------------------------------------------------------

static void print_search(const struct pps_best_search *s)
{
    const struct pps_kernel *kernel = s->space->experiment->kernel;
    const char *separator = "";
    fputs("search    over ", stderr);
    for (int p = 0; p < kernel->n_params; p++)
        if ((s->space->searched >> p & 1) != 0) {
            fprintf(stderr, "%s%s", separator, kernel->params[p].name);
            separator = ", ";
        }
    fprintf(stderr, ", in %s combination%s of the other parameters%s\n",
            pps_count_text((double)s->space->n_arms).text, s->space->n_arms == 1 ? "" : "s",
            s->space->composite != NULL ? " and of the names of weights" : "");
    fprintf(stderr, "points    %s evaluated", pps_count_text((double)s->evaluation->n).text);
    if (s->grid > 0)
        fprintf(stderr, ", at first the grid of %s", pps_count_text((double)s->grid).text);
    else
        fputs("; the grid was not (see --grid)", stderr);
    if (s->evaluation->remembered > 0)
        fprintf(stderr, "; %s by the interrupted search",
                pps_count_text((double)s->evaluation->remembered).text);
    if (s->evaluation->refused > 0)
        fprintf(stderr, "; %s more refused by rules or ranges",
                pps_count_text((double)s->evaluation->refused).text);
    fputc('\n', stderr);
}

// Says where the search looked, as a number of searches. None of it proves that there is no better point.
static void print_tried(const struct pps_best_search *s)
{
    uint64_t patterns = 0, restarts = 0;
    for (uint32_t g = 0; g < s->space->groups.n; g++) {
        patterns += s->groups[g].patterns;
        restarts += s->groups[g].restarts;
    }
    fputs("tried     ", stderr);
    if (s->refined > 0) {
        const double first = pps_best_first_step(s);
        fprintf(stderr, "steps of %g to %g of each range around the %zu best points%s, ", first,
                first / (1 << (PPS_BEST_STEPS - 1)), s->refined,
                s->space->groups.n > 1 ? " of each group" : "");
    }
    fprintf(stderr, "%s pattern search%s, ", pps_count_text((double)patterns).text,
            patterns == 1 ? "" : "es");
    fprintf(stderr, "%s restart%s of CMA-ES\n", pps_count_text((double)restarts).text,
            restarts == 1 ? "" : "s");
    fputs("          no proof: a better point may lie between those that were evaluated\n",
          stderr);
}

// Says how the best point compares with the grid.
static void print_comparison(const struct pps_best_search *s, const struct pps_best_group *g)
{
    char point[1024];
    if (s->grid == 0)
        return;
    if (g->grid_best == SIZE_MAX) {
        fputs("          no cell of the grid is feasible\n", stderr);
    } else if (is_better(s, g)) {
        write_point(s, g->grid_best, point, sizeof point);
        fprintf(stderr,
                "          %.3g %% better than the best grid cell, %s at %s (row %zu)\n",
                100 * gain_of(s, g), pps_digits_text(objective_of(s, g->grid_best), 10).text,
                point, g->grid_best + 1);
    } else {
        fputs("          this is a grid cell, the best of the points that were evaluated",
              stderr);
        if (g->equal > 1)
            fprintf(stderr, "; %s evaluated points have exactly this value: it is flat there",
                    pps_count_text((double)g->equal).text);
        fputc('\n', stderr);
    }
    if (is_better(s, g) && g->equal > 1)
        fprintf(stderr,
                "          %s evaluated points have exactly this value; the first is shown\n",
                pps_count_text((double)g->equal).text);
}

static void print_group(const struct pps_best_search *s, uint32_t number)
{
    const struct pps_best_group *g = &s->groups[number];
    const char *name = pps_string_pool_text(&s->space->groups, number);
    char point[1024];
    if (g->best == SIZE_MAX) {
        fprintf(stderr, "best      %s: no feasible point\n", name);
        return;
    }
    write_point(s, g->best, point, sizeof point);
    fprintf(stderr, "best      %s%s%s %s at %s (row %zu)\n", name, name[0] != '\0' ? ": " : "",
            objective_name(s), pps_digits_text(objective_of(s, g->best), 10).text, point,
            g->best + 1);
    print_comparison(s, g);
}

static void print_command(const char *lead, const char *verb, const char *path,
                          const char *rest)
{
    fprintf(stderr, "%-9s ppsweep %s ", lead, verb);
    pps_say_word(stderr, path, SIZE_MAX);
    fprintf(stderr, "%s\n", rest);
}

static void print_next(const struct pps_best_search *s, const char *path)
{
    const char *lead = "next";
    const bool traces = s->space->experiment->kernel->trace != NULL;
    for (uint32_t g = 0; g < s->space->groups.n && g < SHOWN_GROUPS && traces; g++) {
        char rest[64];
        if (s->groups[g].best == SIZE_MAX)
            continue;
        snprintf(rest, sizeof rest, " --row %zu", s->groups[g].best + 1);
        print_command(lead, "trace", path, rest);
        lead = "";
    }
    print_command(lead, "top", path, " -k 10");
    print_command("", "plot", path, " --scatter");
}

void pps_best_report_print(const struct pps_best_search *s, const char *path)
{
    const uint32_t n = s->space->groups.n;
    print_search(s);
    print_tried(s);
    for (uint32_t g = 0; g < n && g < SHOWN_GROUPS; g++)
        print_group(s, g);
    if (n > SHOWN_GROUPS)
        fprintf(stderr, "          %u more groups are not shown; ppsweep top lists them\n",
                (unsigned)(n - SHOWN_GROUPS));
    pps_say(stderr, "result    %s", path);
    print_next(s, path);
}

// ---- JSON -----------------------------------------------------------------------------------------

static cJSON *point_tree(const struct pps_best_search *s, size_t number)
{
    const struct pps_kernel *kernel = s->space->experiment->kernel;
    cJSON *object = cJSON_CreateObject();
    pps_json_add_count(object, "row", number + 1);
    cJSON_AddNumberToObject(object, objective_name(s), objective_of(s, number));
    cJSON *point = cJSON_AddObjectToObject(object, "point");
    for (int p = 0; p < kernel->n_params; p++) {
        char text[PPS_CELL_TEXT];
        const double value = s->evaluation->points[number].point[p];
        if ((s->space->varied >> p & 1) == 0)
            continue;
        pps_value_text(&kernel->params[p], value, text);
        if (kernel->params[p].kind == PPS_CHOICE ||
            (kernel->params[p].names != NULL && value < 0))
            cJSON_AddStringToObject(point, kernel->params[p].name, text);
        else
            cJSON_AddRawToObject(point, kernel->params[p].name, text);
    }
    return object;
}

static cJSON *group_tree(const struct pps_best_search *s, uint32_t number)
{
    const struct pps_best_group *g = &s->groups[number];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "group", pps_string_pool_text(&s->space->groups, number));
    if (g->best == SIZE_MAX)
        return object;
    cJSON_AddItemToObject(object, "best", point_tree(s, g->best));
    pps_json_add_count(object, "equal", g->equal);
    if (g->grid_best != SIZE_MAX) {
        cJSON_AddItemToObject(object, "grid_best", point_tree(s, g->grid_best));
        cJSON_AddNumberToObject(object, "gain", is_better(s, g) ? gain_of(s, g) : 0);
    }
    pps_json_add_count(object, "pattern_searches", g->patterns);
    pps_json_add_count(object, "restarts", g->restarts);
    return object;
}

void pps_best_report_json(const struct pps_best_search *s, const char *path, FILE *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "result", path);
    cJSON_AddStringToObject(root, "objective", objective_name(s));
    pps_json_add_count(root, "evaluations", s->evaluation->n);
    pps_json_add_count(root, "grid", s->grid);
    pps_json_add_count(root, "refused", s->evaluation->refused);
    pps_json_add_count(root, "refined", s->refined);
    cJSON_AddFalseToObject(root, "proven");
    cJSON *groups = cJSON_AddArrayToObject(root, "groups");
    for (uint32_t g = 0; g < s->space->groups.n; g++)
        cJSON_AddItemToArray(groups, group_tree(s, g));
    pps_json_put(out, root);
}
