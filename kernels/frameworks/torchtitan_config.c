// SPDX-License-Identifier: Apache-2.0
// Reads degrees, batches and recomputation of a torchtitan configuration with torchtitan's defaults,
// and refuses values that torchtitan refuses.
#include "base/edit/toml_edit.h"
#include "base/text/characters.h"
#include "kernels/frameworks/framework_private.h"
#include "kernels/frameworks/torchtitan_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEGREE = 1 << 20, LOSS_CHUNKS = 8 };

// ---- values -------------------------------------------------------------------------------------

bool titan_fail(const struct titan_source *s, const cJSON *item, const char *format, ...)
{
    const size_t at = item != NULL ? framework_value_at(s->doc, item) : 0;
    va_list args;
    *s->fault = (struct pps_fault){.item = NULL};
    pps_find_place(s->doc->text, at, &s->fault->line, &s->fault->column);
    va_start(args, format);
    vsnprintf(s->fault->text, sizeof s->fault->text, format, args);
    va_end(args);
    pps_make_printable(s->fault->text);
    return false;
}

bool titan_whole(const struct titan_source *s, enum titan_key key, int64_t min, int64_t *value)
{
    const char *path;
    const cJSON *item = titan_get(s->doc, key, &path);
    if (item == NULL)
        return true;
    const double x = cJSON_IsNumber(item) ? item->valuedouble : -2;
    if (x < (double)min || x > INT32_MAX || x != (double)(int64_t)x)
        return titan_fail(s, item, "%s: expected a whole number from %" PRId64 "%s", path, min,
                          cJSON_IsString(item) ? ", without quotes" : "");
    *value = (int64_t)x;
    return true;
}

bool titan_text(const struct titan_source *s, enum titan_key key, const char **value)
{
    const char *path;
    const cJSON *item = titan_get(s->doc, key, &path);
    if (item == NULL)
        return true;
    if (!cJSON_IsString(item))
        return titan_fail(s, item, "%s: expected text in quotes", path);
    *value = item->valuestring;
    return true;
}

// Reads one of `n` words; *value is its index and unchanged if the key is missing.
static bool read_word(const struct titan_source *s, enum titan_key key,
                      const char *const *words, int n, int *value)
{
    const char *word = NULL, *path;
    char list[256];
    size_t used = 0;
    if (!titan_text(s, key, &word) || word == NULL)
        return word == NULL && titan_get(s->doc, key, NULL) == NULL;
    for (int k = 0; k < n; k++)
        if (strcmp(words[k], word) == 0) {
            *value = k;
            return true;
        }
    for (int k = 0; k < n; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%s\"", k > 0 ? ", " : "",
                                 words[k]);
    const cJSON *item = titan_get(s->doc, key, &path);
    return titan_fail(s, item, "%s = \"%.40s\": expected %s", path, word, list);
}

// ---- model and degrees --------------------------------------------------------------------------

// Returns the first of the keys that [model] has as a number; 0: none.
static int32_t model_number(const struct plaindoc *doc, const char *const *keys)
{
    const cJSON *model = cJSON_GetObjectItemCaseSensitive(doc->root, "model");
    for (; *keys != NULL; keys++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(model, *keys);
        if (cJSON_IsNumber(item) && item->valuedouble >= 1 && item->valuedouble <= MAX_DEGREE)
            return (int32_t)item->valuedouble;
    }
    return 0;
}

// Finds a shape in [model] under our own keys.
static void find_shape(struct titan_config *c, const struct titan_source *s)
{
    static const char *const layers[] = {"num_layers", "n_layers", "num_hidden_layers", NULL},
                             *const widths[] = {"hidden_size", "dim", NULL},
                             *const more[] = {"mtp_depth", "mtp_num_layers",
                                              "num_nextn_predict_layers", NULL};
    const cJSON *name = titan_get(s->doc, TITAN_NAME, NULL);
    const int32_t n = model_number(s->doc, layers);
    c->has_shape = n > 0 && model_number(s->doc, widths) > 0;
    if (c->has_shape)
        c->own = (struct titan_flavor){.model = cJSON_IsString(name) ? name->valuestring
                                                                     : "the model",
                                       .flavor = "of this file",
                                       .layers = n + model_number(s->doc, more)};
}

