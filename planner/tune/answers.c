// SPDX-License-Identifier: Apache-2.0
// Keeps answers: trainings as files that were read back.
#include "planner/tune/tuning.h"

#include "base/text/say.h"
#include "planner/nd/launch/rewritten.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RISKY_MOST = 2 }; // answers that fit with less probability, beside safe ones

static const double WORTH = 1e-3; // a gain below this is no reason for a risk

// ---- what changes -------------------------------------------------------------------------------

struct words {
    char *text;
    size_t size, n;
};

static void add(struct words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct words *words, const char *format, ...)
{
    va_list list;
    if (words->n > 0 && words->n < words->size)
        words->n += (size_t)snprintf(words->text + words->n, words->size - words->n, ", ");
    va_start(list, format);
    if (words->n < words->size)
        words->n +=
            (size_t)vsnprintf(words->text + words->n, words->size - words->n, format, list);
    va_end(list);
}

static void add_degrees(struct words *words, const struct nd_strategy *s,
                        const struct nd_strategy *before)
{
    const struct {
        const char *name;
        int32_t now, before;
    } degrees[] = {{"dp", s->dp, before->dp}, {"tp", s->tp, before->tp},
                   {"cp", s->cp, before->cp}, {"pp", s->pp, before->pp},
                   {"ep", s->ep, before->ep}, {"op", s->op, before->op},
                   {"vp", s->vp, before->vp}, {"mbs", s->mbs, before->mbs}};
    for (size_t k = 0; k < sizeof degrees / sizeof *degrees; k++)
        if (degrees[k].now != degrees[k].before)
            add(words, "%s %d", degrees[k].name, degrees[k].now);
    if (s->sp != before->sp)
        add(words, "sp %s", s->sp ? "on" : "off");
}

static bool same_layers(const struct configuration *a, const struct configuration *b)
{
    bool same = a->n_parts == b->n_parts;
    for (int32_t k = 0; same && k < a->n_parts; k++)
        same =
            configuration_part_layers(&a->parts[k]) == configuration_part_layers(&b->parts[k]);
    return same;
}

// Adds "layers 10 x 5, 11, 9": parts in the order of the model.
static void add_layers(struct words *words, const struct configuration *c)
{
    char list[96] = "";
    size_t n = 0;
    for (int32_t k = 0, same = 1; k < c->n_parts && n < sizeof list; k += same, same = 1) {
        const int32_t layers = configuration_part_layers(&c->parts[k]);
        while (k + same < c->n_parts &&
               configuration_part_layers(&c->parts[k + same]) == layers)
            same++;
        n += (size_t)snprintf(list + n, sizeof list - n, same > 1 ? " %dx%d" : " %d", layers,
                              same);
    }
    if (n < sizeof list)
        add(words, "layers%s", list);
    else
        add(words, "layers spread anew");
}

static bool same_modules(const struct configuration *a, const struct configuration *b)
{
    return a->training.recompute_modules == b->training.recompute_modules;
}

// Adds what is made again, where that differs.
static void add_recompute(struct words *words, const struct configuration *c,
                          const struct configuration *mine)
{
    const char *word = plan_mine_recompute(c);
    char modules[TRAINING_MODULE_WORDS];
    const bool select = strcmp(word, "select") == 0;
    int64_t n = 0;
    bool same = mine != NULL && same_layers(c, mine) && (!select || same_modules(c, mine));
    for (int32_t k = 0; k < c->n_parts; k++) {
        const struct configuration_part *part = &c->parts[k];
        n += configuration_sum(part->full) + configuration_sum(part->select);
        same = same &&
               configuration_sum(part->full) == configuration_sum(mine->parts[k].full) &&
               configuration_sum(part->select) == configuration_sum(mine->parts[k].select);
    }
    if (same ||
        (mine != NULL && strcmp(word, "mixed") != 0 &&
         strcmp(word, plan_mine_recompute(mine)) == 0 && (!select || same_modules(c, mine))))
        return;
    training_module_words(c->training.recompute_modules, modules);
    if (strcmp(word, "none") == 0)
        add(words, "recompute nothing");
    else if (strcmp(word, "full") == 0)
        add(words, "recompute every layer");
    else if (select)
        add(words, "recompute %s of every layer", modules[0] != '\0' ? modules : "parts");
    else
        add(words, "recompute %lld of %lld layers", (long long)n,
            (long long)modeldesc_layers(&c->model));
}

