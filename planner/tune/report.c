// SPDX-License-Identifier: Apache-2.0
// Prints what was found for people.
#include "planner/tune/tuning.h"

#include "base/math/units.h"
#include "base/text/say.h"

#include <math.h>
#include <stdio.h>

static double gain(const struct tuning *t, double seconds)
{
    return 100 * (1 - seconds / t->mine.step.seconds);
}

static double within(const struct tuning *t)
{
    return t->group != NULL ? nd_left_out_band(t->group) : 0;
}

// Returns the probability that a training with this peak fits.
static const char *percent(const struct tuning *t, double peak, char text[ND_PERCENT_TEXT])
{
    return nd_fit_percent(&t->input.job.run.training, peak, t->memory, text);
}

// ---- the training of the user -------------------------------------------------------------------

static void print_mine(const struct tuning *t)
{
    const struct checked mine = tune_checked_mine(t);
    char text[32], odds[ND_PERCENT_TEXT];
    if (!t->mine.has) {
        printf("mine      the file sets no strategy that can run\n");
        return;
    }
    const struct configuration_step *step = &t->mine.step;
    checked_print_read(&mine);
    printf("mine      %s s, %.3f of %.6g GiB, %s (probability %s)\n",
           checked_seconds(step->seconds, text), units_to_gib(step->peak),
           units_to_gib(t->memory), tune_has_mine(t) ? "fits" : "does not fit",
           percent(t, step->peak, odds));
}

// ---- the chain ----------------------------------------------------------------------------------

static void print_gain(const struct tuning *t, double seconds)
{
    if (t->mine.has)
        printf(" %+7.1f %%", gain(t, seconds));
    else
        printf(" %9s", "-");
}

static void print_link(const struct tuning *t, enum tune_link link, int before)
{
    const struct tune_result *result = &t->results[link];
    const struct tune_answer *best = tune_answer_of(t, result->best);
    char text[32];
    printf("%-9s", tune_link_names[link]);
    if (best == NULL || result->best == before)
        printf(" %10s %9s %10s  ", "-", "", "");
    else {
        printf(" %10s", checked_seconds(best->seconds, text));
        print_gain(t, best->seconds);
        if (best->bound > 0)
            printf(" %10s  ", checked_seconds(best->bound, text));
        else
            printf(" %10s  ", "-");
    }
    if (best != NULL && result->best != before)
        pps_say_part(stdout, "%s", best->change);
    else
        printf(result->tried > 0       ? "nothing faster of %d tried"
               : link == TUNE_SCHEDULE ? "none that the framework can run"
                                       : "nothing that fits",
               result->tried);
    printf("%s\n", result->ended ? " (ended early)" : "");
}

static void print_chain(const struct tuning *t)
{
    int before = -1;
    printf("\n%-9s %10s %9s %10s  %s\n", "link", "step s", "gain", "bound s",
           t->mine.has ? "what changes in mine" : "what the training is");
    for (int link = 0; link < TUNE_LINKS; link++)
        if (t->results[link].run) {
            print_link(t, (enum tune_link)link, before);
            before = t->results[link].best;
        }
}

// ---- the answers --------------------------------------------------------------------------------

static bool is_close(const struct tuning *t, int k)
{
    return t->answers[k].seconds <= t->answers[0].seconds * (1 + within(t));
}

static void print_answer(const struct tuning *t, int k)
{
    const struct tune_answer *a = &t->answers[k];
    const struct nd_strategy *s = &a->strategy;
    char text[32], odds[ND_PERCENT_TEXT];
    printf("%2d%c %5d %3d %3d %3d %3d %5d %3d %3d %-3s %-11s %10s", k + 1,
           !a->safe                  ? '!'
           : k > 0 && is_close(t, k) ? '~'
                                     : ' ',
           s->dp, s->tp, s->cp, s->pp, s->ep, s->op, s->vp, s->mbs, s->sp ? "on" : "off",
           a->schedule, checked_seconds(a->seconds, text));
    print_gain(t, a->seconds);
    printf(" %9.3f %10s  %s\n", units_to_gib(a->peak), percent(t, a->peak, odds),
           tune_link_names[a->link]);
}

static void print_answers(const struct tuning *t)
{
    bool any_close = false, any_risky = false;
    printf("\n%3s %5s %3s %3s %3s %3s %5s %3s %3s %-3s %-11s %10s %9s %9s %10s  %s\n", "", "dp",
           "tp", "cp", "pp", "ep", "op", "vp", "mbs", "sp", "schedule", "step s", "gain",
           "peak GiB", "fits", "link");
    for (int k = 0; k < t->n; k++) {
        print_answer(t, k);
        any_risky = any_risky || !t->answers[k].safe;
        any_close = any_close || (k > 0 && t->answers[k].safe && is_close(t, k));
    }
    printf("    dp data, tp tensor, cp context, pp pipeline, ep expert parallel; op ranks that "
           "share optimizer states;\n"
           "    vp chunks per stage; mbs sequences per micro-batch; sp sequence parallel\n");
    if (any_close)
        printf("    ~ not distinguishable from row 1: step times have an error of +- %.0f %%\n",
               100 * within(t));
    if (any_risky)
        printf("    ! fits with a probability below %.3g %%\n", 100 * t->fit);
}

