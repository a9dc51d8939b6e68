// SPDX-License-Identifier: Apache-2.0
// Candidates ranked by the time of a step, and the tables of the result.
#include "planner/nd/rank/rank.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- programs of strategies ---------------------------------------------------------------------

Test(nd_rank, programs)
{
    const struct modeldesc model = {.num_layers = 61,
                                    .mtp_depth = 1,
                                    .experts = 256,
                                    .dense_layers = 3};
    const struct modeldesc dense = {.num_layers = 32, .dense_layers = 32};
    const struct nd_strategy strategy = {.dp = 8, .tp = 1, .cp = 1, .pp = 4, .ep = 8, .mbs = 2};
    const struct nd_ratios ratios = {0.4, 1.8, 0.9, 1.2, 10.0};
    struct nd_program program;
    nd_rank_program(&program, &model, &strategy, 1024, &ratios, ND_CORRECTED);
    cr_assert(program.layers[0] == 3 && program.layers[1] == 59);
    cr_assert(program.stages == 4 && program.chunks == 1 && program.micro_batches == 64);
    cr_assert(program.layer_ratio == 0.4 && program.backward_ratio == 1.8 &&
              program.full_growth == 0.9 && program.head_ratio == 1.2);
    nd_rank_program(&program, &dense, &strategy, 1024, &ratios, ND_ORIG);
    cr_assert(program.layers[0] == 0 && program.layers[1] == 32);
    cr_assert_eq(program.micro_batches, 128); // as published, without regard to mbs
}

// ---- ranking ------------------------------------------------------------------------------------

struct source {
    double hop;
    double budget; // MiB
};

// The unit of a layer is tp ms; nobody knows anything of pp = 5.
static bool prepare(void *self, const struct nd_strategy *strategy,
                    struct nd_rank_case *prepared, char *why, size_t why_size)
{
    const struct source *source = self;
    const struct modeldesc model = {.num_layers = 16, .dense_layers = 16};
    const struct nd_ratios ratios = {1.0, 2.0, 1.0, 1.5, strategy->tp};
    if (strategy->pp == 5) {
        snprintf(why, why_size, "no profile, \"says\" nobody");
        return false;
    }
    *prepared = (struct nd_rank_case){.layer_ms = ratios.layer_ms,
                                      .source = ND_RATIOS_MEASURED,
                                      .extra = {.dp = {.each = 2,
                                                       .once = 100,
                                                       .micro_batches = 16,
                                                       .each_exposed = 0.25,
                                                       .each_hidden = 0.1,
                                                       .once_hidden = 0.7},
                                                .optimizer = 3,
                                                .embedding = 1}};
    nd_rank_program(&prepared->program, &model, strategy, 64, &ratios, ND_CORRECTED);
    prepared->program.hop = source->hop;
    prepared->program.budget_first = prepared->program.budget_middle =
        prepared->program.budget_last = source->budget;
    return true;
}

static const struct nd_strategy STRATEGIES[] = {
    {.dp = 4, .tp = 4, .cp = 1, .pp = 4, .ep = 1, .op = 4, .mbs = 1},
    {.dp = 4, .tp = 4, .cp = 1, .pp = 5, .ep = 1, .op = 4, .mbs = 1},
    {.dp = 8, .tp = 2, .cp = 1, .pp = 4, .ep = 1, .op = 8, .mbs = 1},
    {.dp = 32, .tp = 1, .cp = 1, .pp = 4, .ep = 1, .op = -1, .mbs = 1}, // M = 2 < P
    {.dp = 8, .tp = 2, .cp = 1, .pp = 4, .ep = 2, .op = 8, .mbs = 1},
};

enum { N = sizeof STRATEGIES / sizeof STRATEGIES[0] };

static void rank(struct nd_ranked *ranked, struct source *from,
                 const struct nd_rank_options *options)
{
    const struct nd_rank_source source = {prepare, NULL, from, NULL};
    for (int i = 0; i < N; i++)
        nd_rank_one(&ranked[i], &STRATEGIES[i], i, &source, options);
    nd_rank_sort(ranked, N);
}

static void free_all(struct nd_ranked *ranked)
{
    for (int i = 0; i < N; i++)
        nd_ranked_free(&ranked[i]);
}

