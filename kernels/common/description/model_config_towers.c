// SPDX-License-Identifier: Apache-2.0
// Counts the parameters of towers for images and for sound beside a language model, with their projectors. The
// shapes follow the classes of transformers: SiglipVisionModel and Gemma3MultiModalProjector, the vision models of
// Qwen2.5-VL, Qwen3-VL and Qwen3.5, and Qwen2AudioEncoder. Towers of other models are not counted.
#include "kernels/common/description/model_config.h"

#include <cjson/cJSON.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

// Values of vision_config; those of a class where a file is silent.
struct tower {
    int64_t layers, hidden, ffn, patch, channels, out;
    int64_t positions; // 0: the patches of an image
    int64_t deep;      // layers whose outputs are merged, too
};

static int64_t linear(int64_t in, int64_t out)
{
    return in * out + out;
}

// A layer with biases everywhere and two norms with bias.
static int64_t plain_layer(const struct tower *t)
{
    return 4 * linear(t->hidden, t->hidden) + linear(t->hidden, t->ffn) +
           linear(t->ffn, t->hidden) + 4 * t->hidden;
}

// Text width h: a norm and a matrix without bias project to it.
static int64_t siglip(const struct tower *t, int64_t h)
{
    return t->layers * plain_layer(t) + linear(t->channels * t->patch * t->patch, t->hidden) +
           t->positions * t->hidden + 2 * t->hidden + t->hidden * h + t->hidden;
}

// Four patches are merged to one token; patches have two frames.
static int64_t merger(const struct tower *t, int64_t norm)
{
    const int64_t wide = 4 * t->hidden;
    return norm + linear(wide, wide) + linear(wide, t->out);
}

static int64_t qwen2_5(const struct tower *t, int64_t h)
{
    const int64_t layer = linear(t->hidden, 3 * t->hidden) + linear(t->hidden, t->hidden) +
                          2 * linear(t->hidden, t->ffn) + linear(t->ffn, t->hidden) +
                          2 * t->hidden;
    (void)h;
    return t->layers * layer + 2 * t->channels * t->patch * t->patch * t->hidden +
           merger(t, t->hidden);
}

static int64_t qwen3(const struct tower *t, int64_t h)
{
    (void)h;
    return t->layers * plain_layer(t) +
           linear(2 * t->channels * t->patch * t->patch, t->hidden) + t->positions * t->hidden +
           merger(t, 2 * t->hidden) + t->deep * merger(t, 8 * t->hidden);
}

static const struct {
    const char *type; // model_type of the whole
    struct tower silent;
    int64_t (*count)(const struct tower *t, int64_t h);
} known[] = {
    {"gemma3", {12, 768, 3072, 16, 3, 0, 0, 0}, siglip},
    {"qwen2_5_vl", {32, 3584, 3420, 14, 3, 3584, 0, 0}, qwen2_5},
    {"qwen3_vl", {27, 1152, 4304, 16, 3, 3584, 2304, 3}, qwen3},
    {"qwen3_vl_moe", {27, 1152, 4304, 16, 3, 3584, 2304, 3}, qwen3},
    {"qwen3_5", {27, 1152, 4304, 16, 3, 3584, 2304, 0}, qwen3},
    {"qwen3_5_moe", {27, 1152, 4304, 16, 3, 3584, 2304, 0}, qwen3},
};

static int64_t number(const struct cJSON *config, const char *key, int64_t otherwise)
{
    const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(config, key);
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 65536
               ? (int64_t)item->valuedouble
               : otherwise;
}

static struct tower read_tower(const struct cJSON *config, const struct tower *silent)
{
    const struct cJSON *deep =
        cJSON_GetObjectItemCaseSensitive(config, "deepstack_visual_indexes");
    const int64_t layers = number(config, "num_hidden_layers", silent->layers);
    struct tower t = {.layers = number(config, "depth", layers),
                      .hidden = number(config, "hidden_size", silent->hidden),
                      .ffn = number(config, "intermediate_size", silent->ffn),
                      .patch = number(config, "patch_size", silent->patch),
                      .channels = number(config, "num_channels", silent->channels),
                      .out = number(config, "out_hidden_size", silent->out),
                      .positions = number(config, "num_position_embeddings", silent->positions),
                      .deep = cJSON_IsArray(deep) ? cJSON_GetArraySize(deep) : silent->deep};
    t.layers = t.layers < 4096 ? t.layers : 4096;
    if (silent->positions == 0 && t.patch > 0) {
        const int64_t side = number(config, "image_size", 224) / t.patch;
        t.positions = side * side;
    }
    return t;
}

int64_t modelconfig_image_tower(const struct modelconfig *c, int64_t hidden)
{
    const struct cJSON *type = cJSON_GetObjectItemCaseSensitive(c->document, "model_type");
    const struct cJSON *config = cJSON_GetObjectItemCaseSensitive(c->document, "vision_config");
    const struct cJSON *head = cJSON_GetObjectItemCaseSensitive(config, "vision_use_head");
    for (size_t i = 0; cJSON_IsObject(config) && cJSON_IsString(type) && i < COUNT_OF(known);
         i++) {
        if (strcmp(known[i].type, type->valuestring) != 0 ||
            (known[i].count == siglip && !cJSON_IsFalse(head)))
            continue;
        const struct tower t = read_tower(config, &known[i].silent);
        return known[i].count(&t, hidden);
    }
    return 0;
}

int64_t modelconfig_audio_tower(const struct modelconfig *c, int64_t hidden)
{
    const struct cJSON *type = cJSON_GetObjectItemCaseSensitive(c->document, "model_type");
    const struct cJSON *config = cJSON_GetObjectItemCaseSensitive(c->document, "audio_config");
    if (!cJSON_IsString(type) || strcmp(type->valuestring, "qwen2_audio") != 0 ||
        !cJSON_IsObject(config))
        return 0;
    const struct tower t = {.layers = number(config, "encoder_layers", 32),
                            .hidden = number(config, "d_model", 1280),
                            .ffn = number(config, "encoder_ffn_dim", 5120),
                            .channels = number(config, "num_mel_bins", 128),
                            .positions = number(config, "max_source_positions", 1500)};
    const int64_t no_key_bias = plain_layer(&t) - t.hidden;
    return (t.layers < 4096 ? t.layers : 4096) * no_key_bias +
           linear(3 * t.channels, t.hidden) + linear(3 * t.hidden, t.hidden) +
           (t.positions + 2) * t.hidden + linear(t.hidden, hidden);
}
