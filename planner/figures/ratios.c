// SPDX-License-Identifier: Apache-2.0
// Reads a table of measured ratios, and chooses the ratios of a strategy.
#include "planner/figures/ratios.h"

#include <math.h>
#include <stdlib.h>

const struct nd_ratios nd_ratios_default = {.dense = 0.3,
                                            .backward = 2.0,
                                            .recompute = 1.0,
                                            .head = 1.5,
                                            .layer_ms = (double)NAN};

#define UNKNOWN ((double)NAN)

const struct nd_ratios nd_ratios_unknown = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};

// ---- tables ---------------------------------------------------------------------------------------

enum {
    DP,
    TP,
    PP,
    EP,
    CP,
    OP,
    MBS,
    SEQ_LENGTH,
    DENSE,
    BACKWARD,
    RECOMPUTE,
    HEAD,
    UNIT,
    N_FIELDS
};

static const struct table_field FIELDS[N_FIELDS] = {
    [DP] = {"dp", NULL, true, true, 1, 1e9},
    [TP] = {"tp", NULL, true, true, 1, 1e9},
    [PP] = {"pp", NULL, true, true, 1, 1e9},
    [EP] = {"ep", NULL, false, true, 1, 1e9},
    [CP] = {"cp", NULL, false, true, 1, 1e9},
    [OP] = {"op", NULL, false, true, -1, 1e9},
    [MBS] = {"mbs", NULL, false, true, 1, 1e9},
    [SEQ_LENGTH] = {"seq_length", NULL, false, true, 1, 1e9},
    [DENSE] = {"dmratio", NULL, false, false, 0, (double)INFINITY},
    [BACKWARD] = {"bfratio", NULL, false, false, 0, (double)INFINITY},
    [RECOMPUTE] = {"re_grow_ration", NULL, false, false, 0, (double)INFINITY},
    [HEAD] = {"hratio", NULL, false, false, 0, (double)INFINITY},
    [UNIT] = {"moe_bw", "moe_fw", false, false, 0, (double)INFINITY},
};

static int64_t whole(double value, int64_t missing)
{
    return isnan(value) ? missing : (int64_t)value;
}

// Compares two configurations, for qsort.
static int by_configuration(const void *a, const void *b)
{
    const struct nd_profile *p = *(const struct nd_profile *const *)a;
    const struct nd_profile *q = *(const struct nd_profile *const *)b;
    const int64_t key_p[] = {p->dp, p->tp, p->pp, p->ep, p->cp, p->op, p->mbs, p->seq_length};
    const int64_t key_q[] = {q->dp, q->tp, q->pp, q->ep, q->cp, q->op, q->mbs, q->seq_length};
    for (size_t i = 0; i < sizeof key_p / sizeof key_p[0]; i++)
        if (key_p[i] != key_q[i])
            return key_p[i] < key_q[i] ? -1 : 1;
    return 0;
}

static int by_configuration_and_row(const void *a, const void *b)
{
    const struct nd_profile *p = *(const struct nd_profile *const *)a;
    const struct nd_profile *q = *(const struct nd_profile *const *)b;
    const int order = by_configuration(a, b);
    return order != 0 ? order : (p > q) - (p < q);
}

static bool no_memory(struct pps_fault *fault)
{
    *fault = (struct pps_fault){0};
    return pps_fault_set(fault, NULL, false, "out of memory for the profiles");
}

static bool check_twins(const struct nd_profiles *profiles, const struct table *table,
                        struct pps_fault *fault)
{
    const size_t n = (size_t)profiles->n;
    const struct nd_profile **sorted = malloc((n + 1) * sizeof *sorted);
    if (sorted == NULL)
        return no_memory(fault);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &profiles->rows[i];
    qsort(sorted, n, sizeof *sorted, by_configuration_and_row);
    bool differ = true;
    for (size_t i = 1; i < n && differ; i++)
        if (by_configuration(&sorted[i - 1], &sorted[i]) == 0)
            differ = table_fail(table, sorted[i] - profiles->rows, -1, fault,
                                "same configuration as in %s %lld; remove one of them",
                                table_line(table, 0) > 1 ? "line" : "row",
                                (long long)table_line(table, sorted[i - 1] - profiles->rows));
    free(sorted);
    return differ;
}

static bool read_row(struct nd_profiles *profiles, const struct table *table, int64_t row,
                     const int *columns, struct pps_fault *fault)
{
    double v[N_FIELDS];
    if (!table_row(table, row, FIELDS, N_FIELDS, columns, v, fault))
        return false;
    if (v[OP] == 0.0)
        return table_fail(table, row, columns[OP], fault,
                          "op: must be at least 1, or -1 for not searched (got 0)");
    if (v[UNIT] == 0.0)
        return table_fail(table, row, columns[UNIT], fault,
                          "moe_bw: must be > 0: ms of one layer's forward (got 0)");
    const struct nd_profile profile = {
        .dp = whole(v[DP], 0),
        .tp = whole(v[TP], 0),
        .pp = whole(v[PP], 0),
        .ep = whole(v[EP], 1),
        .cp = whole(v[CP], 1),
        .op = whole(v[OP], 0),
        .mbs = whole(v[MBS], 0),
        .seq_length = whole(v[SEQ_LENGTH], 0),
        .ratios = {v[DENSE], v[BACKWARD], v[RECOMPUTE], v[HEAD], v[UNIT]},
    };
    profiles->rows[profiles->n++] = profile;
    return true;
}