// Catches a wrong order: cheapest first, equal candidates in input order, candidates without a cost
// last. The cost is the objective of the program plus the costs outside the program.
Test(nd_rank, order_and_cost)
{
    struct nd_ranked ranked[N];
    struct source source = {0.0, 1e9};
    rank(ranked, &source, &(struct nd_rank_options){.max_vpp = 1, .compat = ND_CORRECTED});
    static const int64_t ORDER[N] = {2, 4, 0, 1, 3};
    for (int i = 0; i < N; i++)
        cr_assert_eq(ranked[i].index, ORDER[i], "%d: %ld", i, (long)ranked[i].index);
    cr_assert_eq(ranked[0].cost_ms, ranked[1].cost_ms);
    // 5 + 4 + 4 + 3 layers: the longest stage takes 15 units of 2 ms and hides seven tenths of these.
    // Of the 2 ms of each micro-batch a quarter is never hidden.
    cr_assert_float_eq(ranked[0].dp_ms, 100.0 - 0.7 * 30.0 + 16 * 0.25 * 2.0, 1e-9);
    cr_assert_float_eq(ranked[0].cost_ms,
                       2.0 * ranked[0].solution.objective + ranked[0].dp_ms + 4.0, 1e-9);
    cr_assert_eq(ranked[0].outcome, ND_RANK_PRICED);
    cr_assert_eq(ranked[3].outcome, ND_RANK_NOT_PRICED);
    cr_assert_str_eq(ranked[3].why, "no profile, \"says\" nobody");
    cr_assert_eq(ranked[4].outcome, ND_RANK_INFEASIBLE);
    cr_assert(isinf(ranked[4].cost_ms));
    free_all(ranked);
}

// As published the cost is the program's alone, of one chunk a stage.
Test(nd_rank, cost_as_published)
{
    struct nd_ranked ranked[N];
    struct source source = {0.0, 1e9};
    rank(ranked, &source, &(struct nd_rank_options){.max_vpp = 3, .compat = ND_ORIG});
    cr_assert_float_eq(ranked[0].cost_ms, 2.0 * ranked[0].solution.objective, 1e-9);
    cr_assert_eq(ranked[0].used.program.chunks, 1);
    free_all(ranked);
}

// Two chunks a stage shorten the pipeline's filling, and are found.
Test(nd_rank, more_chunks_where_they_help)
{
    struct nd_ranked one[N], two[N];
    struct source source = {0.0, 1e9};
    rank(one, &source, &(struct nd_rank_options){.max_vpp = 1, .compat = ND_CORRECTED});
    rank(two, &source, &(struct nd_rank_options){.max_vpp = 2, .compat = ND_CORRECTED});
    cr_assert_eq(two[0].used.program.chunks, 2);
    cr_assert_lt(two[0].cost_ms, one[0].cost_ms);
    free_all(one);
    free_all(two);
}

// What transfers add is in the cost, and told apart.
Test(nd_rank, transfers_are_told_apart)
{
    struct nd_ranked with[N], without[N];
    struct source slow = {0.5, 1e9}, fast = {0.0, 1e9};
    const struct nd_rank_options options = {.max_vpp = 1, .compat = ND_CORRECTED};
    rank(with, &slow, &options);
    rank(without, &fast, &options);
    cr_assert_eq(without[0].transfer_ms, 0.0);
    cr_assert_gt(with[0].transfer_ms, 0.0);
    cr_assert_geq(without[0].program_ms, with[0].program_ms - with[0].transfer_ms - 10.0);
    cr_assert_gt(with[0].cost_ms, without[0].cost_ms);
    free_all(with);
    free_all(without);
}

Test(nd_rank, too_little_memory)
{
    struct nd_ranked ranked[N];
    struct source source = {0.0, 100.0};
    rank(ranked, &source, &(struct nd_rank_options){.max_vpp = 2, .compat = ND_CORRECTED});
    for (int i = 0; i < N; i++) {
        cr_assert_neq(ranked[i].outcome, ND_RANK_PRICED);
        cr_assert_eq(ranked[i].index, i);
    }
    cr_assert_eq(ranked[0].outcome, ND_RANK_INFEASIBLE);
    cr_assert_neq(ranked[0].why[0], '\0');
    free_all(ranked);
}

