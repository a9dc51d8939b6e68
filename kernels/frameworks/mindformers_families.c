// SPDX-License-Identifier: Apache-2.0
// Finds the family of a MindFormers model by the name of its type.
#include "kernels/frameworks/mindformers_private.h"

#include <string.h>
#include <strings.h>

const cJSON *mindformers_member(const struct mindformers_reader *m, const char *name)
{
    static const char *const objects[] = {MINDFORMERS_MODEL_OBJECTS};
    for (size_t o = 0; o < sizeof objects / sizeof *objects; o++) {
        const cJSON *item = pps_json_member(yaml_get(m->doc, objects[o]), name);
        if (item != NULL && !cJSON_IsNull(item))
            return item;
    }
    return NULL;
}

// Returns the value under which the file names the type of the model; NULL: it does not.
static const cJSON *type_of(const struct mindformers_reader *m)
{
    const cJSON *type = mindformers_member(m, "type");
    if (type == NULL)
        type = mindformers_member(m, "model_type");
    return cJSON_IsString(type) ? type : NULL;
}

bool mindformers_is_llama(const struct mindformers_reader *m)
{
    static const char *const families[] = {"Llama", "InternLM", "Telechat",
                                           "Qwen",  "YiZhao",   "Deepseek"};
    const cJSON *type = type_of(m);
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (type != NULL && strcasestr(type->valuestring, families[k]) != NULL)
            return true;
    return false;
}

// Families with layer norms, and two matrices with biases in a feed-forward network.
bool mindformers_is_classic(const struct mindformers_reader *m)
{
    static const char *const families[] = {"GPT2", "Bloom", "Pangu",
                                           "Bert", "OPT",   "WizardCoder"};
    const cJSON *type = type_of(m);
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (type != NULL && strcasestr(type->valuestring, families[k]) != NULL)
            return true;
    return false;
}

// Returns the part of the model that is no decoder of text; NULL: none.
static const cJSON *other_part(const struct mindformers_reader *m)
{
    static const char *const parts[] = {"vision_config",  "vision_model",   "audio_config",
                                        "encoder_config", "decoder_config", "text_config",
                                        "llm_config"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (mindformers_member(m, parts[k]) != NULL)
            return mindformers_member(m, parts[k]);
    return NULL;
}

static bool has_other_shape(const cJSON *type)
{
    static const char *const families[] = {"T5",   "Whisper", "ViT",   "MaeC",  "Swin",
                                           "CLIP", "Blip",    "SamC",  "Mamba", "RWKV",
                                           "VL",   "Video",   "Llava", "CogVLM"};
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (type != NULL && strstr(type->valuestring, families[k]) != NULL)
            return true;
    return false;
}

static bool is_decoder(const struct mindformers_reader *m, const cJSON *type)
{
    static const char *const families[] = {"GLM",   "Mixtral", "Mistral", "Baichuan",
                                           "Gemma", "Yi",      "Skywork", "LlmBoost"};
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (strcasestr(type->valuestring, families[k]) != NULL)
            return true;
    return mindformers_is_classic(m) || mindformers_is_llama(m);
}

bool mindformers_check_shape(struct mindformers_reader *m)
{
    const cJSON *type = type_of(m), *part = other_part(m);
    if (part == NULL && !has_other_shape(type))
        return true;
    const cJSON *at = part != NULL ? part : type;
    mindformers_fail(
        m, at,
        "%s%s%s: the shape of this model is not known; name a file that describes it "
        "first: ppsweep check config.json FILE",
        at->string, part != NULL ? "" : " ", part != NULL ? "" : type->valuestring);
    m->r->file->unknown_model = *m->r->fault;
    return false;
}

bool mindformers_name_type(struct mindformers_reader *m)
{
    const cJSON *type = type_of(m);
    return type == NULL || is_decoder(m, type) ||
           mindformers_not_modelled(m, "model_config.type", type);
}