// An unknown model is a fault only if no other document describes the model.
static bool read_flavor(struct titan_config *c, const struct titan_source *s)
{
    static const char remedy[] =
        "; or name the model's own file first: ppsweep check config.json FILE";
    const char *model = "llama3", *flavor = "debugmodel";
    struct titan_hint hint;
    const struct titan_source unknown = {.doc = s->doc, .fault = &c->unknown};
    const cJSON *name_item = titan_get(s->doc, TITAN_NAME, NULL);
    const cJSON *flavor_item = titan_get(s->doc, TITAN_FLAVOR, NULL);
    if (!titan_text(s, TITAN_NAME, &model) || !titan_text(s, TITAN_FLAVOR, &flavor))
        return false;
    if (name_item == NULL && flavor_item == NULL)
        return true;
    find_shape(c, s);
    c->flavor = c->has_shape ? &c->own : titan_flavor(model, flavor, &hint);
    if (c->flavor == NULL && hint.of_flavor)
        titan_fail(&unknown, flavor_item, "model.flavor = \"%.60s\": unknown flavor%s%s",
                   flavor, hint.text, remedy);
    else if (c->flavor == NULL)
        titan_fail(&unknown, name_item, "model.name = \"%.60s\": unknown model%s%s", model,
                   hint.text, remedy);
    return true;
}

static bool read_degree(const struct titan_source *s, enum titan_key key, int32_t *degree)
{
    int64_t value = 1;
    const char *path;
    if (!titan_whole(s, key, 1, &value))
        return false;
    *degree = (int32_t)value;
    if (value <= MAX_DEGREE)
        return true;
    const cJSON *item = titan_get(s->doc, key, &path);
    return titan_fail(s, item, "%s: expected at most %d", path, MAX_DEGREE);
}

static bool read_shard(struct titan_config *c, const struct titan_source *s)
{
    const cJSON *item = titan_get(s->doc, TITAN_SHARD, NULL);
    c->shard = 0;
    if (item == NULL || (cJSON_IsNumber(item) && item->valuedouble == -1))
        return true;
    return read_degree(s, TITAN_SHARD, &c->shard);
}

// Expert ranks take whole groups of shards, context and tensor ranks.
static bool check_experts(const struct titan_config *c, const struct titan_source *s)
{
    const cJSON *ep = titan_get(s->doc, TITAN_EP, NULL);
    if (c->ep > 1 && c->etp != 1 && c->etp != c->tp)
        return titan_fail(s, titan_get(s->doc, TITAN_ETP, NULL),
                          "expert_tensor_parallel_degree = %d: expected 1 or "
                          "tensor_parallel_degree (%d)",
                          c->etp, c->tp);
    const int64_t ranks = (int64_t)c->shard * c->cp * c->tp, wanted = (int64_t)c->ep * c->etp;
    if (c->ep > 1 && c->shard > 0 && ranks % wanted != 0)
        return titan_fail(s, ep,
                          "expert_parallel_degree = %d: shards times context and tensor ranks "
                          "(%" PRId64 ") must be a multiple of expert ranks times expert "
                          "tensor ranks (%" PRId64 ")",
                          c->ep, ranks, wanted);
    return true;
}

