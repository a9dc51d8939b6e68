// SPDX-License-Identifier: Apache-2.0
// Searches which modules of the layers are made again, where the framework lets a file choose them.
#include "planner/tune/tuning.h"

#include "kernels/configuration/price.h"
#include "planner/nd/launch/rewritten.h"

#include <math.h>
#include <stdlib.h>

enum { LISTS = 1 << 7 }; // of modules at most

// One list of modules: what all layers together take and keep.
struct list {
    unsigned modules; // 0: nothing is made again
    double seconds, kept;
};

// Returns the modules that layers of a model have. Those of the kernel of attention are not worth the time.
static unsigned modules_of(const struct modeldesc *model)
{
    unsigned modules = TRAINING_LAYERNORM;
    if (model->experts == 0 || model->dense_layers > 0)
        modules |= TRAINING_MLP;
    if (model->attention == MODELDESC_MLA)
        modules |= TRAINING_MLA_UP_PROJ;
    if (model->experts > 0)
        modules |= TRAINING_MOE_ACT | TRAINING_MOE;
    if (model->shared_ffn > 0)
        modules |= TRAINING_SHARED_EXPERTS;
    return modules;
}

static bool is_list(unsigned modules, unsigned all)
{
    const unsigned parts = TRAINING_MOE_ACT | TRAINING_SHARED_EXPERTS;
    return (modules & ~all) == 0 && ((modules & TRAINING_MOE) == 0 || (modules & parts) == 0);
}

static void set_modules(struct configuration *c, unsigned modules)
{
    c->training.recompute_modules = modules;
    configuration_recompute(c, modules != 0 ? ND_RECOMPUTE_SELECT : ND_RECOMPUTE_NONE);
}

static void price(struct list *list, struct configuration *c)
{
    struct configuration_figures figures;
    set_modules(c, list->modules);
    configuration_figures_of(&figures, c);
    for (int32_t k = 0; k < c->n_parts; k++) {
        struct configuration_part_price part;
        configuration_price_part(&part, &figures, c, k);
        list->seconds += part.forward + part.backward;
        list->kept += part.kept;
    }
}

static int quicker(const void *a, const void *b)
{
    const struct list *p = a, *q = b;
    if (p->seconds != q->seconds)
        return p->seconds < q->seconds ? -1 : 1;
    if (p->kept != q->kept)
        return p->kept < q->kept ? -1 : 1;
    return p->modules < q->modules ? -1 : 1;
}

// Sets the lists of which none is both quicker and smaller, the quickest first. Returns their number.
static int find_lists(struct list lists[LISTS], struct configuration *c)
{
    const unsigned all = modules_of(&c->model);
    double least = HUGE_VAL;
    int n = 0, kept = 0;
    for (unsigned modules = 0; modules < LISTS; modules++)
        if (is_list(modules, all)) {
            lists[n] = (struct list){.modules = modules};
            price(&lists[n++], c);
        }
    qsort(lists, (size_t)n, sizeof *lists, quicker);
    for (int k = 0; k < n; k++)
        if (lists[k].kept < least) {
            least = lists[k].kept;
            lists[kept++] = lists[k];
        }
    return kept;
}

// Sets *can to whether a file can have these modules: a framework allows some of them beside some other arguments only.
static enum pps_status can_write(const struct tuning *t, const struct configuration *c,
                                 bool *can, struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    const enum pps_status status = nd_rewrite(&text, &t->input.job.run, c, err);
    text_buffer_free(&text);
    *can = status == PPS_OK;
    if (status != PPS_E_INPUT)
        return status;
    *err = (struct pps_error){.code = PPS_OK};
    return PPS_OK;
}

// Tries a list. *over: it and all further ones are slower than the present training.
static enum pps_status try_list(struct tuning *t, enum tune_link link,
                                const struct configuration *c, bool *over,
                                struct pps_error *err)
{
    struct configuration_step step;
    bool can = false;
    const enum configuration_status done = configuration_step_brief(&step, c, &t->poll);
    const bool fits = done == CONFIGURATION_DONE && step.peak <= t->limit;
    *over = done == CONFIGURATION_DONE && step.seconds >= t->now_seconds;
    configuration_step_free(&step);
    if (done == CONFIGURATION_NO_MEMORY)
        return pps_fail_memory(err, "the search");
    enum pps_status status = fits && !*over ? can_write(t, c, &can, err) : PPS_OK;
    return status == PPS_OK && can ? tune_add(t, link, c, 0, err) : status;
}

// Tries lists until one that a file can have makes the step shorter.
static enum pps_status try_lists(struct tuning *t, enum tune_link link, struct configuration *c,
                                 struct pps_error *err)
{
    struct list lists[LISTS];
    const int n = find_lists(lists, c), before = t->now_answer;
    enum pps_status status = PPS_OK;
    bool over = false;
    for (int k = 0; k < n && status == PPS_OK && !over && t->now_answer == before; k++) {
        set_modules(c, lists[k].modules);
        status = try_list(t, link, c, &over, err);
        over = over || tune_ended(t);
    }
    return status;
}

static bool makes_again(const struct configuration *c)
{
    for (int32_t k = 0; k < c->n_parts; k++)
        if (configuration_sum(c->parts[k].full) + configuration_sum(c->parts[k].select) > 0)
            return true;
    return false;
}

enum pps_status tune_try_modules(struct tuning *t, enum tune_link link,
                                 const struct configuration *like, struct pps_error *err)
{
    const struct plan_document *file = plan_run_configuration(&t->input.job.run);
    struct configuration c;
    const bool any_fits = t->now_seconds < HUGE_VAL;
    if ((file != NULL && file->framework != FRAMEWORK_MEGATRON) ||
        (any_fits && !makes_again(like)))
        return PPS_OK;
    if (!configuration_copy(&c, like))
        return pps_fail_memory(err, "the training");
    const enum pps_status status = try_lists(t, link, &c, err);
    configuration_free(&c);
    return status;
}
