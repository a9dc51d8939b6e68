// SPDX-License-Identifier: Apache-2.0
// Expresses the recomputed layers. Megatron-LM recomputes the same number of layers in each chunk, and
// MindSpeed can deal a number of layers of a device to its chunks: a plan with other numbers becomes the plan
// with the greatest of them, which needs no more memory.
#include "kernels/frameworks/megatron/megatron_wish.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum mode { NONE, SELECT, BLOCK, FULL };

struct plan {
    enum mode mode;
    int64_t block; // layers of each chunk
    bool dealt;    // layers of each device instead
    bool exact;
};

static int64_t layers_of(const struct megatron_wishes *w, int64_t c)
{
    const bool last = c == w->pp * w->vp - 1;
    if (w->settings->layers != NULL)
        return w->settings->layers[c];
    return w->decoders[c] + (last ? megatron_number(w->now, MG_MTP, 0) : 0);
}

// Returns whether every device makes n layers again, which are dealt to its chunks in turn.
static bool is_dealt(const struct megatron_wishes *w, int64_t n)
{
    for (int64_t c = 0; c < w->pp * w->vp; c++) {
        const int64_t dealt = megatron_dealt(n, c / w->pp, w->vp), layers = layers_of(w, c);
        if (w->settings->full[c] != (dealt < layers ? dealt : layers) ||
            (w->settings->select != NULL && w->settings->select[c] > 0))
            return false;
    }
    return true;
}

// A file that deals numbers of devices keeps this form where it can. Returns the number; 0: none.
static int64_t dealt_number(const struct megatron_wishes *w)
{
    if (!megatron_has(w->now, MG_RECOMPUTE_PER_RANK) || w->settings->full == NULL || w->vp == 1)
        return 0;
    for (int64_t n = 1; n <= w->layers; n++)
        if (is_dealt(w, n))
            return n;
    return 0;
}

static struct plan plan_of(const struct megatron_wishes *w)
{
    const int64_t dealt = dealt_number(w);
    if (dealt > 0)
        return (struct plan){.mode = BLOCK, .block = dealt, .dealt = true, .exact = true};

    const int32_t *full = w->settings->full, *part = w->settings->select;
    struct plan plan = {.exact = true};
    bool any_part = false, all = true;
    for (int64_t c = 0; c < w->pp * w->vp; c++) {
        const int64_t f = full != NULL ? full[c] : 0, p = part != NULL ? part[c] : 0;
        any_part = any_part || p > 0;
        all = all && f >= layers_of(w, c);
        plan.block = f > plan.block ? f : plan.block;
    }
    plan.mode = plan.block == 0 ? (any_part ? SELECT : NONE) : all ? FULL : BLOCK;
    for (int64_t c = 0; plan.mode == BLOCK && c < w->pp * w->vp; c++) {
        const int64_t sum = (full != NULL ? full[c] : 0) + (part != NULL ? part[c] : 0);
        plan.block = sum > plan.block ? sum : plan.block;
    }
    for (int64_t c = 0; c < w->pp * w->vp; c++) {
        const int64_t layers = layers_of(w, c), f = full != NULL ? full[c] : 0;
        const int64_t p = part != NULL ? part[c] : 0;
        const int64_t wanted = plan.block < layers ? plan.block : layers;
        plan.exact = plan.exact && (plan.mode == SELECT  ? p >= layers
                                    : plan.mode == BLOCK ? f == wanted && p == 0
                                                         : true);
    }
    return plan;
}

static void note_numbers(struct text_buffer *notes, const char *how, const int32_t *numbers,
                         int64_t n)
{
    int64_t sum = 0;
    for (int64_t c = 0; numbers != NULL && c < n; c++)
        sum += numbers[c];
    if (sum == 0)
        return;
    text_buffer_add(notes, "; the plan is to recompute %s: ", how);
    for (int64_t c = 0; c < n; c++)
        text_buffer_add(notes, "%s%" PRId32, c > 0 ? " " : "", numbers[c]);
}

static void note(struct megatron_wishes *w, const struct plan *plan)
{
    const int64_t n = w->pp * w->vp;
    if (plan->exact)
        return;
    text_buffer_add(&w->notes,
                    "# Megatron-LM recomputes the same number of layers in each stage "
                    "and chunk");
    note_numbers(&w->notes, "fully", w->settings->full, n);
    note_numbers(&w->notes, "selectively", w->settings->select, n);
    text_buffer_add(&w->notes, "\n");
}

static void want_no_part(struct megatron_wishes *w)
{
    static const enum megatron_key parts[] = {
        MG_RECOMPUTE_ACTIVATIONS,     MG_RECOMPUTE_MODULES, MG_RECOMPUTE_FUNCTION,
        MG_RECOMPUTE_FUNCTION_LAYERS, MG_RECOMPUTE_EXPERTS, MG_RECOMPUTE_NORM,
        MG_RECOMPUTE_NORM_LAYERS,     MG_RECOMPUTE_UP_PROJ};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        megatron_want_none(w, parts[i]);
}

static void want_full(struct megatron_wishes *w, const struct plan *plan)
{
    want_no_part(w);
    if (!plan->dealt)
        megatron_want_none(w, MG_RECOMPUTE_PER_RANK);
    megatron_want(w, MG_GRANULARITY, "full");
    const bool all = plan->mode == FULL;
    const bool uniform = megatron_is(w->now, MG_METHOD, "uniform", NULL) &&
                         megatron_number(w->now, MG_RECOMPUTE_LAYERS, 0) > 0;
    megatron_want(w, MG_METHOD, all ? "uniform" : "block");
    if (!all || !uniform)
        megatron_want_number(w, MG_RECOMPUTE_LAYERS, all ? 1 : plan->block, 0);
}