// Says in what a training differs from that of the user; without one, what it is.
static void describe(struct tune_answer *answer, const struct configuration *c,
                     const struct configuration *mine)
{
    struct words words = {answer->change, sizeof answer->change, 0};
    const struct nd_strategy none = {.cp = 1, .ep = 1, .vp = 1};
    add_degrees(&words, &c->strategy, mine != NULL ? &mine->strategy : &none);
    if (mine != NULL ? strcmp(configuration_schedule(c), configuration_schedule(mine)) != 0
                     : c->family != NULL)
        add(&words, "schedule %s", configuration_schedule(c));
    add_recompute(&words, c, mine);
    if (c->strategy.pp > 1 && (mine == NULL || !same_layers(c, mine)))
        add_layers(&words, c);
}

// ---- keeping ------------------------------------------------------------------------------------

static const struct configuration *mine_of(const struct tuning *t)
{
    return t->mine.has ? &t->mine.plan.configuration : NULL;
}

static void note_refused(struct tuning *t, const char *why)
{
    if (t->refused++ == 0)
        snprintf(t->why, sizeof t->why, "%.255s", why);
}

static bool is_known(const struct tuning *t, const struct text_buffer *text)
{
    for (int k = 0; k < t->n; k++)
        if (t->answers[k].text.n == text->n &&
            memcmp(t->answers[k].text.text, text->text, text->n) == 0)
            return true;
    return false;
}

// Takes the text. Returns NULL when out of memory.
static struct tune_answer *append(struct tuning *t, struct text_buffer *text)
{
    if (t->n == t->room) {
        const int room = t->room > 0 ? 2 * t->room : 32;
        struct tune_answer *answers = realloc(t->answers, (size_t)room * sizeof *answers);
        if (answers == NULL)
            return NULL;
        t->answers = answers;
        t->room = room;
    }
    struct tune_answer *answer = &t->answers[t->n];
    *answer = (struct tune_answer){.text = *text, .id = t->n};
    *text = (struct text_buffer){.text = NULL};
    t->n++;
    return answer;
}

enum pps_status tune_take(struct tuning *t, int answer, double seconds,
                          const struct configuration *c, struct pps_error *err)
{
    struct configuration copy;
    if (!configuration_copy(&copy, c))
        return pps_fail_memory(err, "the training");
    configuration_free(&t->now);
    t->now = copy;
    t->now.cluster.memory_limit = t->limit;
    t->now_seconds = seconds;
    t->now_answer = answer;
    return PPS_OK;
}

static enum pps_status keep(struct tuning *t, enum tune_link link,
                            const struct plan_written *written, double bound,
                            struct text_buffer *text, struct pps_error *err)
{
    const struct configuration *c = &written->mine.plan.configuration;
    if (!written->can_run) {
        note_refused(t, written->why);
        return PPS_OK;
    }
    if (written->mine.step.peak > t->memory)
        return PPS_OK;
    struct tune_answer *answer = append(t, text);
    if (answer == NULL)
        return pps_fail_memory(err, "the answers");
    answer->link = link;
    answer->seconds = written->mine.step.seconds;
    answer->peak = written->mine.step.peak;
    answer->strategy = c->strategy;
    answer->schedule = configuration_schedule(c);
    answer->bound = bound < answer->seconds ? bound : answer->seconds;
    answer->safe = answer->peak <= t->safe;
    describe(answer, c, mine_of(t));
    // It is the start of the next link if it is the fastest that is allowed.
    if (answer->peak > t->limit || answer->seconds >= t->now_seconds * (1 - 1e-9))
        return PPS_OK;
    return tune_take(t, answer->id, answer->seconds, c, err);
}