// ---- tables -------------------------------------------------------------------------------------

// Cells of a row that begins at *text, which goes to the next row.
static int count_cells(const char **text)
{
    bool quoted = false;
    int n = 1;
    for (; **text != '\0' && (quoted || **text != '\n'); (*text)++) {
        quoted ^= **text == '"';
        n += !quoted && **text == ',';
    }
    *text += **text == '\n';
    return n;
}

// Every row has a cell for every column, priced or not.
Test(nd_rank, rows_fit_their_header)
{
    struct nd_ranked ranked[N];
    struct source source = {0.0, 1e9};
    rank(ranked, &source, &(struct nd_rank_options){.max_vpp = 2, .compat = ND_CORRECTED});
    for (int compat = ND_CORRECTED; compat <= ND_ORIG; compat++)
        for (int language = ND_LANGUAGE_ORIG; language <= ND_LANGUAGE_EN; language++) {
            const struct nd_rank_table table = {language, compat, "HIGHS", 58.0};
            struct text_buffer text = {0};
            nd_rank_header(&text, &table);
            for (int i = 0; i < N; i++)
                nd_rank_line(&text, &table, i + 1, &ranked[i], i == 0 ? "fits" : "");
            const char *at = text.text;
            const int columns = count_cells(&at);
            cr_assert_eq(columns, compat == ND_ORIG ? 28 : 39);
            for (int i = 0; i < N; i++)
                cr_assert_eq(count_cells(&at), columns, "row %d", i);
            cr_assert_eq(*at, '\0');
            text_buffer_free(&text);
        }
    free_all(ranked);
}

Test(nd_rank, a_row_as_published)
{
    struct nd_ranked ranked[N];
    struct source source = {0.0, 1e9};
    const struct nd_rank_table table = {ND_LANGUAGE_ORIG, ND_ORIG, "HIGHS", 58.0};
    rank(ranked, &source, &(struct nd_rank_options){.max_vpp = 1, .compat = ND_ORIG});
    struct text_buffer text = {0};
    nd_rank_header(&text, &table);
    cr_assert_str_eq(
        text.text,
        "\xef\xbb\xbf"
        "test,layers,micro,dp,tp,pp,ep,vp,op/fsdp,dense:moe,反向:正向,重计算增加比率,"
        "mtp+head,moe时长,low_mem,目标值,cost,x,offset,ra,内存信息,内存上限(GB),求解器,"
        "GAP,solution_status,model_status,求解耗时/s,dryrun_check\n");
    text_buffer_free(&text);
    nd_rank_line(&text, &table, 1, &ranked[0], "");
    const char *head = "1,16,8,8,2,4,1,1,8,1,2,1,1.5,2,false,";
    cr_assert_eq(strncmp(text.text, head, strlen(head)), 0, "%s", text.text);
    cr_assert(strstr(text.text, "\"[[5, 4, 4, 3]]\",\"[[1, 0, 0, -1]]\",\"[[0, 0, 0, 0]]\","
                                "\"select_mem0=76\n") != NULL,
              "%s", text.text);
    cr_assert(strstr(text.text, "\",58,HIGHS,0,Feasible,Optimal,0.000,\n") != NULL, "%s",
              text.text);
    text_buffer_free(&text);
    nd_rank_line(&text, &table, 4, &ranked[3], "");
    cr_assert_str_eq(text.text,
                     "4,,,4,4,5,1,,4,,,,,,,,N/A,,,,,58,HIGHS,,None,Not solved,0.000,\n");
    text_buffer_free(&text);
    free_all(ranked);
}

