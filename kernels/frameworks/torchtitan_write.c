// SPDX-License-Identifier: Apache-2.0
// Writes a strategy into a user's torchtitan configuration: degrees, batches and switches. A value
// has the meaning that nd_launch_torchtitan() gives it.
#include "kernels/frameworks/torchtitan_write_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- keys ---------------------------------------------------------------------------------------

bool titan_set_value(struct titan_writer *t, enum titan_key key, const cJSON *value)
{
    const char *path = titan_path(t->doc, key);
    if (t->shell != NULL)
        return titan_set_argument(t, path, value);
    if (t->python != NULL)
        return titan_set_literal(t, path, value);
    return toml_set(&t->edit, path, value) ||
           titan_fail(&t->source, titan_get(t->doc, key, NULL),
                      "%s cannot be set here: the text has no table for it", path);
}

void titan_comment(struct titan_writer *t, enum titan_key key, const char *text)
{
    if (t->notes != NULL)
        text_buffer_add(t->notes, "# %s: %s\n", titan_path(t->doc, key), text);
    else
        toml_comment(&t->edit, titan_path(t->doc, key), text);
}

static bool set_and_free(struct titan_writer *t, enum titan_key key, cJSON *value)
{
    const bool ok = titan_set_value(t, key, value);
    cJSON_Delete(value);
    return ok;
}

bool titan_set_number(struct titan_writer *t, enum titan_key key, int64_t value, int64_t normal)
{
    if (value == normal && titan_get(t->doc, key, NULL) == NULL)
        return true;
    return set_and_free(t, key, cJSON_CreateNumber((double)value));
}

bool titan_set_text(struct titan_writer *t, enum titan_key key, const char *value,
                    const char *normal)
{
    if (strcmp(value, normal) == 0 && titan_get(t->doc, key, NULL) == NULL)
        return true;
    return set_and_free(t, key, cJSON_CreateString(value));
}

bool titan_remove(struct titan_writer *t, enum titan_key key)
{
    const char *path;
    const cJSON *item = titan_get(t->doc, key, &path);
    if (item != NULL && t->shell != NULL)
        return titan_set_argument(t, path, NULL);
    if (item != NULL && t->python != NULL)
        return titan_set_literal(t, path, NULL);
    return item == NULL || toml_remove(&t->edit, path) ||
           titan_fail(&t->source, item,
                      "%s has to be removed; write its table with one key per line", path);
}

// ---- degrees ------------------------------------------------------------------------------------

// ranks: shards times tensor ranks, which expert ranks take.
static bool plan_experts(struct titan_writer *t, int64_t ranks)
{
    struct titan_config *c = &t->now;
    if (c->ep <= 1 || ranks % ((int64_t)c->ep * c->etp) == 0)
        return true;
    if (ranks % c->ep != 0)
        return titan_fail(&t->source, titan_get(t->doc, TITAN_EP, NULL),
                          "torchtitan cannot place %d expert ranks: shards times tensor ranks "
                          "(%" PRId64 ") are not a multiple",
                          c->ep, ranks);
    c->etp = 1;
    titan_comment(t, TITAN_ETP,
                  "experts are not split over tensor ranks: too few ranks for so many expert "
                  "ranks");
    return true;
}

// Parameters are sharded over data_parallel_shard_degree times context ranks.
static bool plan_shards(struct titan_writer *t)
{
    const struct nd_strategy *s = &t->settings->strategy;
    const int32_t shards = s->op > 0 ? s->op : s->dp;
    const int64_t ranks = (int64_t)shards * s->tp;
    if (shards % s->cp != 0 || s->dp % (shards / s->cp) != 0)
        return titan_fail(&t->source, titan_get(t->doc, TITAN_SHARD, NULL),
                          "torchtitan cannot shard parameters over %d of %d data and context "
                          "ranks: cp=%d must divide the shards, and they the ranks",
                          shards, s->dp * s->cp, s->cp);
    t->now.shard = shards / s->cp;
    t->now.replicate = s->dp / t->now.shard;
    return plan_experts(t, ranks);
}

// Experts are split over tensor ranks if the file splits them and torchtitan can.
static bool plan_degrees(struct titan_writer *t)
{
    const struct nd_strategy *s = &t->settings->strategy;
    t->now.tp = s->tp;
    t->now.pp = s->pp;
    t->now.cp = s->cp;
    t->now.vp = s->pp > 1 ? s->vp : 1;
    t->now.mbs = s->mbs;
    if (s->ep > 0) {
        t->now.ep = s->ep;
        t->now.etp = t->old.etp > 1 ? s->tp : 1;
    }
    return plan_shards(t);
}

