// SPDX-License-Identifier: Apache-2.0
// Reads MindFormers configurations: degrees, batch sizes, optimizer shards and devices.
#include "kernels/frameworks/mindformers_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 1 << 20, PREFIX_MAX = 256 };

static bool has_object(const struct plaindoc *doc, const char *path)
{
    return cJSON_IsObject(yaml_get(doc, path));
}

bool mindformers_is(const struct plaindoc *doc)
{
    static const char *const sections[] = {"runner_config", "recompute_config", "trainer",
                                           "context", "moe_config"};
    if (has_object(doc, "model.model_config") || mindformers_is_new_form(doc))
        return true;
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        if (has_object(doc, "parallel_config") && has_object(doc, sections[k]))
            return true;
    return false;
}

// ---- degrees ------------------------------------------------------------------------------------

static bool put_number(struct mindformers_reader *m,
                       enum framework_part part,
                       const char *own,
                       double value,
                       enum mindformers_key key)
{
    const cJSON *item;
    return mindformers_find(m, key, &item) &&
           framework_put_number(m->r, part, own, value, mindformers_at(m, item));
}

// The number of chunks counts where the pipeline is interleaved, or where no key tells.
static bool read_chunks(struct mindformers_reader *m)
{
    bool interleave = true;
    if (!mindformers_whole(m, MF_VP, 1, &m->vp) ||
        !mindformers_flag(m, MF_INTERLEAVE, &interleave))
        return false;
    if (!interleave || m->pp == 1)
        m->vp = 1;
    return true;
}

static bool read_degrees(struct mindformers_reader *m)
{
    // The newer form derives the data-parallel degree from the number of devices.
    m->dp = mindformers_is_new_form(m->doc) ? 0 : 1;
    m->tp = m->pp = m->cp = m->ep = m->vp = 1;
    return mindformers_whole(m, MF_DP, 1, &m->dp) && mindformers_whole(m, MF_TP, 1, &m->tp) &&
           mindformers_whole(m, MF_PP, 1, &m->pp) && mindformers_whole(m, MF_CP, 1, &m->cp) &&
           mindformers_whole(m, MF_EP, 1, &m->ep) && read_chunks(m);
}

static bool has_experts(const struct mindformers_reader *m)
{
    return framework_get(m->r, FRAMEWORK_MODEL, "num_experts") != NULL;
}

static bool check_experts(struct mindformers_reader *m)
{
    const cJSON *item, *data;
    if (m->ep == 1 || m->dp == 0 || !has_experts(m) || (m->dp * m->tp * m->cp) % m->ep == 0)
        return true;
    return mindformers_find(m, MF_EP, &item) && mindformers_find(m, MF_DP, &data) &&
           mindformers_fail(
               m, item,
               "%s: %lld does not divide the devices of a stage, %lld x %lld x %lld "
               "(data, model and context parallel, from line %d)",
               item->string, (long long)m->ep, (long long)m->dp, (long long)m->tp,
               (long long)m->cp, mindformers_line(m, data));
}

static bool put_degrees(struct mindformers_reader *m)
{
    bool sp = false;
    const cJSON *item;
    const enum framework_part part = FRAMEWORK_BASELINE;
    if ((m->dp > 0 && !put_number(m, part, "dp", (double)m->dp, MF_DP)) ||
        !put_number(m, part, "tp", (double)m->tp, MF_TP) ||
        !put_number(m, part, "pp", (double)m->pp, MF_PP) ||
        !put_number(m, part, "cp", (double)m->cp, MF_CP) ||
        !put_number(m, part, "vp", (double)m->vp, MF_VP) ||
        (has_experts(m) && !put_number(m, part, "ep", (double)m->ep, MF_EP)))
        return false;
    return mindformers_flag(m, MF_SP, &sp) && mindformers_find(m, MF_SP, &item) &&
           framework_put_bool(m->r, part, "sp", sp, mindformers_at(m, item));
}

// ---- batches ------------------------------------------------------------------------------------

// Without a pipeline, micro_batch_num has no effect, and gradients accumulate instead. With one, it
// is the other way round.
static bool read_batches(struct mindformers_reader *m)
{
    int64_t batch = 1, copies = 1, micro = 1, accumulation = 1, global = 0;
    const cJSON *item;
    if (!mindformers_whole(m, MF_BATCH, 1, &batch) ||
        !mindformers_whole(m, MF_INTERLEAVED_COPIES, 1, &copies) ||
        !mindformers_whole(m, MF_MICRO_BATCHES, 1, &micro) ||
        !mindformers_whole(m, MF_ACCUMULATION, 1, &accumulation) ||
        !mindformers_whole(m, MF_GLOBAL_BATCH, 1, &global) ||
        !mindformers_find(m, MF_BATCH, &item))
        return false;
    const double mbs = (double)(batch * copies);
    const enum mindformers_key of = m->pp > 1 ? MF_MICRO_BATCHES : MF_ACCUMULATION;
    const double steps = (double)(m->pp > 1 ? micro : accumulation);
    if (item != NULL && !put_number(m, FRAMEWORK_BASELINE, "mbs", mbs, MF_BATCH))
        return false;
    if (global > 0) // of the newer form, which has no number of micro-batches
        return put_number(m, FRAMEWORK_TRAINING, "gbs", (double)global, MF_GLOBAL_BATCH);
    return put_number(m, FRAMEWORK_BASELINE, "micro_batches", steps, of) &&
           (m->dp == 0 || item == NULL ||
            put_number(m, FRAMEWORK_TRAINING, "gbs", mbs * steps * (double)m->dp, MF_BATCH));
}