enum pps_status tune_add(struct tuning *t, enum tune_link link, const struct configuration *c,
                         double bound, struct pps_error *err)
{
    const struct plan_run *run = &t->input.job.run;
    struct text_buffer text = {.text = NULL};
    struct plan_written written;
    enum pps_status status = nd_rewrite(&text, run, c, err);
    t->results[link].tried++;
    if (status == PPS_E_INPUT) {
        note_refused(t, err->text);
        *err = (struct pps_error){.code = PPS_OK};
        status = PPS_OK;
    } else if (status == PPS_OK && !is_known(t, &text)) {
        status = nd_rewritten_open(&written, t->args, run, &text, NULL, err);
        if (status == PPS_OK) {
            status = keep(t, link, &written, bound, &text, err);
            plan_written_close(&written);
        }
    }
    text_buffer_free(&text);
    tune_progress_show(t, link);
    return status;
}

// ---- all ----------------------------------------------------------------------------------------

static int better(const void *a, const void *b)
{
    const struct tune_answer *p = a, *q = b;
    if (p->safe != q->safe)
        return p->safe ? -1 : 1;
    if (p->seconds != q->seconds)
        return p->seconds < q->seconds ? -1 : 1;
    return p->id - q->id;
}

static void free_answer(struct tune_answer *answer)
{
    if (answer->opened)
        plan_written_close(&answer->written);
    text_buffer_free(&answer->text);
    free(answer->path);
}

// Returns whether an answer is the best of a link.
static bool is_of_chain(const struct tuning *t, const struct tune_answer *answer)
{
    bool is = false;
    for (int k = 0; k < TUNE_LINKS; k++)
        is = is || (t->results[k].run && t->results[k].best == answer->id);
    return is;
}

// Returns the step time below which a risk is worth it.
static double worth_a_risk(const struct tuning *t, double mine)
{
    const double safe = t->n > 0 && t->answers[0].safe ? t->answers[0].seconds : HUGE_VAL;
    return fmin(safe, mine) * (1 - WORTH);
}

// Returns how many answers are neither safe nor too slow, at most `most`.
static int count_risky(const struct tuning *t, double risk, int most)
{
    int n = 0;
    for (int k = 0; k < t->n; k++)
        n += !t->answers[k].safe && t->answers[k].seconds < risk;
    return n < most ? n : most;
}

void tune_sort(struct tuning *t)
{
    const double mine = tune_has_mine(t) ? t->mine.step.seconds * (1 - 1e-9) : HUGE_VAL;
    int chain = 0, kept = 0;
    for (int k = 0; k < t->n; k++)
        chain += is_of_chain(t, &t->answers[k]);
    if (t->n > 0)
        qsort(t->answers, (size_t)t->n, sizeof *t->answers, better);
    const double risk = worth_a_risk(t, mine);
    const bool any_safe = t->n > 0 && t->answers[0].safe;
    int risky = count_risky(t, risk, any_safe ? RISKY_MOST : TUNE_ANSWERS_MOST);
    int safe = TUNE_ANSWERS_MOST - risky - chain;
    for (int k = 0; k < t->n; k++) {
        struct tune_answer *answer = &t->answers[k];
        const bool is_fast = answer->seconds < (answer->safe ? mine : risk);
        int *left = answer->safe ? &safe : &risky;
        if (is_fast && (is_of_chain(t, answer) || (*left)-- > 0))
            t->answers[kept++] = *answer;
        else
            free_answer(answer);
    }
    t->n = kept;
}

const struct tune_answer *tune_answer_of(const struct tuning *t, int id)
{
    for (int k = 0; k < t->n; k++)
        if (t->answers[k].id == id)
            return &t->answers[k];
    return NULL;
}

enum pps_status tune_open_answer(struct tuning *t, struct tune_answer *answer,
                                 struct pps_error *err)
{
    if (answer->opened)
        return PPS_OK;
    const enum pps_status status = nd_rewritten_open(
        &answer->written, t->args, &t->input.job.run, &answer->text, NULL, err);
    answer->opened = status == PPS_OK;
    return status;
}

void tune_free_answers(struct tuning *t)
{
    for (int k = 0; k < t->n; k++)
        free_answer(&t->answers[k]);
    free(t->answers);
    t->answers = NULL;
    t->n = t->room = 0;
}
