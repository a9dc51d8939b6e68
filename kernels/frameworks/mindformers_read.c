// SPDX-License-Identifier: Apache-2.0
// Reads MindFormers configurations: degrees, batch sizes, optimizer shards and devices.
#include "kernels/frameworks/mindformers_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 1 << 20 };

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

static bool put_number(struct mindformers_reader *m, enum framework_part part, const char *own,
                       double value, enum mindformers_key key)
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

// The words of pipeline_scheduler, with families of kernels/schedule/catalogue.
static const struct scheduler {
    const char *word, *family; // family NULL: by the number of chunks
    int chunks;                // that the family needs; 0: any number
    bool exact;
} schedulers[] = {
    {"1f1b", NULL, 0, true},
    {"gpipe", "gpipe", 1, true},
    {"seqpipe", "seq_1f1b", 1, false},
    {"zero_bubble_v", "zbv", 2, false},
};

// The number of parts of a sequence is none of the baseline's.
static bool read_schedule(struct mindformers_reader *m)
{
    int64_t parts = 1;
    const cJSON *word, *item;
    if (!mindformers_find(m, MF_SCHEDULER, &word) ||
        !mindformers_whole(m, MF_SEQ_SPLIT, 1, &parts) ||
        !mindformers_find(m, MF_SEQ_SPLIT, &item))
        return false;
    if (parts > 1 && !mindformers_not_modelled(m, mindformers_paths(MF_SEQ_SPLIT)[0], item))
        return false;
    if (m->pp == 1 || !cJSON_IsString(word))
        return true;
    const struct scheduler *found = NULL;
    for (size_t k = 0; k < sizeof schedulers / sizeof *schedulers; k++)
        if (strcmp(schedulers[k].word, word->valuestring) == 0 &&
            (schedulers[k].chunks == 0 || schedulers[k].chunks == m->vp))
            found = &schedulers[k];
    if ((found == NULL || !found->exact) &&
        !mindformers_not_modelled(m, mindformers_paths(MF_SCHEDULER)[0], word))
        return false;
    return found == NULL || found->family == NULL ||
           framework_put_text(m->r, FRAMEWORK_BASELINE, "schedule", found->family,
                              mindformers_at(m, word));
}

static bool put_degrees(struct mindformers_reader *m)
{
    const cJSON *item;
    const enum framework_part part = FRAMEWORK_BASELINE;
    if ((m->dp > 0 && !put_number(m, part, "dp", (double)m->dp, MF_DP)) ||
        !put_number(m, part, "tp", (double)m->tp, MF_TP) ||
        !put_number(m, part, "pp", (double)m->pp, MF_PP) ||
        !put_number(m, part, "cp", (double)m->cp, MF_CP) ||
        !put_number(m, part, "vp", (double)m->vp, MF_VP) ||
        (has_experts(m) && !put_number(m, part, "ep", (double)m->ep, MF_EP)))
        return false;
    return mindformers_flag(m, MF_SP, &m->sp) && mindformers_find(m, MF_SP, &item) &&
           framework_put_bool(m->r, part, "sp", m->sp, mindformers_at(m, item)) &&
           read_schedule(m);
}

// ---- batches ------------------------------------------------------------------------------------

// Copies count as sequences of one micro-batch. Their exchanges hide behind each other's computation.
static bool name_copies(struct mindformers_reader *m, int64_t copies)
{
    const cJSON *item;
    return mindformers_find(m, MF_INTERLEAVED_COPIES, &item) &&
           (copies == 1 ||
            mindformers_not_modelled(m, mindformers_paths(MF_INTERLEAVED_COPIES)[0], item));
}

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
        !mindformers_find(m, MF_BATCH, &item) || !name_copies(m, copies))
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

static bool check_shards(struct mindformers_reader *m)
{
    const cJSON *item;
    return mindformers_find(m, MF_OPTIMIZER_SHARDS, &item) &&
           (m->shards < 1 || m->dp == 0 || m->dp % m->shards == 0 ||
            mindformers_fail(m, item, "%s: expected -1 or a divisor of data_parallel, %lld",
                             item->string, (long long)m->dp));
}

static bool read_shards(struct mindformers_reader *m)
{
    bool gradients = false;
    if (!mindformers_whole(m, MF_OPTIMIZER_SHARDS, -1, &m->shards) ||
        !mindformers_flag(m, MF_GRADIENT_SHARD, &gradients))
        return false;
    // The framework divides by what it can.
    if (m->shards == 0 || (m->dp > 0 && m->shards > m->dp))
        m->shards = -1;
    if (!check_shards(m) && !mindformers_keep_reason(m))
        return false;
    return !gradients || put_number(m, FRAMEWORK_TRAINING, "zero_level", 2, MF_GRADIENT_SHARD);
}

// A file without the switch does not divide the optimizer, unless it names the shards.
static bool read_optimizer(struct mindformers_reader *m)
{
    const cJSON *shards, *gradients;
    if (!mindformers_find(m, MF_OPTIMIZER_SHARDS, &shards) ||
        !mindformers_find(m, MF_GRADIENT_SHARD, &gradients))
        return false;
    bool parallel = shards != NULL;
    m->shards = -1;
    if (!mindformers_flag(m, MF_OPTIMIZER_PARALLEL, &parallel) || (parallel && !read_shards(m)))
        return false;
    if (!parallel)
        m->shards = 1;
    return put_number(m, FRAMEWORK_BASELINE, "op", (double)m->shards,
                      parallel ? MF_OPTIMIZER_SHARDS : MF_OPTIMIZER_PARALLEL);
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
    if (m->dp == 0) // the number of devices is not in the file
        return memory == NULL ||
               mindformers_not_modelled(m, mindformers_paths(MF_MEMORY)[0], memory);
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

static bool read_swap(struct mindformers_reader *m)
{
    const cJSON *item;
    return mindformers_flag(m, MF_SWAP, &m->swap) && mindformers_find(m, MF_SWAP, &item) &&
           (!m->swap || mindformers_not_modelled(m, mindformers_paths(MF_SWAP)[0], item));
}

// ---- all ----------------------------------------------------------------------------------------

bool mindformers_read(struct framework_reader *r, const struct plaindoc *doc)
{
    struct mindformers_reader m = {.r = r, .doc = doc};
    const bool ok = mindformers_read_model(&m) && read_degrees(&m) &&
                    (check_experts(&m) || mindformers_keep_reason(&m)) && put_degrees(&m) &&
                    read_batches(&m) && read_optimizer(&m) && read_cluster(&m) &&
                    read_swap(&m) && mindformers_read_layers(&m) &&
                    mindformers_read_training(&m) && mindformers_sort_others(&m);
    free(m.used);
    return ok;
}