bool nd_profiles_read(struct nd_profiles *profiles, const struct table *table,
                      struct pps_fault *fault)
{
    int columns[N_FIELDS];
    *profiles = (struct nd_profiles){0};
    if (!table_bind(table, FIELDS, N_FIELDS, columns, fault))
        return false;
    profiles->rows = calloc((size_t)table_rows(table) + 1, sizeof *profiles->rows);
    if (profiles->rows == NULL)
        return no_memory(fault);
    for (int64_t row = 0; row < table_rows(table); row++)
        if (!read_row(profiles, table, row, columns, fault))
            return false;
    return check_twins(profiles, table, fault);
}

void nd_profiles_free(struct nd_profiles *profiles)
{
    free(profiles->rows);
    *profiles = (struct nd_profiles){0};
}

// ---- choice of ratios -----------------------------------------------------------------------------

const char *nd_ratio_source_name(enum nd_ratio_source source)
{
    static const char *const NAMES[] = {"none", "measured", "nearest", "model"};
    return NAMES[source];
}

struct wanted {
    const struct nd_strategy *strategy;
    int64_t seq_length;
};

static int64_t shards(int64_t op, int64_t dp)
{
    return op == -1 ? dp : op;
}

// Returns whether tp, cp, ep and, if the profile has it, the micro-batch are equal.
static bool is_alike(const struct nd_profile *profile, const struct wanted *wanted)
{
    const struct nd_strategy *strategy = wanted->strategy;
    return profile->tp == strategy->tp && profile->cp == strategy->cp &&
           profile->ep == strategy->ep &&
           (profile->mbs == 0 || profile->mbs == strategy->mbs) &&
           (profile->seq_length == 0 || wanted->seq_length == 0 ||
            profile->seq_length == wanted->seq_length);
}

static bool is_same(const struct nd_profile *profile, const struct wanted *wanted)
{
    const struct nd_strategy *strategy = wanted->strategy;
    return is_alike(profile, wanted) && profile->dp == strategy->dp &&
           profile->pp == strategy->pp &&
           (profile->op == 0 ||
            shards(profile->op, profile->dp) == shards(strategy->op, strategy->dp));
}

// Returns the ratio of the larger to the smaller number.
static double times(int64_t a, int64_t b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

static double distance(const struct nd_profile *profile, const struct wanted *wanted)
{
    return times(profile->pp, wanted->strategy->pp) * times(profile->dp, wanted->strategy->dp);
}

static const struct nd_profile *find_same(const struct nd_profiles *profiles,
                                          const struct wanted *wanted)
{
    for (int64_t i = 0; profiles != NULL && i < profiles->n; i++)
        if (is_same(&profiles->rows[i], wanted))
            return &profiles->rows[i];
    return NULL;
}

static const struct nd_profile *find_nearest(const struct nd_profiles *profiles,
                                             const struct wanted *wanted)
{
    const struct nd_profile *nearest = NULL;
    for (int64_t i = 0; profiles != NULL && i < profiles->n; i++) {
        const struct nd_profile *profile = &profiles->rows[i];
        if (is_alike(profile, wanted) &&
            (nearest == NULL || distance(profile, wanted) < distance(nearest, wanted)))
            nearest = profile;
    }
    return nearest;
}

static double known(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static void fill_empty(struct nd_ratios *ratios)
{
    ratios->dense = known(ratios->dense, nd_ratios_default.dense);
    ratios->backward = known(ratios->backward, nd_ratios_default.backward);
    ratios->recompute = known(ratios->recompute, nd_ratios_default.recompute);
    ratios->head = known(ratios->head, nd_ratios_default.head);
}

void nd_ratios_choose(const struct nd_profiles *profiles, const struct nd_ratio_model *model,
                      const struct nd_strategy *strategy, int64_t seq_length,
                      enum nd_compat compat, struct nd_ratio_choice *choice)
{
    const struct wanted wanted = {strategy, seq_length};
    struct nd_ratios modelled = nd_ratios_unknown;
    *choice = (struct nd_ratio_choice){.profile = find_same(profiles, &wanted)};
    choice->source = choice->profile != NULL ? ND_RATIOS_MEASURED : ND_RATIOS_NEAREST;
    if (choice->profile == NULL && compat == ND_CORRECTED)
        choice->profile = find_nearest(profiles, &wanted);
    const bool has_model = compat == ND_CORRECTED && model != NULL &&
                           model->ratios(model->self, strategy, &modelled);
    if (choice->profile != NULL) {
        choice->ratios = choice->profile->ratios;
        choice->tokens_unknown = choice->profile->mbs == 0;
        choice->unit_of_model = isnan(choice->ratios.layer_ms);
        choice->ratios.layer_ms = known(choice->ratios.layer_ms, modelled.layer_ms);
    } else {
        choice->source = ND_RATIOS_MODEL;
        choice->ratios = modelled;
    }
    fill_empty(&choice->ratios);
    if ((choice->profile == NULL && !has_model) || isnan(choice->ratios.layer_ms))
        choice->source = ND_RATIOS_NONE;
}
