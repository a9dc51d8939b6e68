// SPDX-License-Identifier: Apache-2.0
// Opens an estimate: computes the figures that all points of a model, cluster and training share.
#include "kernels/common/estimate/estimate.h"

#include <string.h>

// ---- executed operations ------------------------------------------------------------------------

static double matrices_of(const struct modeldesc *d)
{
    return d->gated ? 3 : 2;
}

// Sums over all layers, MTP layers included.
struct sums {
    double dense, moe; // parameters in use, per matrix of the feed-forward part
    double expanding;  // parameters of matrices that expand compressed queries, keys and values
    double scans;      // FLOPs of scans, a token, forward
    double grouped;    // parameters in use of routed experts
    double routed;     // parameters of routed experts
};

static double attention_widths(const struct modeldesc *d)
{
    if (d->mixer != MODELDESC_ATTENTION && !d->attention_beside)
        return 0;
    if (d->attention == MODELDESC_MLA)
        return (double)(d->heads * (d->qk_nope + d->qk_rope + d->v_dim));
    return (double)(d->heads * (d->head_dim + modeldesc_value_dim(d)));
}

// Adds n layers of the kind that a view describes.
static void add_layers(struct sums *sums, const struct modeldesc *d, double n)
{
    struct modeldesc_counts counts;
    modeldesc_count(d, &counts);
    if (d->experts > 0) {
        const double chosen =
            modeldesc_chosen(d) * (double)(modeldesc_expert_input(d) * d->moe_ffn);
        const double latent = 2 * (double)(d->hidden * d->moe_latent) / matrices_of(d);
        sums->moe += n * (chosen + (double)(d->hidden * d->shared_ffn) + latent);
        sums->grouped += n * matrices_of(d) * chosen;
    } else
        sums->dense += n * (double)(d->hidden * d->ffn);
    if (d->attention == MODELDESC_MLA && d->mixer == MODELDESC_ATTENTION)
        sums->expanding += n * (double)(d->heads * ((d->qk_nope + d->qk_rope) * d->q_rank +
                                                    (d->qk_nope + d->v_dim) * d->kv_rank));
    sums->scans += n * layercost_scan_flops(d);
    sums->routed += n * (double)(d->experts > 0 ? counts.routed : 0);
}

static struct sums sum_layers(struct nd_estimate *e)
{
    struct sums sums = {.dense = 0};
    for (int k = 0; k < layercost_kinds(&e->layers); k++) {
        struct modeldesc view;
        if (!(e->n_of[k] > 0))
            continue;
        modeldesc_view(&e->layers.model, k, &view);
        add_layers(&sums, &view, e->n_of[k]);
        e->attention_of[k] = 3 * e->n_of[k] * attention_widths(&view);
        e->attention_flops += e->attention_of[k];
    }
    return sums;
}

// Parameters in use of the products that mode full makes again: with `early_stop` not the last ones.
static double again_in_full(const struct nd_estimate *e, const struct sums *sums,
                            double used_by_layers)
{
    return used_by_layers - (e->layers.stack.early_stop ? sums->dense + sums->moe : 0);
}

// The same of a mode select that keeps a share of the products, but none of routed experts.
static double again_of_products(const struct nd_estimate *e, const struct sums *sums,
                                double used_by_layers)
{
    const double grouped = e->layers.stack.select_products > 0 ? sums->grouped : 0;
    return e->layers.stack.select_again * (used_by_layers - grouped) + grouped;
}

// The same of mode select.
static double again_in_select(const struct nd_estimate *e, const struct sums *sums,
                              double used_by_layers, bool flash)
{
    const struct modeldesc *d = &e->layers.model;
    const unsigned modules = e->layers.modules;
    double again = 0;
    if (modules == 0)
        return flash ? again_of_products(e, sums, used_by_layers) : 0;
    if (modules & TRAINING_MLP)
        again += matrices_of(d) * sums->dense;
    if (modules & TRAINING_MOE)
        again += matrices_of(d) * sums->moe;
    if (modules & TRAINING_MLA_UP_PROJ)
        again += sums->expanding;
    return again;
}

