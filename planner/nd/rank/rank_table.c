// SPDX-License-Identifier: Apache-2.0
// Writes ranked candidates as tables.
#include "planner/nd/rank/rank.h"

#include "base/math/units.h"

#include <math.h>
#include <stdio.h>

enum { PUBLISHED = 28, MORE = 11 };

static const char *const COLUMNS[2][PUBLISHED] = {
    {"test",
     "layers",
     "micro",
     "dp",
     "tp",
     "pp",
     "ep",
     "vp",
     "op/fsdp",
     "dense:moe",
     "反向:正向",
     "重计算增加比率",
     "mtp+head",
     "moe时长",
     "low_mem",
     "目标值",
     "cost",
     "x",
     "offset",
     "ra",
     "内存信息",
     "内存上限(GB)",
     "求解器",
     "GAP",
     "solution_status",
     "model_status",
     "求解耗时/s",
     "dryrun_check"},
    {"test",
     "layers",
     "micro",
     "dp",
     "tp",
     "pp",
     "ep",
     "vp",
     "op/fsdp",
     "dense:moe",
     "backward:forward",
     "recompute growth",
     "mtp+head",
     "moe time",
     "low_mem",
     "objective",
     "cost",
     "x",
     "offset",
     "ra",
     "memory info",
     "memory limit(GB)",
     "solver",
     "GAP",
     "solution_status",
     "model_status",
     "solve seconds",
     "dryrun_check"},
};

// Of the corrected mode: what the cost is made of.
static const char *const MORE_COLUMNS[MORE] = {
    "cp",           "mbs",          "ratios",   "program_ms", "transfer_ms", "dp_comm_ms",
    "optimizer_ms", "embedding_ms", "peak_gib", "why",        "others_gap"};

void nd_rank_header(struct text_buffer *text, const struct nd_rank_table *table)
{
    text_buffer_add(text, "\xef\xbb\xbf");
    for (int i = 0; i < PUBLISHED; i++)
        text_buffer_add(text, "%s%s", i > 0 ? "," : "", COLUMNS[table->language][i]);
    for (int i = 0; i < MORE && table->compat == ND_CORRECTED; i++)
        text_buffer_add(text, ",%s", MORE_COLUMNS[i]);
    text_buffer_add(text, "\n");
}

// ---- the gap ------------------------------------------------------------------------------------

const char *nd_rank_gap(char text[ND_GAP_CAP], const struct nd_ranked *ranked)
{
    const double percent = 100.0 * ranked->solution.gap;
    const char *star = nd_ranked_others_gap(ranked) > 0.0 ? "*" : "";
    if (ranked->outcome != ND_RANK_PRICED)
        text[0] = '\0';
    else if (ranked->given)
        snprintf(text, ND_GAP_CAP, "-");
    else if (ranked->solution.status == ND_OPTIMAL)
        snprintf(text, ND_GAP_CAP, "0%s", star);
    else
        snprintf(text, ND_GAP_CAP, percent < 10.0 ? "%.2g%%%s" : "%.0f%%%s", percent, star);
    return text;
}

// ---- cells --------------------------------------------------------------------------------------

static void add_result(struct text_buffer *text, double value)
{
    text_buffer_add(text, "%.9g,", value);
}

static void add_input(struct text_buffer *text, double value)
{
    if (!isnan(value))
        text_buffer_add_number(text, value);
    text_buffer_add(text, ",");
}

// Quoted, with quotes inside doubled; newlines may stay.
static void add_quoted(struct text_buffer *text, const char *cell)
{
    text_buffer_add(text, "\"");
    for (; *cell != '\0'; cell++)
        text_buffer_add(text, *cell == '"' ? "\"\"" : "%c", *cell);
    text_buffer_add(text, "\"");
}

// [[chunk 0 of all stages], [chunk 1]]: the sum of two matrices, less a number.
static void add_matrix(struct text_buffer *text, const struct nd_program *program,
                       const int32_t *const summands[2], int32_t less)
{
    text_buffer_add(text, "\"[");
    for (int32_t v = 0; v < program->chunks; v++) {
        text_buffer_add(text, "%s[", v > 0 ? ", " : "");
        for (int32_t i = 0; i < program->stages; i++) {
            const int32_t k = v * program->stages + i;
            text_buffer_add(text, "%s%d", i > 0 ? ", " : "",
                            summands[0][k] + summands[1][k] - less);
        }
        text_buffer_add(text, "]");
    }
    text_buffer_add(text, "]\",");
}