static bool read_degrees(struct titan_config *c, const struct titan_source *s)
{
    const struct {
        enum titan_key key;
        int32_t *degree;
    } degrees[] = {
        {TITAN_REPLICATE, &c->replicate},
        {TITAN_TP, &c->tp},
        {TITAN_PP, &c->pp},
        {TITAN_CP, &c->cp},
        {TITAN_EP, &c->ep},
        {TITAN_ETP, &c->etp},
    };
    int64_t product = 1;
    for (size_t k = 0; k < sizeof degrees / sizeof *degrees; k++) {
        if (!read_degree(s, degrees[k].key, degrees[k].degree))
            return false;
        product *= k < 4 ? *degrees[k].degree : 1;
        if (product > MAX_DEGREE)
            return titan_fail(s, titan_get(s->doc, degrees[k].key, NULL),
                              "the degrees need more than %d devices", MAX_DEGREE);
    }
    if (!read_shard(c, s))
        return false;
    c->sp = c->tp > 1 && !cJSON_IsFalse(titan_get(s->doc, TITAN_SP, NULL));
    if (product * (c->shard > 0 ? c->shard : 1) > MAX_DEGREE)
        return titan_fail(s, titan_get(s->doc, TITAN_SHARD, NULL),
                          "the degrees need more than %d devices", MAX_DEGREE);
    return check_experts(c, s) || framework_keep_reason(&c->cannot_run, s->fault);
}

// ---- batch --------------------------------------------------------------------------------------

// Splits the local batch into micro-batches: `count` of them, or of `size` sequences if it is 0.
static bool split_batch(struct titan_config *c, const struct titan_source *s, int64_t size,
                        int64_t count)
{
    const cJSON *count_item = titan_get(s->doc, TITAN_MICROBATCHES, NULL);
    c->mbs = 1;
    if (count > 0 && c->local_batch % count != 0)
        return titan_fail(s,
                          count_item != NULL ? count_item : titan_get(s->doc, TITAN_PP, NULL),
                          "a local batch of %" PRId64 " sequences does not split into %" PRId64
                          " equal micro-batches",
                          c->local_batch, count);
    if (count == 0 && c->local_batch % size != 0)
        return titan_fail(s, titan_get(s->doc, TITAN_MICROBATCH_SIZE, NULL),
                          "pipeline_parallel_microbatch_size = %" PRId64
                          ": a local batch of %" PRId64 " sequences is not a multiple",
                          size, c->local_batch);
    c->mbs = (int32_t)(count > 0 ? c->local_batch / count : size);
    return true;
}

// Reads the size of a micro-batch: of the pipeline, or the whole local batch without one.
static bool read_micro_batch(struct titan_config *c, const struct titan_source *s)
{
    const cJSON *size_item = titan_get(s->doc, TITAN_MICROBATCH_SIZE, NULL);
    const char *path = "pipeline_parallel_microbatches";
    int64_t size = 1, count = 0;
    if (c->local_batch > INT32_MAX)
        return titan_fail(s, titan_get(s->doc, TITAN_LOCAL_BATCH, &path),
                          "%s: expected at most %d", path, INT32_MAX);
    c->mbs = (int32_t)c->local_batch;
    if (!titan_whole(s, TITAN_MICROBATCH_SIZE, 1, &size) ||
        !titan_whole(s, TITAN_MICROBATCHES, 1, &count))
        return false;
    if (c->pp == 1)
        return true;
    // Until early 2025 the number of micro-batches was the key, by default one per rank.
    if (count == 0 && size_item == NULL && titan_is_old(s->doc))
        count = c->pp;
    return split_batch(c, s, size, count) || framework_keep_reason(&c->cannot_run, s->fault);
}

static bool check_global_batch(const struct titan_config *c, const struct titan_source *s)
{
    const int64_t step = c->local_batch * c->replicate * c->shard;
    return c->shard == 0 || c->global_batch % step == 0 ||
           titan_fail(s, titan_get(s->doc, TITAN_GLOBAL_BATCH, NULL),
                      "global_batch_size = %" PRId64
                      ": expected a multiple of local_batch_size times the data-parallel "
                      "degrees (%" PRId64 ")",
                      c->global_batch, step);
}

