// SPDX-License-Identifier: Apache-2.0
// Prints layers and tables of strategies.
#include "planner/balance/show.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "planner/balance/report/published.h"

#include <math.h>

// activation_mb: NULL: none.
static void show_layer(const char *name, double forward, double backward, double parameter_mb,
                       const double *activation_mb, FILE *out)
{
    fprintf(out, "%-12s %10s %10s %12s %12s\n", name, pps_digits_text(forward, 6).text,
            pps_digits_text(backward, 6).text, pps_digits_text(parameter_mb, 6).text,
            activation_mb != NULL ? pps_digits_text(*activation_mb, 6).text : "-");
}

// What a stage holds while it makes layers again.
static void show_working(const char *name, double mb, FILE *out)
{
    if (mb > 0)
        fprintf(out, "%-12s %10s %10s %12s %12s\n", name, "-", "-", "-",
                pps_digits_text(mb, 6).text);
}

void balance_show_layers(const struct balance_layers *layers, FILE *out)
{
    pps_say(out, "%s: %d body layers; times of one micro-batch, memory in MiB",
            layers->name[0] != '\0' ? layers->name : "layers", layers->layers);
    fputc('\n', out);
    fprintf(out, "%-12s %10s %10s %12s %12s\n", "layer", "forward", "backward", "parameters",
            "activations");
    show_layer("head", layers->head, layers->head_backward, layers->head_mb,
               layers->head_activation_mb > 0 ? &layers->head_activation_mb : NULL, out);
    for (int k = 0; k < BALANCE_KINDS; k++)
        if (layers->has[k])
            show_layer(balance_kind_names[k], layers->forward, layers->backward[k],
                       layers->parameter_mb, &layers->activation_mb[k], out);
    show_layer("tail", layers->tail, layers->tail_backward, layers->tail_mb, NULL, out);
    fprintf(out, "%-12s %10s %10s %12s %12s\n", "every stage", "-", "-",
            pps_digits_text(layers->constant_mb, 6).text, "-");
    show_working("head again", layers->head_working_mb, out);
    show_working("made again", layers->working_mb, out);
}

static void show_task(const struct balance_request *request, FILE *out)
{
    const struct balance_shape *shape = &request->shape;
    const char *order = shape->chunks == 1                    ? "1F1B"
                        : shape->order == BALANCE_LESS_MEMORY ? "interleaved, less memory"
                                                              : "interleaved, big memory";
    pps_say_part(out, "%s: %s layers, %d stages x %d chunks, %s micro-batches, %s, %s MiB",
                 request->layers.name[0] != '\0' ? request->layers.name : request->path,
                 pps_count_text(request->layers.layers).text, shape->stages, shape->chunks,
                 pps_count_text(shape->micro_batches).text, order,
                 pps_digits_text(request->memory_mb, 10).text);
    if (request->margin_mb > 0)
        fprintf(out, " less a margin of %s MiB", pps_digits_text(request->margin_mb, 10).text);
    if (shape->transfer > 0)
        fprintf(out,
                "\nA message between stages takes %s, on a link of its own; the proxy ignores "
                "messages.\n",
                pps_digits_text(shape->transfer, 6).text);
    else
        fprintf(out, "\nTransfers between stages take no time.\n");
    if (shape->pieces > 1)
        fprintf(
            out,
            "Every micro-batch is cut into %d pieces along its sequence; times and memory of "
            "layers are those of a piece.\n",
            shape->pieces);
    if (request->layers.layers % (shape->stages * shape->chunks) != 0)
        fprintf(
            out,
            "Even splits have one layer more in each of the first %d chunks of the model.\n",
            request->layers.layers % (shape->stages * shape->chunks));
    fprintf(out, "\n");
}

static void balance_show_head(FILE *out)
{
    fprintf(out, "%-22s %6s %12s %8s %8s %9s %9s %11s %5s  %5s  %s\n", "strategy", "chunks",
            "step time", "bubble", "ideal", "imbalance", "recompute", "peak MiB", "stage",
            "speed", "memory");
}