static bool write_degrees(struct titan_writer *t)
{
    const struct titan_config *c = &t->now;
    const bool choose = titan_get(t->doc, TITAN_SP, NULL) != NULL;
    if (choose && t->notes == NULL &&
        !set_and_free(t, TITAN_SP, cJSON_CreateBool(t->settings->strategy.sp)))
        return false;
    if (c->tp > 1 && !t->settings->strategy.sp && !(choose && t->notes == NULL))
        titan_comment(
            t, TITAN_TP,
            "tensor parallelism of torchtitan is always sequence parallel; the strategy "
            "is not");
    return titan_set_number(t, TITAN_REPLICATE, c->replicate, 1) &&
           titan_set_number(t, TITAN_SHARD, c->shard, -1) &&
           titan_set_number(t, TITAN_TP, c->tp, 1) && titan_set_number(t, TITAN_CP, c->cp, 1) &&
           titan_set_number(t, TITAN_PP, c->pp, 1) &&
           (t->settings->strategy.ep == 0 || (titan_set_number(t, TITAN_EP, c->ep, 1) &&
                                              titan_set_number(t, TITAN_ETP, c->etp, 1)));
}

// ---- batch --------------------------------------------------------------------------------------

// Returns the sequences of a step; 0: they follow from the number of devices in the file.
static int64_t plan_global_batch(const struct titan_writer *t)
{
    const struct framework_settings *s = t->settings;
    const struct titan_config *old = &t->old;
    if (s->gbs > 0)
        return s->gbs;
    if (s->micro_batches > 0)
        return s->micro_batches * s->strategy.mbs * s->strategy.dp;
    return old->global_batch > 0 ? old->global_batch
                                 : old->local_batch * old->replicate * old->shard;
}

static bool plan_batch(struct titan_writer *t)
{
    struct titan_config *c = &t->now;
    const int64_t dp = t->settings->strategy.dp, mbs = c->mbs;
    c->global_batch = plan_global_batch(t);
    if (c->global_batch == 0) {
        c->local_batch = c->pp == 1                      ? mbs
                         : t->old.local_batch % mbs == 0 ? t->old.local_batch
                                                         : mbs * c->pp;
        return true;
    }
    if (c->global_batch % (dp * mbs) != 0)
        return titan_fail(&t->source, titan_get(t->doc, TITAN_GLOBAL_BATCH, NULL),
                          "%" PRId64 " sequences per step are not a multiple of dp=%" PRId64
                          " times mbs=%" PRId64,
                          c->global_batch, dp, mbs);
    c->local_batch = c->pp == 1                   ? mbs
                     : t->settings->run_batch > 0 ? t->settings->run_batch
                                                  : c->global_batch / dp;
    return true;
}

// Says above the local batch that this layout has no accumulation of gradients.
static bool note_global_batch(struct titan_writer *t)
{
    const struct titan_config *c = &t->now;
    char text[160];
    snprintf(text, sizeof text,
             "%" PRId64 " sequences per step: torchtitan with batch_size does not accumulate "
             "gradients; the strategy has %" PRId64,
             c->local_batch * c->replicate * c->shard, c->global_batch);
    titan_comment(t, TITAN_LOCAL_BATCH, text);
    return true;
}

static bool write_global_batch(struct titan_writer *t)
{
    const struct titan_config *c = &t->now;
    const cJSON *item = titan_get(t->doc, TITAN_GLOBAL_BATCH, NULL);
    const bool follows =
        c->global_batch == 0 || c->global_batch == c->local_batch * c->replicate * c->shard;
    if (follows && (item == NULL || (cJSON_IsNumber(item) && item->valuedouble < 0)))
        return true;
    if (strcmp(titan_path(t->doc, TITAN_LOCAL_BATCH), "training.batch_size") == 0)
        return note_global_batch(t);
    return titan_set_number(t, TITAN_GLOBAL_BATCH, c->global_batch, -1);
}

// Older layouts have the number of micro-batches, by default one per rank, in place of their size.
static bool write_micro_batches(struct titan_writer *t)
{
    const struct titan_config *c = &t->now;
    const bool counts =
        titan_get(t->doc, TITAN_MICROBATCHES, NULL) != NULL ||
        (titan_get(t->doc, TITAN_MICROBATCH_SIZE, NULL) == NULL && titan_is_old(t->doc));
    if (c->pp == 1)
        return true;
    return counts ? titan_set_number(t, TITAN_MICROBATCHES, c->local_batch / c->mbs, c->pp)
                  : titan_set_number(t, TITAN_MICROBATCH_SIZE, c->mbs, 1);
}