// What devices execute: forward and backward, and the forward of what is recomputed. A flash kernel
// skips the masked half of attention and makes scores again backward; without one all is executed.
static void open_made_flops(struct nd_estimate *e, const struct sums *sums,
                            double used_by_layers, bool flash)
{
    const double forward = e->attention_flops * (flash ? 1 : 2) / 3;
    const unsigned modules = e->layers.modules;
    for (int m = 0; m < LAYERCOST_MODES; m++) {
        e->made_flops[m] = e->active_flops + 0.5 * sums->scans;
        e->made_attention[m] = forward * (flash ? 3.5 : 3);
    }
    e->made_flops[LAYERCOST_FULL] += 2 * again_in_full(e, sums, used_by_layers) + sums->scans;
    e->made_flops[LAYERCOST_SELECT] += 2 * again_in_select(e, sums, used_by_layers, flash);
    e->made_attention[LAYERCOST_FULL] += forward;
    if (modules != 0 ? (modules & TRAINING_CORE_ATTN) != 0 : !flash) {
        e->made_attention[LAYERCOST_SELECT] += forward;
        e->made_flops[LAYERCOST_SELECT] += sums->scans;
    }
}

// Returns the parameters of adapters of all layers, of so many experts each.
static double adapters_of(const struct nd_estimate *e, double experts)
{
    if (e->layers.adapters == 0)
        return 0;
    int64_t n[MODELDESC_KINDS];
    double sum = 0;
    modeldesc_kinds_of(&e->layers.model, 0, e->n_layers, n);
    for (int k = 0; k < layercost_kinds(&e->layers); k++)
        sum += n[k] > 0 ? (double)n[k] * layercost_adapters(&e->layers, k, experts) : 0;
    return sum;
}

// Model FLOPs: two a parameter and token forward, four backward, two of these for the gradients of
// weights that are not frozen; attention scores and values beside
// them, of the half of all pairs of positions that a causal mask leaves. An input table is looked
// up, not multiplied.
static void open_flops(struct nd_estimate *e, bool flash)
{
    const struct modeldesc *d = &e->layers.model;
    const struct modeldesc_counts *c = &e->layers.counts;
    const struct sums sums = sum_layers(e);
    // Untied, the norm of an embedding is part of what is looked up.
    const int64_t tables = (d->vocab + d->positions) * d->hidden;
    double used = (double)(c->active - (d->tied ? 0 : c->embedding - tables));
    const double chosen = modeldesc_chosen(d);
    double idle = (double)c->routed * ((double)d->experts - chosen);
    const bool mtp_experts =
        d->n_kinds == 0 || d->kinds[d->pattern[e->n_layers - 1]].network == MODELDESC_EXPERTS;
    double mtp = d->experts > 0 && mtp_experts ? idle / (double)d->experts : 0;
    used +=
        (double)d->mtp_depth * ((double)c->mtp_module - mtp + (double)(d->vocab * d->hidden));
    e->active_flops =
        (e->layers.frozen ? 4 : 6) * used + 6 * adapters_of(e, chosen) + 3 * sums.scans;
    e->routed_parameters = sums.routed;
    open_made_flops(e, &sums, used - (double)((1 + d->mtp_depth) * d->vocab * d->hidden),
                    flash);
}

static void open_bytes(struct nd_estimate *e, const struct training *training)
{
    const double adapters = adapters_of(e, (double)e->layers.model.experts) /
                            (e->common_parameters + e->routed_parameters);
    e->trained = training->frozen ? adapters : 1;
    e->bytes_param = training->bytes_param * (1 + adapters);
    e->bytes_grad = training->bytes_grad * e->trained;
    e->bytes_optim = training->bytes_optim * e->trained;
}

void nd_estimate_open(struct nd_estimate *e, const struct modeldesc *model,
                      const struct cluster *cluster, const struct training *training,
                      uint32_t id)
{
    memset(e, 0, sizeof *e);
    layercost_open(&e->layers, model, &cluster->hardware, training);
    const struct modeldesc_counts *c = &e->layers.counts;
    e->layers.hardware.node = cluster->node_devices;
    e->id = id;
    e->kinds = model->n_kinds;
    e->n_layers = modeldesc_layers(model);
    e->n_dense = model->n_kinds > 0    ? 0
                 : model->experts == 0 ? e->n_layers
                                       : model->dense_layers;
    int64_t n[MODELDESC_KINDS];
    modeldesc_kinds_of(model, 0, e->n_layers, n);
    for (int k = 0; k < MODELDESC_KINDS; k++)
        e->n_of[k] = (double)n[k];
    e->mtp_depth = model->mtp_depth;
    e->reserve = cluster->reserve;
    e->zero_level = training->distributed_optimizer ? training->zero_level : 0;
    e->offload_optimizer = training->offload_optimizer;
    e->offload_parameters = training->offload_parameters;
    e->schedule = training->schedule;
    e->low_mem_vpp = training->low_mem_vpp;
    e->dummy_wgrad = training->dummy_wgrad && !training->frozen;
    open_flops(e, training->flash_attention);
    e->common_parameters =
        (double)(c->total + model->mtp_depth * c->mtp_module) - e->routed_parameters;
    open_bytes(e, training);
}