// No -0.0000.
static double shown(double value)
{
    return fabs(value) < 0.00005 ? 0 : value;
}

// Prints the head of a table of strategies, and a row. The speed is relative to a step time of `best`.
static void balance_show_row(const struct balance_row *row, double limit_mb, double best,
                             FILE *out)
{
    const struct balance_result *result = &row->result;
    const double peak = result->peak_mb[result->worst],
                 over = peak - limit_mb - BALANCE_TOLERANCE_MB;
    pps_say_part(out, "%-22s %6d %12s %8.4f %8.4f %9.4f %9.4f %11s %5d  %5.3f  ", row->label,
                 row->shape.chunks, pps_digits_text(result->makespan, 6).text,
                 shown(result->bubble.real), result->bubble.ideal,
                 shown(result->bubble.imbalance), result->bubble.recompute,
                 pps_decimals_text(peak, 1).text, result->worst, best / result->makespan);
    if (over > 0)
        fprintf(out, "exceeds by %s MiB\n", pps_decimals_text(over, 1).text);
    else
        fprintf(out, "fits\n");
}

static void show_bound(const struct balance_solution *solution, FILE *out)
{
    const struct balance_answer *answer = &solution->answer;
    const double found = solution->rows[0].result.makespan;
    if (answer->is_proven && found <= answer->best.makespan) {
        fprintf(out, "The first strategy is optimal: no other one within memory is faster.\n");
        return;
    }
    fprintf(out,
            "No strategy within memory takes less than %s (gap %.2f %%): the first strategy "
            "is not proven optimal.\n",
            pps_digits_text(answer->bound, 6).text, 100 * (found - answer->bound) / found);
}

// Compares the first strategy with that of the training.
static void show_gain(const struct balance_solution *solution, FILE *out)
{
    for (int i = 1; i < solution->n; i++) {
        const struct balance_row *row = &solution->rows[i];
        if (row->kind != BALANCE_ROW_MINE)
            continue;
        const double first = solution->rows[0].result.makespan, mine = row->result.makespan;
        fprintf(out, "The first strategy takes %.2f %% %s than mine.\n",
                100 * fabs(mine - first) / mine, first <= mine ? "less" : "more");
    }
}

static void show_search(const struct balance_solution *solution, FILE *out)
{
    const struct balance_answer *answer = &solution->answer;
    fprintf(out, "\n");
    show_gain(solution, out);
    show_bound(solution, out);
    fprintf(out, "%s evaluations%s.", pps_count_text((double)answer->evaluations).text,
            solution->outcome == BALANCE_STOPPED ? ", stopped by time" : "");
    if (answer->proxy.is_known)
        fprintf(out, " Published proxy Z: %s (%s).",
                pps_digits_text(answer->proxy_value, 8).text,
                answer->proxy_is_proven ? "proven optimum" : "not proven");
    fprintf(out, "\n\n");
}

// A chunk with both selective kinds is read back as one with layers of kind both.
static void warn_of_written(const struct balance_row *row, FILE *out)
{
    if (!balance_is_canonical(&row->strategy))
        fprintf(out, "The lists below do not say which selective kind a layer has: read back, "
                     "they mean another strategy.\n");
}

enum pps_status balance_show(const struct balance_request *request,
                             const struct balance_solution *solution, FILE *out,
                             struct pps_error *err)
{
    const struct balance_row *first = &solution->rows[0];
    const struct balance_layers *layers = solution->task.layers;
    struct text_buffer text = {0};
    show_task(request, out);
    balance_show_head(out);
    for (int i = 0; i < solution->n; i++)
        balance_show_row(&solution->rows[i], solution->task.limit_mb, first->result.makespan,
                         out);
    if (solution->answer.evaluations > 0)
        show_search(solution, out);
    else
        fprintf(out, "\n");
    warn_of_written(first, out);
    published_lists(layers, &first->strategy, &text);
    published_result(&first->shape, &first->result, &text);
    const bool done = !text.failed;
    if (done)
        fprintf(out, "%s\n", text.text);
    text_buffer_free(&text);
    return done ? PPS_OK : pps_fail_memory(err, "the report");
}