// Catches a gap reported for a proven or unpriced candidate, and a gap that is not reported.
Test(nd_rank, reports_each_kind_of_gap)
{
    static const struct {
        enum nd_rank_outcome outcome;
        enum nd_status status;
        double gap, others_ms;
        const char *text, *line;
    } cases[] = {
        {ND_RANK_PRICED, ND_OPTIMAL, 0.0, 1.5, "0", " 1.500 ms\n"},
        {ND_RANK_PRICED, ND_FEASIBLE, 0.0312, 1.5, "3.1%", " 1.500 ms  gap 3.1%\n"},
        {ND_RANK_PRICED, ND_FEASIBLE, 0.0004, 1.5, "0.04%", " 1.500 ms  gap 0.04%\n"},
        {ND_RANK_PRICED, ND_FEASIBLE, 0.09996, 1.5, "10%", " 1.500 ms  gap 10%\n"},
        {ND_RANK_PRICED, ND_TIME_LIMIT, 0.999, 1.5, "100%", " 1.500 ms  gap 100%\n"},
        {ND_RANK_PRICED, ND_FEASIBLE, 0.0, 1.5, "0%", " 1.500 ms  gap 0%\n"},
        {ND_RANK_INFEASIBLE, ND_INFEASIBLE, 0.0, 1.5, "", " N/A\n"},
        {ND_RANK_NOT_PRICED, ND_OPTIMAL, 0.0, 1.5, "", " N/A\n"},
        {ND_RANK_PRICED, ND_OPTIMAL, 0.0, 1.2, "0*", " 1.500 ms\n"},
        {ND_RANK_PRICED, ND_FEASIBLE, 0.25, 1.2, "25%*", " 1.500 ms  gap 25%*\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct nd_ranked ranked = {
            .outcome = cases[k].outcome,
            .cost_ms = 1.5,
            .others_ms = cases[k].others_ms,
            .solution = {.status = cases[k].status, .gap = cases[k].gap}};
        char gap[ND_GAP_CAP];
        struct text_buffer text = {0};
        cr_assert_str_eq(nd_rank_gap(gap, &ranked), cases[k].text, "case %zu", k);
        nd_rank_short_line(&text, &ranked);
        const size_t n = strlen(cases[k].line);
        cr_assert(text.n > n && strcmp(text.text + text.n - n, cases[k].line) == 0,
                  "case %zu: %s", k, text.text);
        text_buffer_free(&text);
    }
}

// Catches a pipeline reported as proven although another number of chunks was not solved to the
// end, and a pipeline reported as unproven although all numbers of chunks were.
Test(nd_rank, other_numbers_of_chunks_may_be_quicker)
{
    struct nd_ranked ended[N], proven[N];
    struct source source = {0.0, 1e9};
    const struct nd_effort little = {.max_nodes = 1};
    struct nd_rank_options options = {.max_vpp = 2, .compat = ND_CORRECTED};
    rank(proven, &source, &options);
    options.effort = &little;
    rank(ended, &source, &options);
    for (int i = 0; i < N; i++) {
        const struct nd_ranked *r = &ended[i];
        cr_assert_eq(nd_ranked_others_gap(&proven[i]), 0.0, "%d", i);
        if (proven[i].outcome == ND_RANK_PRICED)
            cr_assert_eq(proven[i].least_ms, proven[i].cost_ms, "%d", i);
        for (int j = 0; j < N && r->outcome == ND_RANK_PRICED; j++)
            if (proven[j].index == r->index)
                cr_assert_leq(fmin(r->least_ms, r->others_ms), proven[j].cost_ms, "%d", i);
    }
    struct nd_ranked *r = &ended[0];
    const struct nd_ranked other = {.least_ms = 0.5 * r->cost_ms, .others_ms = HUGE_VAL};
    nd_ranked_beside(r, &other);
    cr_assert_float_eq(nd_ranked_others_gap(r), 0.5, 1e-12);
    free_all(ended);
    free_all(proven);
}

Test(nd_rank, short_table)
{
    struct nd_ranked ranked[N];
    struct source source = {0.0, 1e9};
    rank(ranked, &source, &(struct nd_rank_options){.max_vpp = 1, .compat = ND_ORIG});
    struct text_buffer text = {0};
    char expected[100];
    nd_rank_short_header(&text);
    nd_rank_short_line(&text, &ranked[0]);
    nd_rank_short_line(&text, &ranked[4]);
    snprintf(expected, sizeof expected, "%14.3f ms\n", ranked[0].cost_ms);
    cr_assert(strstr(text.text, "     8    2    4     1 ") != NULL, "%s", text.text);
    cr_assert(strstr(text.text, "    32    1    4     1            N/A\n") != NULL, "%s",
              text.text);
    text_buffer_free(&text);
    free_all(ranked);
}
