// SPDX-License-Identifier: Apache-2.0
// Prices adapters: beside a frozen matrix W of d x k stand trained matrices B of d x r and A of r x k, whose product is
// added to W (Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2022, section 4.1).
#include "kernels/common/pipeline/layer_cost_private.h"

#include "kernels/common/pipeline/collectives.h"

struct matrix {
    double in, out; // of all tensor ranks; 0: the model does not have it
};

static struct matrix attention_matrix(const struct modeldesc *d, unsigned module)
{
    const bool mla = d->attention == MODELDESC_MLA;
    const double h = (double)d->hidden,
                 dq = (double)(mla ? d->qk_nope + d->qk_rope : d->head_dim);
    const double values = (double)(d->heads * (mla ? d->v_dim : modeldesc_value_dim(d)));
    const double queries = mla && d->q_rank > 0 ? (double)d->q_rank : (double)d->heads * dq;
    const double keys = (double)(mla ? d->kv_rank + d->qk_rope : d->query_groups * d->head_dim);
    if (module == TRAINING_LINEAR_PROJ)
        return (struct matrix){values, h};
    if (module == TRAINING_LINEAR_Q)
        return (struct matrix){h, queries};
    if (module == TRAINING_LINEAR_V && mla)
        return (struct matrix){(double)d->kv_rank, (double)(d->heads * d->qk_nope) + values};
    if (module == TRAINING_LINEAR_V && d->keys_as_values)
        return (struct matrix){h, 0};
    if (module == TRAINING_LINEAR_K || module == TRAINING_LINEAR_V)
        return (struct matrix){h, keys};
    return (struct matrix){h, queries + (mla || d->keys_as_values ? 1 : 2) * keys};
}

static struct matrix matrix_of(const struct modeldesc *d, unsigned module, double width)
{
    const double h = (double)d->hidden;
    if (!(module & TRAINING_LINEAR_NETWORK))
        return attention_matrix(d, module);
    if (module == TRAINING_LINEAR_FC2)
        return (struct matrix){width, h};
    if (module == TRAINING_LINEAR_FC1_GATE)
        return (struct matrix){h, d->gated ? width : 0};
    return (struct matrix){h, module == TRAINING_LINEAR_FC1 && d->gated ? 2 * width : width};
}

// ---- parameters ---------------------------------------------------------------------------------

static double parameters(const struct layercost_model *m, const struct modeldesc *d,
                         unsigned modules, double width)
{
    double sum = 0;
    for (unsigned module = 1; module <= modules; module <<= 1) {
        const struct matrix matrix = matrix_of(d, module, width);
        if ((modules & module) != 0 && matrix.out > 0)
            sum += (double)m->adapter_rank * (matrix.in + matrix.out);
    }
    return sum;
}

double layercost_adapters(const struct layercost_model *m, int kind, double experts)
{
    const unsigned network = m->adapters & TRAINING_LINEAR_NETWORK;
    struct modeldesc d;
    modeldesc_view(&m->model, kind, &d);
    const double attention =
        d.mixer == MODELDESC_ATTENTION ? parameters(m, &d, m->adapters & ~network, 0) : 0;
    if (d.no_network)
        return attention;
    if (d.experts == 0)
        return attention + parameters(m, &d, network, (double)d.ffn);
    return attention + experts * parameters(m, &d, network, (double)d.moe_ffn) +
           (d.shared_ffn > 0 ? parameters(m, &d, network, (double)d.shared_ffn) : 0);
}

const char *layercost_adapters_lack(const struct modeldesc *model,
                                    const struct training *training)
{
    if (training->lora_rank > 0 && model->moe_latent > 0)
        return "adapters (LoRA) are not modelled for experts of a latent width";
    for (int k = 0; training->lora_rank > 0 && k < model->n_kinds; k++)
        if (model->kinds[k].mixer != MODELDESC_ATTENTION &&
            model->kinds[k].mixer != MODELDESC_NO_MIXER)
            return "adapters (LoRA) are not modelled for layers that scan (Mamba, linear "
                   "attention)";
    return NULL;
}

// ---- costs --------------------------------------------------------------------------------------

void layer_add_adapters(const struct layer_setting *s, unsigned modules,
                        const struct layer_rows *rows, struct layer_adapters *sum)
{
    const double rank = (double)s->m->adapter_rank;
    modules &= s->m->adapters;
    for (unsigned module = 1; module <= modules; module <<= 1) {
        const struct matrix matrix = matrix_of(s->d, module, rows->width);
        const double in = matrix.in / rows->ranks, out = matrix.out / rows->ranks;
        if ((modules & module) == 0 || out <= 0)
            continue;
        sum->gemm += rows->times * (hardware_gemm(s->hw, rows->n, rank, in) +
                                    hardware_gemm(s->hw, rows->n, out, rank));
        sum->kept += ELEMENT * rows->times * rows->n * rank;
        // The output of the matrix and that of the adapter are read, and their sum is written.
        sum->traffic += 3 * ELEMENT * rows->times * rows->n * out;
    }
}