// Batches of tokens: of a micro-batch of one device, and of a step.
static bool read_tokens(struct titan_config *c, const struct titan_source *s)
{
    int64_t tokens = 16384, all = -1, count = 1;
    c->seq_len = 2048;
    if (!titan_whole(s, TITAN_TOKENS, 1, &tokens) ||
        !titan_whole(s, TITAN_STEP_TOKENS, -1, &all) ||
        !titan_whole(s, TITAN_N_MICROBATCHES, 1, &count) ||
        !titan_whole(s, TITAN_SEQ_LEN, 1, &c->seq_len))
        return false;
    if (tokens % c->seq_len != 0 || (all > 0 && all % c->seq_len != 0))
        return titan_fail(s, titan_get(s->doc, TITAN_TOKENS, NULL),
                          "%" PRId64 " tokens are not whole sequences of %" PRId64
                          " tokens; other packings are not known here",
                          tokens % c->seq_len != 0 ? tokens : all, c->seq_len);
    c->mbs = (int32_t)(tokens / c->seq_len);
    c->local_batch = c->mbs * (c->pp > 1 ? count : 1);
    c->global_batch = all > 0 ? all / c->seq_len : 0;
    return check_global_batch(c, s) || framework_keep_reason(&c->cannot_run, s->fault);
}

static bool read_batch(struct titan_config *c, const struct titan_source *s)
{
    int64_t all = -1;
    if (titan_counts_tokens(s->doc))
        return read_tokens(c, s);
    c->local_batch = 8;
    c->seq_len = 2048;
    if (!titan_whole(s, TITAN_LOCAL_BATCH, 1, &c->local_batch) ||
        !titan_whole(s, TITAN_GLOBAL_BATCH, -1, &all) ||
        !titan_whole(s, TITAN_SEQ_LEN, 1, &c->seq_len))
        return false;
    c->global_batch = all > 0 ? all : 0;
    return (check_global_batch(c, s) || framework_keep_reason(&c->cannot_run, s->fault)) &&
           read_micro_batch(c, s);
}

// ---- sharding, types, recomputation -------------------------------------------------------------

static bool read_sharding(struct titan_config *c, const struct titan_source *s)
{
    static const char *const words[] = {"default", "always", "never"};
    int word = 0;
    if (!read_word(s, TITAN_RESHARD, words, 3, &word))
        return false;
    c->reshard = word == 0 ? c->pp == 1 : word == 1;
    c->offload = cJSON_IsTrue(titan_get(s->doc, TITAN_CPU_OFFLOAD, NULL));
    return true;
}

// With all states in one type there is no second copy of the parameters.
static bool read_types(struct titan_config *c, const struct titan_source *s)
{
    static const char *const words[] = {"float32", "bfloat16"};
    int states = 0, computed = 1;
    if (!read_word(s, TITAN_DTYPE, words, 2, &states) ||
        !read_word(s, TITAN_PARAM_DTYPE, words, 2, &computed))
        return false;
    if (states == 1 || computed == 0) {
        c->bytes_param = c->bytes_grad = states == 1 ? 2 : 4;
        c->bytes_optim = 2 * c->bytes_param;
    }
    return true;
}

// A loss in chunks (components/loss.py, ChunkedCELoss) cuts sequences into eight pieces unless it says otherwise.
static bool read_compile(struct titan_config *c, const struct titan_source *s)
{
    const cJSON *on = titan_get(s->doc, TITAN_COMPILE, NULL);
    const cJSON *components = titan_get(s->doc, TITAN_COMPONENTS, NULL);
    const cJSON *loss = toml_get(s->doc, "loss._call");
    c->fused_loss = cJSON_IsTrue(on);
    c->loss_chunks = 1;
    if (cJSON_IsString(loss) && strncmp(loss->valuestring, "Chunked", 7) == 0) {
        c->fused_loss = true;
        c->loss_chunks = LOSS_CHUNKS;
        return titan_get(s->doc, TITAN_LOSS_CHUNKS, NULL) == NULL ||
               read_degree(s, TITAN_LOSS_CHUNKS, &c->loss_chunks);
    }
    if (!c->fused_loss || !cJSON_IsArray(components))
        return true;
    c->fused_loss = false;
    for (const cJSON *item = components->child; item != NULL; item = item->next)
        c->fused_loss |= cJSON_IsString(item) && strcmp(item->valuestring, "loss") == 0;
    return true;
}

