// SPDX-License-Identifier: Apache-2.0
// Reads a torchtitan configuration into a run document.
#include "base/edit/toml_edit.h"
#include "kernels/frameworks/framework_private.h"
#include "kernels/frameworks/torchtitan_private.h"

#include <stdio.h>
#include <string.h>

// The reader, the configuration, and its document.
struct reading {
    struct framework_reader *r;
    const struct titan_source *s;
    struct titan_config c;
    struct titan_precision precision;
};

static size_t place_of(const struct reading *t, enum titan_key key)
{
    const cJSON *item = titan_get(t->s->doc, key, NULL);
    return item != NULL ? framework_value_at(t->s->doc, item) : 0;
}

static bool put(const struct reading *t, enum framework_part part, const char *name,
                double value, enum titan_key at)
{
    return framework_put_number(t->r, part, name, value, place_of(t, at));
}

// ---- model --------------------------------------------------------------------------------------

struct shape {
    const char *name;
    int32_t value;
};

// Puts the values that are not 0.
static bool put_shape(const struct reading *t, const struct shape *shape, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (shape[k].value != 0 &&
            !put(t, FRAMEWORK_MODEL, shape[k].name, shape[k].value, TITAN_FLAVOR))
            return false;
    return true;
}

static bool put_flags(const struct reading *t)
{
    static const char *const biases[] = {"attention_bias", "output_bias", "ffn_bias",
                                         "router_bias", "attention_sinks"};
    const struct titan_flavor *f = t->c.flavor;
    const size_t at = place_of(t, TITAN_FLAVOR);
    for (size_t k = 0; f->bias && k < sizeof biases / sizeof *biases; k++)
        if (!framework_put_bool(t->r, FRAMEWORK_MODEL, biases[k], true, at))
            return false;
    return framework_put_bool(t->r, FRAMEWORK_MODEL, "tie_embeddings", f->tied, at) &&
           (!f->qk_norm || framework_put_bool(t->r, FRAMEWORK_MODEL, "qk_norm", true, at));
}

// The description has dense layers first.
static bool note_order(const struct reading *t)
{
    const struct titan_flavor *f = t->c.flavor;
    char text[96];
    if (!f->alternates)
        return true;
    snprintf(text, sizeof text, "model.flavor %s: dense layers between those with experts",
             f->flavor);
    return framework_not_modelled(t->r, text, place_of(t, TITAN_FLAVOR));
}

// Copies the shape that [model] has under our own keys.
static bool put_own_shape(const struct reading *t)
{
    const cJSON *model = cJSON_GetObjectItemCaseSensitive(t->s->doc->root, "model");
    const bool length = titan_get(t->s->doc, TITAN_SEQ_LEN, NULL) != NULL;
    for (const cJSON *item = model->child; item != NULL; item = item->next)
        if (!titan_is_model_switch(item->string) &&
            !(length && strcmp(item->string, "seq_length") == 0) &&
            !framework_put(t->r, FRAMEWORK_MODEL, item->string, cJSON_Duplicate(item, true),
                           framework_value_at(t->s->doc, item)))
            return false;
    return !length ||
           put(t, FRAMEWORK_MODEL, "seq_length", (double)t->c.seq_len, TITAN_SEQ_LEN);
}

static bool put_model(const struct reading *t)
{
    const struct titan_flavor *f = t->c.flavor;
    char name[64];
    if (t->c.has_shape)
        return put_own_shape(t);
    if (f == NULL) {
        t->r->file->unknown_model = t->c.unknown;
        return put(t, FRAMEWORK_BASELINE, "seq_length", (double)t->c.seq_len, TITAN_SEQ_LEN);
    }
    const struct shape shape[] = {
        {"num_layers", f->layers},
        {"hidden_size", f->dim},
        {"num_attention_heads", f->heads},
        {"num_query_groups", f->groups},
        {"head_dim", f->head_dim},
        {"ffn_hidden_size", f->ffn},
        {"vocab_size", f->vocab},
        {"q_lora_rank", f->q_rank},
        {"kv_lora_rank", f->kv_rank},
        {"qk_nope_head_dim", f->qk_nope},
        {"qk_rope_head_dim", f->qk_rope},
        {"v_head_dim", f->v_dim},
        {"num_experts", f->experts},
        {"topk", f->topk},
        {"moe_intermediate_size", f->moe_ffn},
        {"shared_expert_intermediate_size", f->shared_ffn},
        {"first_k_dense_replace", f->dense_layers},
    };
    snprintf(name, sizeof name, "%s %s", f->model, f->flavor);
    return framework_put_text(t->r, FRAMEWORK_MODEL, "name", name, place_of(t, TITAN_FLAVOR)) &&
           put_shape(t, shape, sizeof shape / sizeof *shape) && put_flags(t) && note_order(t) &&
           put(t, FRAMEWORK_MODEL, "seq_length", (double)t->c.seq_len, TITAN_SEQ_LEN);
}