// ---- the best -----------------------------------------------------------------------------------

static void print_time_row(const char *name, const struct configuration_step *step,
                           unsigned mask)
{
    char text[32];
    printf("%-9s", name);
    for (int k = 0; k < CONFIGURATION_TIMES; k++)
        if ((mask >> k & 1) != 0)
            printf(" %10s", checked_seconds(step->times[k], text));
    printf("\n");
}

// Prints the parts of a step that are not 0 for mine and the best.
static void print_parts(const struct tuning *t)
{
    const struct configuration_step *best = &t->answers[0].written.mine.step;
    unsigned mask = 0;
    for (int k = 0; k < CONFIGURATION_TIMES; k++)
        if (best->times[k] != 0 || (t->mine.has && t->mine.step.times[k] != 0))
            mask |= 1U << k;
    printf("\n%-9s", "s");
    for (int k = 0; k < CONFIGURATION_TIMES; k++)
        if ((mask >> k & 1) != 0)
            printf(" %10s", configuration_time_names[k]);
    printf("\n");
    if (t->mine.has)
        print_time_row("mine", &t->mine.step, mask);
    print_time_row("row 1", best, mask);
}

// Says what a row would gain that fits with less probability.
static void print_risk(const struct tuning *t)
{
    const struct tune_answer *best = &t->answers[0], *risky = NULL;
    char text[32], odds[ND_PERCENT_TEXT];
    int k = 0;
    while (k < t->n && t->answers[k].safe)
        k++;
    if (k > 0 && k < t->n)
        risky = &t->answers[k];
    if (!best->safe)
        printf("risk      nothing faster fits with %.3g %% (--fit)\n", 100 * t->fit);
    else if (risky != NULL)
        printf(
            "risk      row %d takes %s s, %.1f %% less than row 1, but fits with a probability of "
            "%s only (--fit)\n",
            k + 1, checked_seconds(risky->seconds, text),
            100 * (1 - risky->seconds / best->seconds), percent(t, risky->peak, odds));
}

static void print_memory(const struct tuning *t)
{
    const struct tune_answer *best = &t->answers[0];
    char text[ND_FIT_TEXT];
    printf("\nmemory    row 1 needs %.3f of %.6g GiB, %s\n", units_to_gib(best->peak),
           units_to_gib(t->memory),
           nd_fit_text(&t->input.job.run.training, best->peak, t->memory, text));
    print_risk(t);
}

// Says what more memory, a faster network, and times that fluctuate would change.
static void print_what_if(const struct tuning *t)
{
    char text[32];
    const double seconds = t->answers[0].seconds,
                 saved = 100 * (1 - t->network.seconds / seconds),
                 more = 100 * (1 - t->more_memory / seconds);
    if (t->more_memory > 0 && more >= 0.05)
        printf("one GiB   with one GiB more a device row 1 takes %s s, %.1f %% less\n",
               checked_seconds(t->more_memory, text), more);
    else if (t->more_memory > 0)
        printf("one GiB   more a device changes nothing in row 1\n");
    if (saved < 0.05)
        printf("network   twice the rate between nodes changes nothing\n");
    else
        printf(
            "network   with twice the rate between nodes row %d is the fastest: %s s, %.1f %% "
            "less\n",
            t->network.row + 1, checked_seconds(t->network.seconds, text), saved);
    printf("noise     times that fluctuate by %.0f %% lengthen row 1 by %.1f %%",
           100 * TUNE_NOISE, 100 * (t->noise.first / seconds - 1));
    if (t->mine.has)
        printf(", mine by %.1f %%", 100 * (t->noisy_mine / t->mine.step.seconds - 1));
    printf("; row %d is the fastest then\n", t->noise.row + 1);
}

static void print_verdict(const struct tuning *t)
{
    char a[32], b[32];
    if (t->n == 0) {
        printf("\nbest      %s\n", tune_has_mine(t) ? "nothing is faster than mine"
                                                    : "nothing that was tried fits in memory");
        return;
    }
    const double seconds = t->answers[0].seconds;
    if (!t->mine.has) {
        printf("best      %s s per step\n", checked_seconds(seconds, a));
        return;
    }
    printf("best      %s s, mine %s s: %.1f %% %s%s\n", checked_seconds(seconds, a),
           checked_seconds(t->mine.step.seconds, b), fabs(gain(t, seconds)),
           gain(t, seconds) >= 0 ? "less" : "more",
           !tune_has_mine(t)                     ? "; mine does not fit in memory"
           : gain(t, seconds) <= 100 * within(t) ? "; within the error of step times"
                                                 : "");
}

void tune_print(const struct tuning *t)
{
    print_mine(t);
    print_chain(t);
    if (t->n > 0) {
        print_answers(t);
        print_parts(t);
        print_memory(t);
        print_what_if(t);
    }
    print_verdict(t);
    if (t->refused > 0)
        pps_say(stdout,
                "left out  %d that the framework cannot express or start; the first: %s",
                t->refused, t->why);
}
