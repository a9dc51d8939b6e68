// SPDX-License-Identifier: Apache-2.0
// Opens an estimate: computes the figures that all points of a model, cluster and training share.
#include "kernels/ndsearch/estimate/estimate.h"

#include <string.h>

// What devices execute: forward and backward, and the forward of what is recomputed. A flash kernel
// skips the masked half of attention and makes scores again backward; without one all is executed.
// Parameters in use of the products that mode full does not make again with `early_stop`.
static double last_products(const struct nd_estimate *e)
{
    const struct modeldesc *d = &e->layers.model;
    const double moe = (double)(d->topk * d->moe_ffn + d->shared_ffn);
    if (!e->layers.stack.early_stop)
        return 0;
    return (double)d->hidden *
           ((double)(e->n_dense * d->ffn) + (double)(e->n_layers - e->n_dense) * moe);
}

static void open_made_flops(struct nd_estimate *e, double used_by_layers, bool flash)
{
    const double forward = e->attention_flops * (flash ? 1 : 2) / 3;
    for (int m = 0; m < LAYERCOST_MODES; m++) {
        e->made_flops[m] = e->active_flops;
        e->made_attention[m] = forward * (flash ? 3.5 : 3);
    }
    e->made_flops[LAYERCOST_FULL] += 2 * (used_by_layers - last_products(e));
    e->made_attention[LAYERCOST_FULL] += forward;
    if (!flash)
        e->made_attention[LAYERCOST_SELECT] += forward;
}

// Model FLOPs: two a parameter and token forward, four backward; attention scores and values beside
// them, of the half of all pairs of positions that a causal mask leaves. An input table is looked
// up, not multiplied.
static void open_flops(struct nd_estimate *e, bool flash)
{
    const struct modeldesc *d = &e->layers.model;
    const struct modeldesc_counts *c = &e->layers.counts;
    bool mla = d->attention == MODELDESC_MLA;
    double widths =
        mla ? (double)(d->qk_nope + d->qk_rope + d->v_dim) : 2 * (double)d->head_dim;
    double used = (double)(c->active - (d->tied ? d->positions * d->hidden : c->embedding));
    double idle = (double)c->routed * (double)(d->experts - d->topk);
    double mtp = d->experts > 0 ? idle / (double)d->experts : 0;
    used +=
        (double)d->mtp_depth * ((double)c->mtp_module - mtp + (double)(d->vocab * d->hidden));
    e->active_flops = 6 * used;
    e->attention_flops = 3 * (double)(e->n_layers * d->heads) * widths;
    open_made_flops(e, used - (double)((1 + d->mtp_depth) * d->vocab * d->hidden), flash);
}

void nd_estimate_open(struct nd_estimate *e,
                      const struct modeldesc *model,
                      const struct cluster *cluster,
                      const struct training *training,
                      uint32_t id)
{
    memset(e, 0, sizeof *e);
    layercost_open(&e->layers, model, &cluster->hardware, training);
    const struct modeldesc_counts *c = &e->layers.counts;
    e->layers.hardware.node = cluster->node_devices;
    e->id = id;
    e->n_layers = modeldesc_layers(model);
    e->n_dense = model->experts == 0 ? e->n_layers : model->dense_layers;
    e->mtp_depth = model->mtp_depth;
    e->reserve = cluster->reserve;
    e->bytes_param = training->bytes_param;
    e->bytes_grad = training->bytes_grad;
    e->bytes_optim = training->bytes_optim;
    e->zero_level = training->distributed_optimizer ? training->zero_level : 0;
    e->schedule = training->schedule;
    e->low_mem_vpp = training->low_mem_vpp;
    e->dummy_wgrad = training->dummy_wgrad;
    e->routed_parameters = (double)((e->n_layers - e->n_dense) * c->routed);
    e->common_parameters =
        (double)(c->total + model->mtp_depth * c->mtp_module) - e->routed_parameters;
    open_flops(e, training->flash_attention);
}