// selective_ac_option: "op", or each n-th layer as text or a number.
static bool read_option(struct titan_config *c, const struct titan_source *s)
{
    const char *path;
    const cJSON *item = titan_get(s->doc, TITAN_CHECKPOINT_OPTION, &path);
    char text[32] = "2";
    if (cJSON_IsNumber(item))
        snprintf(text, sizeof text, "%.0f", item->valuedouble);
    else if (cJSON_IsString(item))
        snprintf(text, sizeof text, "%s", item->valuestring);
    if (item == NULL && s->recent)
        snprintf(text, sizeof text, "op");
    const size_t n = strspn(text, "0123456789");
    c->recompute = strcmp(text, "op") == 0 ? TITAN_OPS : TITAN_EVERY;
    if (c->recompute == TITAN_OPS)
        return true;
    if (n == 0 || n > 6 || text[n] != '\0' || (item != NULL && cJSON_IsBool(item)))
        return titan_fail(s, item, "%s: expected \"op\" or the text of a whole number", path);
    c->every = (int32_t)strtol(text, NULL, 10);
    return true;
}

// 0 recomputes all, 1 nothing.
static bool read_budget(struct titan_config *c, const struct titan_source *s)
{
    const char *path;
    const cJSON *item = titan_get(s->doc, TITAN_MEMORY_BUDGET, &path);
    if (item == NULL)
        return true;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 1))
        return titan_fail(s, item, "%s: expected a number from 0 to 1", path);
    if (item->valuedouble == 0 || item->valuedouble == 1)
        c->recompute = item->valuedouble == 0 ? TITAN_FULL : TITAN_NONE;
    return true;
}

static bool read_recompute(struct titan_config *c, const struct titan_source *s)
{
    static const char *const words[] = {"selective", "full", "none", "memory_budget"};
    static const enum titan_recompute modes[] = {TITAN_EVERY, TITAN_FULL, TITAN_NONE,
                                                 TITAN_OTHER};
    int word = 0;
    if (!read_word(s, TITAN_CHECKPOINT_MODE, words, 4, &word))
        return false;
    c->recompute = modes[word];
    if (c->recompute == TITAN_OTHER)
        return read_budget(c, s);
    return word != 0 || read_option(c, s);
}

// torchtitan counts the layers of a device over all its parts.
int32_t titan_recomputed(const struct titan_config *c, int32_t chunk, int32_t stage)
{
    const int32_t layers = c->layers[titan_part(c, chunk, stage)];
    int32_t before = 0;
    for (int32_t v = 0; v < chunk; v++)
        before += c->layers[titan_part(c, v, stage)];
    if (c->recompute == TITAN_EVERY && c->every > 1)
        return (before + layers) / c->every - before / c->every;
    return c->recompute == TITAN_FULL || c->recompute == TITAN_EVERY ? layers : 0;
}

// ---- all ----------------------------------------------------------------------------------------

bool titan_config_read(struct titan_config *c, const struct titan_source *s)
{
    *c = (struct titan_config){.flavor = NULL};
    return read_flavor(c, s) && read_degrees(c, s) && read_batch(c, s) && read_sharding(c, s) &&
           read_types(c, s) && read_compile(c, s) && read_recompute(c, s) &&
           titan_read_stages(c, s);
}

void titan_config_free(struct titan_config *c)
{
    free(c->layers);
    c->layers = NULL;
}
