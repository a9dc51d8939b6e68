// SPDX-License-Identifier: Apache-2.0
// Prints one line for each training, what was learned, and how far it can be trusted.
#include "planner/measure/report.h"

#include "base/math/units.h"
#include "base/system/disk.h"
#include "base/text/say.h"
#include "base/text/text_buffer.h"
#include "planner/nd/profiling/calibrate.h"
#include "planner/nd/profiling/left_out.h"
#include "planner/shared/files.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *end_name(enum measured_end end)
{
    return end == MEASURED_RAN ? "ran" : end == MEASURED_RAN_OUT ? "ran out" : "-";
}

// A measured value, the predicted one, and the error of the latter.
enum { PAIR = 64 };

static const char *pair_text(double measured, double predicted, char text[PAIR])
{
    if (measured > 0)
        snprintf(text, PAIR, "%10.3f %10.3f %+7.1f %%", measured, predicted,
                 100 * (predicted / measured - 1));
    else
        snprintf(text, PAIR, "%10s %10.3f %9s", "-", predicted, "");
    return text;
}

static void print_trainings(const struct learned *learned, const struct measured *list, int n)
{
    pps_say(stdout, "%-28s %10s %10s %9s %10s %10s %9s %8s", "training", "seconds", "model",
            "error", "peak GiB", "model", "error", "end");
    for (int i = 0; i < n; i++) {
        const struct measured *m = &list[i];
        const struct configuration_step *step = &m->training.mine.step;
        const double reserve =
            m->peak > 0 ? step->devices[step->worst].memory[CONFIGURATION_RESERVE] : 0;
        char times[PAIR], peaks[PAIR];
        const double peak = measured_predict_peak(m, learned->fragmentation) - reserve;
        pps_say(stdout, "%-28.28s %s %s %8s", m->path,
                pair_text(m->seconds, learned->scale * step->seconds, times),
                pair_text(units_to_gib(m->peak), units_to_gib(peak), peaks), end_name(m->end));
    }
}

static void print_errors(const char *what, const struct learned_errors *e)
{
    if (e->n == 0)
        return;
    printf("%-9s mean error %.1f %% before, %.1f %% now", what, 100 * e->before,
           100 * e->after);
    if (isnan(e->left_out))
        printf("; one says nothing about others\n");
    else
        printf(", %.1f %% for trainings that it did not see%s\n", 100 * e->left_out,
               e->left_out > e->before ? ": the record without it is as good for others" : "");
}

static void print_learned(const struct learned *learned, const struct configuration *c)
{
    const struct stack *stack = training_stack(&c->training);
    char trust[ND_TRUST_TEXT];
    printf("\n");
    if (learned->has_time)
        printf("learned   all times x %.3f, from %d step%s: a record counts as one more step\n",
               learned->scale, learned->times.n, learned->times.n == 1 ? "" : "s");
    if (learned->has_memory)
        printf(
            "learned   the allocator adds %.1f %% to activations and buffers (%.1f %% before)\n",
            100 * learned->fragmentation, 100 * stack->fragmentation);
    if (learned->at_end)
        printf("note      that is the end of the range: something else explains the memory\n");
    print_errors("times", &learned->times);
    print_errors("peaks", &learned->peaks);
    if (learned->ends > 0)
        printf("ends      %d of %d told before, %d now: ran, or ran out of memory\n",
               learned->ends_before, learned->ends, learned->ends_after);
    printf("without   %s\n",
           nd_trust_text(&c->cluster.hardware, &c->training, &c->model, trust));
}

static void add_record(struct text_buffer *text, const struct learned *learned,
                       const struct configuration *c)
{
    const struct stack *was = training_stack(&c->training);
    struct stack stack = *was;
    snprintf(stack.base, sizeof stack.base, "%s", stack_base(was));
    snprintf(stack.name, sizeof stack.name, "measured");
    stack.scale = nd_rounded(learned->scale * was->scale);
    stack.fragmentation = nd_rounded(learned->fragmentation);
    nd_add_record(text, "stack", stack_document(&stack));
}

enum pps_status measured_report(const struct learned *learned, const struct measured *list,
                                int n, const char *folder, const struct pps_gate *gate,
                                struct pps_error *err)
{
    const struct configuration *c = &list[0].training.mine.plan.configuration;
    struct text_buffer text = {0};
    char path[PLAN_PATH];
    enum pps_status status = PPS_OK;
    print_trainings(learned, list, n);
    print_learned(learned, c);
    add_record(&text, learned, c);
    if (text.failed)
        status = pps_fail_memory(err, "the record");
    else if (folder == NULL)
        printf("\n%s", text.text);
    else
        status = pps_disk_make_folder(folder, err);
    if (status == PPS_OK && folder != NULL) {
        snprintf(path, sizeof path, "%s/stack.json", folder);
        status = plan_write_text(path, &text, gate, err);
        if (status == PPS_OK)
            pps_say(stdout, "wrote     %s (--stack %s)", path, path);
    }
    text_buffer_free(&text);
    return status;
}