// Batches of tokens.
static bool write_tokens(struct titan_writer *t)
{
    const struct titan_config *c = &t->now;
    const int64_t wanted = t->settings->seq_length, seq = wanted > 0 ? wanted : t->old.seq_len;
    const int64_t ranks = (int64_t)c->replicate * c->shard;
    const bool follows = c->global_batch == 0 || c->global_batch == c->local_batch * ranks;
    return titan_set_number(t, TITAN_SEQ_LEN, seq, 2048) &&
           titan_set_number(t, TITAN_TOKENS, c->mbs * seq, 16384) &&
           titan_set_number(t, TITAN_N_MICROBATCHES, c->pp > 1 ? c->local_batch / c->mbs : 1,
                            1) &&
           titan_set_number(t, TITAN_STEP_TOKENS, follows ? -1 : c->global_batch * seq, -1);
}

static bool write_batch(struct titan_writer *t)
{
    if (titan_counts_tokens(t->doc))
        return plan_batch(t) && write_tokens(t);
    return plan_batch(t) && titan_set_number(t, TITAN_LOCAL_BATCH, t->now.local_batch, 8) &&
           write_global_batch(t) && write_micro_batches(t) &&
           (t->settings->seq_length == 0 ||
            titan_set_number(t, TITAN_SEQ_LEN, t->settings->seq_length, 2048));
}

// ---- switches -----------------------------------------------------------------------------------

// torchtitan writes a trace at each multiple of profile_freq, of the steps before it.
static bool write_profile(struct titan_writer *t)
{
    enum { PERIOD = 20 };
    int64_t warmup = 3, active = 1, period = PERIOD;
    if (!t->settings->profile)
        return true;
    if (!titan_whole(&t->source, TITAN_PROFILE_WARMUP, 0, &warmup) ||
        !titan_whole(&t->source, TITAN_PROFILE_ACTIVE, 1, &active))
        return false;
    if (t->settings->profile_to > 0)
        period = t->settings->profile_to;
    if (period < warmup + active)
        period = warmup + active;
    return set_and_free(t, TITAN_PROFILE, cJSON_CreateTrue()) &&
           titan_set_number(t, TITAN_PROFILE_FREQ, period, 10);
}

// Switches torchtitan's estimate of memory on, which runs without devices.
static bool write_dry_run(struct titan_writer *t)
{
    const char *path = toml_get(t->doc, "memory_estimation.enabled") != NULL
                           ? "memory_estimation.enabled"
                           : "memory_estimation.enable";
    if (t->notes != NULL)
        return true; // the command that launches dry runs has the argument
    return !t->settings->dry_run || toml_set_bool(&t->edit, path, true) ||
           titan_fail(&t->source, toml_get(t->doc, "memory_estimation"),
                      "%s cannot be set here", path);
}

// ---- all ----------------------------------------------------------------------------------------

static bool check_model(const struct titan_writer *t)
{
    const struct titan_flavor *f = t->old.flavor;
    const int32_t layers = t->settings->num_layers;
    return layers == 0 || f == NULL || layers == f->layers ||
           titan_fail(&t->source, titan_get(t->doc, TITAN_FLAVOR, NULL),
                      "torchtitan has no key for the number of layers: %s %s has %d, the "
                      "configuration needs %d",
                      f->model, f->flavor, f->layers, layers);
}

bool titan_write_all(struct titan_writer *t)
{
    if (!titan_config_read(&t->old, &t->source))
        return false;
    t->now = t->old; // shares the flavor
    t->now.layers = NULL;
    return check_model(t) && plan_degrees(t) && write_degrees(t) && write_batch(t) &&
           titan_write_stages(t) && titan_write_recompute(t) && write_profile(t) &&
           write_dry_run(t);
}

bool torchtitan_write(struct framework_writer *w, const struct plaindoc *doc)
{
    struct titan_writer t = {.settings = w->settings,
                             .doc = doc,
                             .source = {.doc = doc, .fault = w->fault}};
    toml_edit_begin(&t.edit, doc, &w->edit);
    const bool ok = titan_write_all(&t);
    toml_edit_end(&t.edit);
    titan_config_free(&t.old);
    titan_config_free(&t.now);
    return ok;
}