// ---- cluster and training -----------------------------------------------------------------------

static bool put_cluster(const struct reading *t)
{
    const struct titan_config *c = &t->c;
    const double devices = c->shard == 0 ? titan_devices(t->s->doc) : 0;
    if (c->shard == 0)
        return devices == 0 || put(t, FRAMEWORK_CLUSTER, "world_size", devices, TITAN_SHARD);
    return put(t, FRAMEWORK_CLUSTER, "world_size",
               (double)c->replicate * c->shard * c->tp * c->pp * c->cp, TITAN_SHARD);
}

// The size of the micro-batch is tried in addition to the default sizes.
static bool put_micro_batch_sizes(const struct reading *t)
{
    const double sizes[] = {1, 2, 4, t->c.mbs};
    const bool usual = t->c.mbs == 1 || t->c.mbs == 2 || t->c.mbs == 4;
    return usual ||
           framework_put(t->r, FRAMEWORK_TRAINING, "mbs_options",
                         cJSON_CreateDoubleArray(sizes, 4), place_of(t, TITAN_LOCAL_BATCH));
}

static bool put_bytes(const struct reading *t)
{
    const struct titan_config *c = &t->c;
    return c->bytes_param == 0 ||
           (put(t, FRAMEWORK_TRAINING, "bytes_param", c->bytes_param, TITAN_DTYPE) &&
            put(t, FRAMEWORK_TRAINING, "bytes_grad", c->bytes_grad, TITAN_DTYPE) &&
            put(t, FRAMEWORK_TRAINING, "bytes_optim", c->bytes_optim, TITAN_DTYPE));
}

// Returns the sequences of a step; 0: they depend on the number of devices.
static int64_t global_batch(const struct titan_config *c)
{
    return c->global_batch > 0 ? c->global_batch : c->local_batch * c->replicate * c->shard;
}

static bool put_precision(const struct reading *t)
{
    return t->precision.word == NULL ||
           framework_put_text(t->r, FRAMEWORK_TRAINING, "precision", t->precision.word,
                              place_of(t, TITAN_CONVERTERS));
}

// The converter replaces linear layers. Experts are none.
static bool put_adapters(const struct reading *t)
{
    const struct titan_flavor *f = t->c.flavor;
    const cJSON *list = titan_get(t->s->doc, TITAN_CONVERTERS, NULL), *item;
    const cJSON *rank = titan_get(t->s->doc, TITAN_LORA_RANK, NULL);
    const char *names = f != NULL && f->experts > 0 ? "wq wk wv wo" : "wq wk wv wo w1 w2 w3";
    const bool whole = rank == NULL || (cJSON_IsNumber(rank) && rank->valuedouble >= 1 &&
                                        rank->valuedouble <= 1 << 16);
    unsigned set = 0;
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsString(item) || strcmp(item->valuestring, "lora") != 0)
            continue;
        if (!whole)
            return framework_fail(t->r, place_of(t, TITAN_LORA_RANK),
                                  "rank: expected a whole number from 1 on");
        return framework_take_adapters(t->r, names, strlen(names), 0, &set) &&
               framework_put_adapters(t->r, rank != NULL ? (int64_t)rank->valuedouble : 8, set,
                                      place_of(t, TITAN_CONVERTERS));
    }
    return true;
}

// Switches that the software stack counts, if the file sets them.
static bool put_stack(const struct reading *t)
{
    const cJSON *early = titan_get(t->s->doc, TITAN_EARLY_STOP, NULL);
    const bool whole =
        t->c.tp > 1 && cJSON_IsTrue(titan_get(t->s->doc, TITAN_WHOLE_LOGITS, NULL));
    if (!cJSON_IsBool(early) && !whole)
        return true;
    cJSON *stack = cJSON_CreateObject();
    const bool ok = cJSON_AddStringToObject(stack, "name", "fsdp") != NULL &&
                    (!cJSON_IsBool(early) ||
                     cJSON_AddBoolToObject(stack, "early_stop", cJSON_IsTrue(early)) != NULL) &&
                    (!whole || cJSON_AddBoolToObject(stack, "whole_logits", true) != NULL);
    if (!ok) {
        cJSON_Delete(stack);
        stack = NULL;
    }
    return framework_put(t->r, FRAMEWORK_TRAINING, "stack", stack,
                         place_of(t, early != NULL ? TITAN_EARLY_STOP : TITAN_WHOLE_LOGITS));
}

