// SPDX-License-Identifier: Apache-2.0
// Prints tables of strategies.
#include "planner/balance/show.h"

#include <inttypes.h>

static void show_task(const struct balance_request *request, FILE *out)
{
    const struct balance_shape *shape = &request->shape;
    const char *order = shape->chunks == 1                    ? "1F1B"
                        : shape->order == BALANCE_LESS_MEMORY ? "interleaved, less memory"
                                                              : "interleaved, big memory";
    fprintf(out, "%s: %d layers, %d stages x %d chunks, %d micro-batches, %s, %.10g MiB",
            request->layers.name[0] != '\0' ? request->layers.name : request->path,
            request->layers.layers, shape->stages, shape->chunks, shape->micro_batches, order,
            request->memory_mb);
    if (request->margin_mb > 0)
        fprintf(out, " less a margin of %.10g MiB", request->margin_mb);
    fprintf(out, "\nTransfers between stages take no time.\n\n");
}

static void show_row(const struct balance_row *row, double limit_mb, double best, FILE *out)
{
    const struct balance_result *result = &row->result;
    const double peak = result->peak_mb[result->worst],
                 over = peak - limit_mb - BALANCE_TOLERANCE_MB;
    fprintf(out, "%-22s %12.6g %8.4f %8.4f %9.4f %9.4f %11.1f %5d  ", row->label,
            result->makespan, result->bubble.real, result->bubble.ideal,
            result->bubble.imbalance, result->bubble.recompute, peak, result->worst);
    if (over > 0)
        fprintf(out, "exceeds by %.1f MiB", over);
    else
        fprintf(out, "fits");
    fprintf(out, "  %.3f\n", best / result->makespan);
}

static void show_bound(const struct balance_answer *answer, FILE *out)
{
    if (answer->is_proven) {
        fprintf(out, "The strategy is optimal: no other one within memory is faster.\n");
        return;
    }
    fprintf(out,
            "No strategy within memory takes less than %.6g (gap %.2f %%): the strategy is not "
            "proven optimal.\n",
            answer->bound,
            100 * (answer->best.makespan - answer->bound) / answer->best.makespan);
}

static void show_search(const struct balance_solution *solution, FILE *out)
{
    const struct balance_answer *answer = &solution->answer;
    fprintf(out, "\n");
    show_bound(answer, out);
    fprintf(out, "%" PRId64 " evaluations of %" PRId64 "%s. Published proxy Z: %.8g (%s)\n",
            answer->evaluations, solution->task.budget,
            solution->outcome == BALANCE_STOPPED ? ", stopped early" : "", answer->proxy_value,
            answer->proxy_is_proven ? "proven" : "not proven");
}

void balance_show(const struct balance_request *request,
                  const struct balance_solution *solution,
                  FILE *out)
{
    show_task(request, out);
    fprintf(out, "%-22s %12s %8s %8s %9s %9s %11s %5s\n", "strategy", "step time", "bubble",
            "ideal", "imbalance", "recompute", "peak MiB", "stage");
    for (int i = 0; i < solution->n; i++)
        show_row(&solution->rows[i], solution->task.limit_mb, solution->rows[0].result.makespan,
                 out);
    show_search(solution, out);
}