static void want_no_full(struct megatron_wishes *w)
{
    megatron_want_none(w, MG_METHOD);
    megatron_want_none(w, MG_RECOMPUTE_LAYERS);
    megatron_want_none(w, MG_RECOMPUTE_PER_RANK);
}

// Returns why Megatron-LM cannot make a module again; NULL: it can.
static const char *misfit(const struct megatron *now, enum megatron_module module)
{
    const bool delayed =
        megatron_has(now, MG_FP8) && megatron_is(now, MG_FP8_RECIPE, "delayed", "delayed");
    if (module == MEGATRON_MOE_ACT && !megatron_has(now, MG_GROUPED_GEMM))
        return "needs --moe-grouped-gemm";
    if (module == MEGATRON_SHARED_EXPERTS && megatron_has(now, MG_OVERLAP_SHARED))
        return "does not go with --moe-shared-expert-overlap";
    if (module == MEGATRON_MOE && megatron_has(now, MG_OVERLAP_EP))
        return "does not go with --overlap-moe-expert-parallel-comm";
    if ((module == MEGATRON_MOE_ACT || module == MEGATRON_LAYERNORM) && delayed)
        return "does not go with delayed scaling of fp8";
    return NULL;
}

// Returns what Megatron-LM can make again of norms and activation functions.
static unsigned usual_modules(const struct megatron *now)
{
    unsigned modules = 1U << MEGATRON_LAYERNORM;
    if (megatron_number(now, MG_EXPERTS, 0) > 0 && misfit(now, MEGATRON_MOE_ACT) == NULL)
        modules |= 1U << MEGATRON_MOE_ACT;
    return modules;
}

// Returns the modules that a file gets or keeps unless others are wished: scores if the kernel of attention writes them
// (the default), otherwise norms and activation functions. 0: those of the stack.
static unsigned own_modules(const struct megatron *now)
{
    const bool experts = megatron_number(now, MG_EXPERTS, 0) > 0;
    if (megatron_has(now, MG_SWAP_ATTENTION) && megatron_is_partly(now))
        return 1U << MEGATRON_MLP | (experts ? 1U << MEGATRON_MOE : 0U);
    if (megatron_is_partly(now))
        return megatron_modules_of(now);
    return megatron_has_flash(now) ? usual_modules(now) : 1U << MEGATRON_CORE_ATTN;
}

static void want_list(struct megatron_wishes *w, unsigned modules)
{
    char words[96] = "";
    for (unsigned k = 0; k < N_MEGATRON_MODULES; k++)
        if ((modules & 1U << k) != 0)
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s",
                     words[0] != '\0' ? " " : "", megatron_modules[k]);
    megatron_want(w, MG_RECOMPUTE_MODULES, words);
}

static void want_own_modules(struct megatron_wishes *w)
{
    const struct megatron *now = w->now;
    if (megatron_is_partly(now) ? megatron_has(now, MG_SWAP_ATTENTION)
                                : megatron_has_flash(now))
        want_list(w, own_modules(now));
}

// Returns false if the wished modules cannot be made again.
static bool want_modules(struct megatron_wishes *w, unsigned modules)
{
    for (unsigned k = 0; k < N_MEGATRON_MODULES; k++) {
        const char *why =
            (modules & 1U << k) != 0 ? misfit(w->now, (enum megatron_module)k) : NULL;
        if (why != NULL)
            return megatron_cannot(w, "--recompute-modules %s %s", megatron_modules[k], why);
    }
    want_no_part(w);
    want_list(w, modules);
    megatron_want(w, MG_GRANULARITY, "selective");
    return true;
}

static bool want_select(struct megatron_wishes *w)
{
    const unsigned wished = w->settings->modules;
    want_no_full(w);
    if (wished != 0 && wished != own_modules(w->now))
        return want_modules(w, wished);
    want_own_modules(w);
    if (megatron_has(w->now, MG_RECOMPUTE_FUNCTION)) {
        megatron_want_none(w, MG_GRANULARITY);
        megatron_want_none(w, MG_RECOMPUTE_FUNCTION_LAYERS);
    } else if (megatron_has(w->now, MG_RECOMPUTE_ACTIVATIONS)) {
        megatron_want_none(w, MG_GRANULARITY);
    } else {
        megatron_want(w, MG_GRANULARITY, "selective");
    }
    return true;
}

static void want_nothing(struct megatron_wishes *w)
{
    want_no_full(w);
    megatron_want_none(w, MG_GRANULARITY);
    want_no_part(w);
}

bool megatron_wish_recompute(struct megatron_wishes *w)
{
    if (w->settings->full == NULL && w->settings->select == NULL)
        return true;
    const struct plan plan = plan_of(w);
    if (plan.mode >= BLOCK && megatron_has(w->now, MG_OVERLAP_EP) &&
        w->of[MG_OVERLAP_EP].change != MG_REMOVE &&
        !megatron_is(w->now, MG_GRANULARITY, "full", NULL))
        return megatron_cannot(w, "--%s does not allow layers that are recomputed wholly",
                               megatron_arguments[MG_OVERLAP_EP].name);
    // Both change which layers the numbers mean.
    megatron_want_none(w, MG_RECOMPUTE_ADVANCE);
    if (plan.mode != NONE)
        megatron_want_none(w, MG_SWAP_ATTENTION);
    if (plan.mode == NONE)
        want_nothing(w);
    else if (plan.mode != SELECT)
        want_full(w, &plan);
    else if (!want_select(w))
        return false;
    note(w, &plan);
    return true;
}