static bool put_training(const struct reading *t)
{
    const struct titan_config *c = &t->c;
    const int64_t gbs = global_batch(c);
    if (gbs > 0 && !put(t, FRAMEWORK_TRAINING, "gbs", (double)gbs,
                        c->global_batch > 0 ? TITAN_GLOBAL_BATCH : TITAN_LOCAL_BATCH))
        return false;
    if (!put(t, FRAMEWORK_TRAINING, "zero_level", c->reshard ? 3 : 2, TITAN_RESHARD) ||
        !put_bytes(t) || !put_micro_batch_sizes(t))
        return false;
    if (c->etp > 1 && c->etp == c->tp &&
        !framework_put_text(t->r, FRAMEWORK_TRAINING, "expert_tensor_parallel", "tp",
                            place_of(t, TITAN_ETP)))
        return false;
    return framework_put_bool(t->r, FRAMEWORK_TRAINING, "fused_cross_entropy", c->fused_loss,
                              place_of(t, TITAN_COMPILE)) &&
           (c->loss_chunks == 1 ||
            put(t, FRAMEWORK_TRAINING, "loss_chunks", c->loss_chunks, TITAN_LOSS_CHUNKS)) &&
           (!c->offload || !c->reshard ||
            framework_put_bool(t->r, FRAMEWORK_TRAINING, "offload_parameters", true,
                               place_of(t, TITAN_CPU_OFFLOAD))) &&
           put_precision(t) && put_stack(t) && put_adapters(t);
}

// ---- baseline -----------------------------------------------------------------------------------

// Returns the first degree that the file sets.
static enum titan_key first_degree(const struct reading *t)
{
    for (int key = TITAN_REPLICATE; key <= TITAN_EP; key++)
        if (key != TITAN_RESHARD && titan_get(t->s->doc, (enum titan_key)key, NULL) != NULL)
            return (enum titan_key)key;
    return TITAN_REPLICATE;
}

// Parameters are sharded over data and context ranks together. If the number of replicas depends on
// the devices, plan_run completes the baseline.
static bool put_replicas(const struct reading *t)
{
    const struct titan_config *c = &t->c;
    if (c->shard > 0)
        return put(t, FRAMEWORK_BASELINE, "dp", (double)c->replicate * c->shard, TITAN_SHARD) &&
               put(t, FRAMEWORK_BASELINE, "op", (double)c->shard * c->cp, TITAN_SHARD);
    return put(t, FRAMEWORK_BASELINE, "dp_replicate", c->replicate, first_degree(t)) &&
           (c->global_batch > 0 || put(t, FRAMEWORK_BASELINE, "replica_batch",
                                       (double)c->local_batch, TITAN_LOCAL_BATCH));
}

// Returns the micro-batches of a step; 0: they depend on the number of devices.
static int64_t micro_batches_of(const struct titan_config *c)
{
    if (c->shard == 0)
        return c->global_batch > 0 ? 0 : c->local_batch / c->mbs;
    return global_batch(c) / ((int64_t)c->replicate * c->shard * c->mbs);
}

// Returns the family of the order; NULL: by the number of chunks, which is the order of whole rounds of pp
// micro-batches only.
static const char *family_of(const struct titan_config *c)
{
    const int64_t n = c->local_batch / c->mbs;
    const bool own = c->schedule.rounds && n % c->pp != 0;
    return c->schedule.family == NULL && own ? "interleaved" : c->schedule.family;
}

static bool put_degrees(const struct reading *t)
{
    const struct titan_config *c = &t->c;
    const char *family = family_of(c);
    return put_replicas(t) && put(t, FRAMEWORK_BASELINE, "tp", c->tp, TITAN_TP) &&
           put(t, FRAMEWORK_BASELINE, "pp", c->pp, TITAN_PP) &&
           put(t, FRAMEWORK_BASELINE, "cp", c->cp, TITAN_CP) &&
           put(t, FRAMEWORK_BASELINE, "ep", c->ep, TITAN_EP) &&
           put(t, FRAMEWORK_BASELINE, "vp", c->vp, TITAN_SCHEDULE) &&
           put(t, FRAMEWORK_BASELINE, "mbs", c->mbs,
               c->pp > 1 ? TITAN_MICROBATCH_SIZE : TITAN_LOCAL_BATCH) &&
           framework_put_bool(t->r, FRAMEWORK_BASELINE, "sp", c->sp, place_of(t, TITAN_TP)) &&
           (c->pp == 1 || family == NULL ||
            framework_put_text(t->r, FRAMEWORK_BASELINE, "schedule", family,
                               place_of(t, TITAN_SCHEDULE)));
}

