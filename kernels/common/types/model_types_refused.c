// SPDX-License-Identifier: Apache-2.0
// The types that a modeldesc cannot hold, and what of them it lacks.
#include "kernels/common/types/model_types.h"

#include <stddef.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct lack {
    const char *what, *nearest;
    const char *names; // of types, with blanks around each
};

#define PLAIN "a decoder with attention in all layers"

static const struct lack lacks[] = {
    {"state-space layers", "bamba", " mamba mamba2 falcon_mamba ssm codestral_mamba "},
    {"recurrent layers", PLAIN,
     " rwkv rwkv5 rwkv6 rwkv6_world rwkv7 xlstm recurrent_gemma retnet hgrn2 gla "},
    {"state-space layers beside attention", "bamba or falcon_h1",
     " nemotronh plamo2 hymba phi4flash nemotron_flash "},
    {"a block that several layers share, which every stage with one of them would hold",
     "bamba", " zamba zamba2 "},
    {"linear attention beside attention", "qwen3_next",
     " olmo_hybrid bailing_moe_linear bailing_hybrid "},
    {"attention over the outputs of earlier blocks of layers, and latent experts with a norm",
     "kimi_linear", " kimi_k3 "},
    {"attention to the best blocks of tokens, chosen by an indexer of grouped queries",
     "minimax_m2", " minimax_m3 minimax_m3_text minimax_m3_vl "},
    {"linear attention beside attention",
     "minimax_m2, if the model is MiniMax-M2: write that as the type", " minimax "},
    {"convolutions beside attention", PLAIN, " lfm2_vl "},
    {"compressed attention, hyper-connections and grouped output", "deepseek_v32",
     " deepseek_v4 deepseek_ref "},
    {"embeddings of several tokens", "longcat_flash", " longcat_flash_ngram "},
    {"layers that differ in heads and experts", "step3p5 or nemotron-nas",
     " step3 step3_text deci openelm laguna "},
    {"embeddings in each layer", "gemma3_text or gemma4_text", " gemma3n gemma3n_text "},
    {"layers of cross attention", "llama for the layers without it",
     " mllama mllama_text_model "},
    {"a dense network beside the experts of a layer", "mixtral", " arctic "},
    {"experts for images beside those for text", "ernie4_5_moe",
     " ernie4_5_moe_vl ernie4_5_vl_moe ernie4_5_vl_moe_text "},
    {"attention without a mask, and no output head: it is an encoder", "bloom or opt",
     " bert roberta xlm-roberta xlm-roberta-xl distilbert albert electra deberta deberta-v2 "
     "modernbert camembert mpnet esm nomic_bert longformer big_bird funnel convbert "
     "megatron-bert ernie squeezebert roformer xlm flaubert layoutlm layoutlmv3 eurobert "
     "gte new jina_bert "},
    {"an encoder with cross attention", "a decoder, as llama",
     " t5 mt5 umt5 t5gemma t5gemma2 bart mbart pegasus pegasus_x marian m2m_100 longt5 led "
     "whisper blenderbot blenderbot-small prophetnet switch_transformers nllb-moe fsmt "
     "encoder-decoder speech_to_text plbart bigbird_pegasus seamless_m4t seamless_m4t_v2 "
     "musicgen pix2struct trocr moonshine "},
    {"an encoder of images", "a decoder, as llama",
     " vit clip clip_text_model siglip siglip2 dinov2 dinov3_vit beit deit swin swinv2 "
     "convnext convnextv2 resnet sam vit_mae blip blip-2 "},
};

// Models of several parts, and the language model inside.
static const char *const inside[][2] = {
    {"gemma3", "gemma3_text"},
    {"gemma4", "gemma4_text"},
    {"llama4", "llama4_text"},
    {"llava", "llama"},
    {"llava_next", "llama"},
    {"llava_onevision", "qwen2"},
    {"mistral3", "mistral"},
    {"pixtral", "mistral"},
    {"paligemma", "gemma"},
    {"qwen2_vl", "qwen2_vl_text"},
    {"qwen2_5_vl", "qwen2_5_vl_text"},
    {"qwen2_audio", "qwen2"},
    {"voxtral", "llama"},
    {"qwen3_vl", "qwen3_vl_text"},
    {"qwen3_vl_moe", "qwen3_vl_moe_text"},
    {"step3p7", "step3p5"},
    {"qwen3_5", "qwen3_5_text"},
    {"qwen3_5_moe", "qwen3_5_moe_text"},
    {"idefics2", "mistral"},
    {"idefics3", "llama"},
    {"smolvlm", "llama"},
};

static bool has_name(const char *names, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = strstr(names, name); at != NULL && n > 0; at = strstr(at + 1, name))
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

const char *modeltype_lacks(const char *name, const char **nearest)
{
    for (size_t i = 0; strchr(name, ' ') == NULL && i < COUNT_OF(lacks); i++)
        if (has_name(lacks[i].names, name)) {
            *nearest = lacks[i].nearest;
            return lacks[i].what;
        }
    return NULL;
}

const char *modeltype_inside(const char *outer)
{
    for (size_t i = 0; i < COUNT_OF(inside); i++)
        if (strcmp(inside[i][0], outer) == 0)
            return inside[i][1];
    return NULL;
}