static void add_candidate(struct text_buffer *text, int64_t n, const struct nd_ranked *ranked)
{
    const struct nd_strategy *s = &ranked->strategy;
    const struct nd_program *program = &ranked->used.program;
    text_buffer_add(text, "%lld,", (long long)n);
    if (program->stages > 0)
        text_buffer_add(text, "%d,%d,", program->layers[0] + program->layers[1],
                        program->micro_batches);
    else
        text_buffer_add(text, ",,");
    text_buffer_add(text, "%d,%d,%d,%d,", s->dp, s->tp, s->pp, s->ep);
    if (ranked->outcome == ND_RANK_PRICED)
        text_buffer_add(text, "%d", program->chunks);
    text_buffer_add(text, ",%d,", s->op);
    if (program->stages == 0) {
        text_buffer_add(text, ",,,,,,");
        return;
    }
    add_input(text, program->layer_ratio);
    add_input(text, program->backward_ratio);
    add_input(text, program->full_growth);
    add_input(text, program->head_ratio);
    add_result(text, ranked->used.layer_ms);
    text_buffer_add(text, "%s,", program->low_mem ? "true" : "false");
}

static void add_solution(struct text_buffer *text, const struct nd_ranked *ranked)
{
    const struct nd_program *program = &ranked->used.program;
    const struct nd_choice *choice = &ranked->solution.choice;
    if (ranked->outcome != ND_RANK_PRICED) {
        text_buffer_add(text, ",N/A,,,,");
        return;
    }
    const int32_t even =
        (program->layers[0] + program->layers[1]) / (program->stages * program->chunks);
    add_result(text, ranked->solution.objective);
    add_result(text, ranked->cost_ms);
    add_matrix(text, program, choice->layers, 0);
    add_matrix(text, program, choice->layers, even);
    add_matrix(text, program, choice->full, 0);
}

static const char *model_status(const struct nd_ranked *ranked)
{
    if (ranked->outcome == ND_RANK_PRICED)
        return nd_status_name(ranked->solution.status);
    return ranked->outcome == ND_RANK_INFEASIBLE ? nd_status_name(ND_INFEASIBLE) : "Not solved";
}

static void add_solver(struct text_buffer *text, const struct nd_rank_table *table,
                       const struct nd_ranked *ranked)
{
    const bool priced = ranked->outcome == ND_RANK_PRICED;
    if (ranked->used.program.stages > 0) {
        struct text_buffer memory = {0};
        nd_figures_write(&memory, &ranked->used.program.memory);
        add_quoted(text, memory.text != NULL ? memory.text : "");
        text->failed = text->failed || memory.failed;
        text_buffer_free(&memory);
    }
    text_buffer_add(text, ",");
    add_input(text, table->limit_gib);
    text_buffer_add(text, "%s,", table->solver);
    if (priced)
        text_buffer_add(text, "%.3g", ranked->solution.gap);
    text_buffer_add(text, ",%s,%s,%.3f,", priced ? "Feasible" : "None", model_status(ranked),
                    ranked->seconds);
}

static void add_more(struct text_buffer *text, const struct nd_ranked *ranked)
{
    const struct nd_extra_ms *extra = &ranked->used.extra;
    text_buffer_add(text, ",%d,%d,%s,", ranked->strategy.cp, ranked->strategy.mbs,
                    nd_ratio_source_name(ranked->used.source));
    if (ranked->outcome == ND_RANK_PRICED) {
        add_result(text, ranked->program_ms);
        add_result(text, ranked->transfer_ms);
        add_result(text, ranked->dp_ms);
        add_result(text, extra->optimizer);
        add_result(text, extra->embedding);
        add_result(text, ranked->peak_mb / UNITS_KIB);
    } else {
        text_buffer_add(text, ",,,,,,");
    }
    if (ranked->why[0] != '\0')
        add_quoted(text, ranked->why);
    text_buffer_add(text, ",");
    if (ranked->outcome == ND_RANK_PRICED)
        text_buffer_add(text, "%.3g", nd_ranked_others_gap(ranked));
}

void nd_rank_line(struct text_buffer *text, const struct nd_rank_table *table, int64_t n,
                  const struct nd_ranked *ranked, const char *check)
{
    add_candidate(text, n, ranked);
    add_solution(text, ranked);
    add_solver(text, table, ranked);
    if (check[0] != '\0')
        add_quoted(text, check);
    if (table->compat == ND_CORRECTED)
        add_more(text, ranked);
    text_buffer_add(text, "\n");
}

// ---- short --------------------------------------------------------------------------------------

void nd_rank_short_header(struct text_buffer *text)
{
    text_buffer_add(text, "%6s %4s %4s %5s %14s\n", "dp", "tp", "pp", "ep", "step_time");
}

void nd_rank_short_line(struct text_buffer *text, const struct nd_ranked *ranked)
{
    const struct nd_strategy *s = &ranked->strategy;
    char gap[ND_GAP_CAP];
    text_buffer_add(text, "%6d %4d %4d %5d ", s->dp, s->tp, s->pp, s->ep);
    if (ranked->outcome == ND_RANK_PRICED)
        text_buffer_add(text, "%11.3f ms", ranked->cost_ms);
    else
        text_buffer_add(text, "%14s", "N/A");
    if (ranked->outcome == ND_RANK_PRICED && ranked->solution.status != ND_OPTIMAL)
        text_buffer_add(text, "  gap %s", nd_rank_gap(gap, ranked));
    text_buffer_add(text, "\n");
}