// torchtitan accumulates gradients over runs of the pipeline, each of a local batch (trainer.py, b5bcd76c: pp_schedule.step
// once for every accumulation).
static bool put_micro_batches(const struct reading *t)
{
    const struct titan_config *c = &t->c;
    const int64_t n = micro_batches_of(c);
    if (c->pp > 1 && c->global_batch > 0 &&
        !put(t, FRAMEWORK_BASELINE, "run_batch", (double)c->local_batch, TITAN_LOCAL_BATCH))
        return false;
    return n == 0 || put(t, FRAMEWORK_BASELINE, "micro_batches", (double)n, TITAN_LOCAL_BATCH);
}

enum list { LIST_LAYERS, LIST_FULL, LIST_SELECT };

static int32_t value_of(const struct titan_config *c, enum list list, int32_t v, int32_t i)
{
    const int32_t layers = c->layers[titan_part(c, v, i)];
    if (list == LIST_SELECT)
        return c->recompute == TITAN_OPS ? layers : 0;
    return list == LIST_LAYERS ? layers : titan_recomputed(c, v, i);
}

// Returns the key that decides about the layers of the parts.
static enum titan_key layers_key(const struct reading *t)
{
    static const enum titan_key keys[] = {TITAN_PARTS, TITAN_SPLIT_POINTS,
                                          TITAN_LAYERS_PER_STAGE, TITAN_PP};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (titan_get(t->s->doc, keys[k], NULL) != NULL)
            return keys[k];
    return TITAN_FLAVOR;
}

static bool put_list(const struct reading *t, enum list list)
{
    static const char *const names[] = {"layers", "recompute", "select_recompute"};
    const enum titan_key at[] = {layers_key(t), TITAN_CHECKPOINT_MODE, TITAN_CHECKPOINT_OPTION};
    int64_t values[TITAN_MAX_STAGES];
    for (int32_t v = 0; v < t->c.vp; v++)
        for (int32_t i = 0; i < t->c.pp; i++)
            values[v * t->c.pp + i] = value_of(&t->c, list, v, i);
    return framework_put_chunks(t->r, names[list], values, t->c.vp, t->c.pp,
                                place_of(t, at[list]));
}

static bool put_lists(const struct reading *t)
{
    if (t->c.layers == NULL)
        return true;
    return put_list(t, LIST_LAYERS) && (t->c.recompute == TITAN_OTHER ||
                                        (put_list(t, LIST_FULL) && put_list(t, LIST_SELECT)));
}

// ---- all ----------------------------------------------------------------------------------------

static bool read_all(struct reading *t)
{
    if (!titan_config_read(&t->c, t->s))
        return false;
    const struct titan_flavor *f = t->c.flavor;
    t->precision = titan_precision_of(t->s->doc, f != NULL && f->experts > 0);
    t->r->file->cannot_run = t->c.cannot_run;
    return titan_sort_others(t->r, t->s, &t->c, &t->precision) && put_model(t) &&
           put_cluster(t) && put_training(t) && put_degrees(t) && put_micro_batches(t) &&
           put_lists(t);
}

static bool torchtitan_read(struct framework_reader *r, const struct plaindoc *doc)
{
    const struct titan_source source = {.doc = doc, .fault = r->fault};
    return titan_read_settings(r, &source);
}

bool titan_read_settings(struct framework_reader *r, const struct titan_source *source)
{
    struct reading t = {.r = r, .s = source};
    const bool ok = read_all(&t);
    titan_config_free(&t.c);
    return ok;
}

static bool read_script(struct framework_reader *r, const struct plaindoc *document)
{
    struct titan_script script;
    if (!titan_open_script(&script, document, r->fault))
        return false;
    const struct titan_source source = {&script.settings, r->fault,
                                        titan_is_recent(&script.settings)};
    const bool ok = titan_read_settings(r, &source);
    titan_close_script(&script);
    return ok;
}

const struct framework_form torchtitan_script_form = {
    .framework = FRAMEWORK_TORCHTITAN,
    .form = PLAINDOC_FLAT,
    .is = titan_is_script,
    .read = read_script,
    .write = torchtitan_write_script,
};

const struct framework_form torchtitan_form = {
    .framework = FRAMEWORK_TORCHTITAN,
    .form = PLAINDOC_TOML,
    .is = titan_is,
    .read = torchtitan_read,
    .write = torchtitan_write,
};