// ---- the optimizer ------------------------------------------------------------------------------

static bool read_shards(struct mindformers_reader *m, const cJSON *parallel)
{
    int64_t shards = -1;
    const cJSON *item;
    bool gradients = false;
    if (!mindformers_whole(m, MF_OPTIMIZER_SHARDS, -1, &shards) ||
        !mindformers_find(m, MF_OPTIMIZER_SHARDS, &item) ||
        !mindformers_flag(m, MF_GRADIENT_SHARD, &gradients))
        return false;
    if (shards == 0 || (m->dp > 0 && shards > m->dp)) // the framework divides by what it can
        shards = -1;
    if (cJSON_IsFalse(parallel))
        shards = 1;
    else if (shards > 0 && m->dp > 0 && m->dp % shards != 0)
        return mindformers_fail(m, item, "%s: expected -1 or a divisor of data_parallel, %lld",
                                item->string, (long long)m->dp);
    else if (gradients &&
             !put_number(m, FRAMEWORK_TRAINING, "zero_level", 2, MF_GRADIENT_SHARD))
        return false;
    return put_number(m, FRAMEWORK_BASELINE, "op", (double)shards, MF_OPTIMIZER_SHARDS);
}

static bool read_optimizer(struct mindformers_reader *m)
{
    bool parallel = true;
    const cJSON *item;
    if (!mindformers_flag(m, MF_OPTIMIZER_PARALLEL, &parallel) ||
        !mindformers_find(m, MF_OPTIMIZER_PARALLEL, &item))
        return false;
    return item == NULL || read_shards(m, item);
}

// ---- devices ------------------------------------------------------------------------------------

static bool read_cluster(struct mindformers_reader *m)
{
    const double devices = (double)m->dp * (double)m->tp * (double)m->pp * (double)m->cp;
    const cJSON *memory, *target, *data;
    if (!mindformers_find(m, MF_MEMORY, &memory) || !mindformers_find(m, MF_TARGET, &target) ||
        !mindformers_find(m, MF_DP, &data))
        return false;
    if (devices > DEVICES_MAX)
        return mindformers_fail(m, data,
                                "the product of the degrees is %.0f devices; at most %d",
                                devices, DEVICES_MAX);
    if (m->dp == 0)
        return true;
    if (!put_number(m, FRAMEWORK_CLUSTER, "world_size", devices, MF_DP) ||
        (memory != NULL &&
         !framework_put(m->r, FRAMEWORK_CLUSTER, "max_device_memory",
                        cJSON_Duplicate(memory, true), mindformers_at(m, memory))))
        return false;
    if (target != NULL &&
        (!cJSON_IsString(target) || strcmp(target->valuestring, "Ascend") != 0))
        return true;
    return framework_put_text(m->r, FRAMEWORK_CLUSTER, "hardware", "Ascend910B",
                              mindformers_at(m, target));
}

// ---- keys without a meaning ---------------------------------------------------------------------

static bool is_used(const struct mindformers_reader *m, const cJSON *item)
{
    for (size_t k = 0; k < m->n_used; k++)
        if (m->used[k] == item)
            return true;
    return false;
}

static bool has_used(const struct mindformers_reader *m, const cJSON *item)
{
    if (is_used(m, item))
        return true;
    for (const cJSON *child = cJSON_IsObject(item) ? item->child : NULL; child != NULL;
         child = child->next)
        if (has_used(m, child))
            return true;
    return false;
}

static void ignore_rest(struct mindformers_reader *m, const cJSON *object, const char *prefix)
{
    char path[PREFIX_MAX];
    for (const cJSON *child = object->child; child != NULL; child = child->next) {
        if (is_used(m, child))
            continue;
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix != '\0' ? "." : "",
                 child->string);
        if (has_used(m, child))
            ignore_rest(m, child, path);
        else
            framework_ignore(m->r, path);
    }
}

// ---- all ----------------------------------------------------------------------------------------

bool mindformers_read(struct framework_reader *r, const struct plaindoc *doc)
{
    struct mindformers_reader m = {.r = r, .doc = doc};
    const bool ok = mindformers_read_model(&m) && read_degrees(&m) && check_experts(&m) &&
                    put_degrees(&m) && read_batches(&m) && read_optimizer(&m) &&
                    read_cluster(&m) && mindformers_read_layers(&m);
    if (ok)
        ignore_rest(&m, doc->root, "");
    free(m.used);
    return ok;
}
