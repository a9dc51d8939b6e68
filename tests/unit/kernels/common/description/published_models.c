// SPDX-License-Identifier: Apache-2.0
// Parameters of published models, read from what their config.json files say.
#include "kernels/common/description/model.h"

#include "tests/unit/support/documents.h"
#include "tests/unit/support/kernels/models.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

// ---- published models -----------------------------------------------------------------------

// Where the number is published. Checkpoints store a tied matrix once or twice, and MTP modules and
// towers beside the language model: the table has the number without copies, modules and towers.
enum source {
    FILES, // total of the tensors of the checkpoint, as its page on huggingface.co shows it
    PAPER, // exact in the paper or on the model's card: Pythia (arXiv:2304.01373, table 1), BLOOM
           // (cards of bigscience), DeepSeek-V3 (arXiv:2412.19437)
    ROUND, // rounded in the paper or on the model's card: within 1 %
};

struct published {
    const char *name;
    enum source source;
    double parameters;
    const char *config; // what the published file says of the shape
};

// Rounded parameters that a token uses, as published: with the embedding or without.
static const struct {
    const char *name;
    double parameters;
} used[] = {
    {"Step-3.5-Flash", 11.2e9},
    {"LongCat-Flash", 27e9},
    {"Gemma-4-26B-A4B, text", 3.8e9},
    {"Nemotron-3-Super-120B-A12B", 12.7e9},
    {"Nemotron-3-Nano-30B-A3B", 3.6e9},
    {"Kimi-Linear-48B-A3B", 3e9},
    {"Qwen3-Next-80B-A3B", 3.9e9},
    {"MiMo-V2-Flash", 15e9},
    {"DeepSeek-V3.2", 37e9},
    {"GLM-5", 40e9},
    {"Qwen3.5-397B-A17B, text", 17e9},
    {"Qwen3.5-35B-A3B, text", 3e9},
};

#define L(n)                    "'num_hidden_layers':" #n
#define HID(h, f)               ",'hidden_size':" #h ",'intermediate_size':" #f
#define HEADS(A, G)             ",'num_attention_heads':" #A ",'num_key_value_heads':" #G
#define VOCAB(V)                ",'vocab_size':" #V
#define TIED(t)                 ",'tie_word_embeddings':" #t
#define TYPE(t)                 "{'model_type':'" t "',"
#define HEAD_DIM(d)             ",'head_dim':" #d
#define SHAPE(n, h, f, A, G, V) L(n) HID(h, f) HEADS(A, G) VOCAB(V)
#define PYTHIA(n, h, f, A, V)                                                                  \
    TYPE("gpt_neox")                                                                           \
    L(n)                                                                                       \
    HID(h, f)                                                                                  \
    ",'num_attention_heads':" #A VOCAB(                                                        \
        V) ",'tie_word_embeddings':false,'use_parallel_residual':true}"
#define OPT(n, h, f, A)                                                                        \
    TYPE("opt")                                                                                \
    L(n)                                                                                       \
    ",'hidden_size':" #h ",'ffn_dim':" #f ",'num_attention_heads':" #A                         \
    ",'word_embed_proj_dim':" #h ",'max_position_embeddings':2048,'vocab_size':50272}"
#define BLOOM(n, h, A)                                                                         \
    TYPE("bloom") "'n_layer':" #n ",'n_embed':" #h ",'n_head':" #A ",'vocab_size':250880}"
#define FOUR     "'mamba','mamba','mamba','mamba'"
#define FIVE     FOUR ",'mamba'"
#define NINE     FIVE "," FOUR
#define CONV2    "'conv','conv','full_attention'"
#define CONV3    "'conv','conv','conv','full_attention'"
#define SHARED3  "'shared','shared','shared','full'"
#define SHARED20 SHARED3 "," SHARED3 "," SHARED3 "," SHARED3 "," SHARED3
#define LING(m)                                                                                \
    ",'num_experts':256,'num_experts_per_tok':8,'num_shared_experts':1,'first_k_dense_replace':1,'use_qk_norm':true,'moe_intermediate_size':" #m
#define FULL_OF_4 "'full_attention','sliding_attention','sliding_attention','sliding_attention'"
#define FALCON_H1(n, h, f, A, G, d, V, inner, H, N, g)                                         \
    TYPE("falcon_h1")                                                                          \
    SHAPE(n, h, f, A, G, V)                                                                    \
    HEAD_DIM(d)                                                                                \
    ",'mamba_d_ssm':" #inner ",'mamba_n_heads':" #H ",'mamba_d_state':" #N                     \
    ",'mamba_n_groups':" #g ",'mamba_d_head':'auto','mamba_rms_norm':false}"
// Layers of Llama-3.3-Nemotron-Super-49B: with attention, and of so many hidden sizes without it.
#define NAS_A(mult)                                                                            \
    "{'attention':{'no_op':false,'n_heads_in_group':8,'window_length':null},'ffn':{'no_op':"   \
    "false,'ffn_mult':" #mult ",'sparsify':null}}"
#define NAS_N(mult) "{'attention':{'no_op':true},'ffn':{'no_op':false,'ffn_mult':" #mult "}}"
#define NAS_A3      NAS_A(5.25) "," NAS_A(5.25) "," NAS_A(5.25)
#define NAS_A15     NAS_A3 "," NAS_A3 "," NAS_A3 "," NAS_A3 "," NAS_A3
#define NAS_SUPER                                                                                                                                                                                                                                                                                                                                                                                   \
    NAS_A(2.625)                                                                                                                                                                                                                                                                                                                                                                                    \
    "," NAS_A3 "," NAS_A(5.25) "," NAS_A(                                                                                                                                                                                                                                                                                                                                                           \
        5.25) "," NAS_N(2.625) "," NAS_N(2.625) "," NAS_A3                                                                                                                                                                                                                                                                                                                                          \
                                                "," NAS_N(3.28125) "," NAS_A15 "," NAS_A15                                                                                                                                                                                                                                                                                                          \
                                                                   "," NAS_N(1.3125) "," NAS_N(2.625) "," NAS_N(2.625) "," NAS_N(1.3125) "," NAS_N(5.25) "," NAS_N(1.3125) "," NAS_N(2.625) "," NAS_N(1.3125) "," NAS_N(1.3125) "," NAS_N(1.3125) "," NAS_A(5.25) "," NAS_N(1.3125) "," NAS_N(1) "," NAS_N(1) "," NAS_N(1.3125) "," NAS_N(1) "," NAS_N(1) "," NAS_N(1) "," NAS_N(1.3125) "," NAS_N( \
                                                                       1.3125) "," NAS_N(0.5) "," NAS_N(0.5) "," NAS_N(1) "," NAS_N(1) "," NAS_N(0.5) "," NAS_N(0.5) "," NAS_N(1) "," NAS_N(0.5) "," NAS_N(0.5) "," NAS_A3                                                                                                                                                                          \
                                                                                                                                                                                                                "," NAS_A3                                                                                                                                                                          \
                                                                                                                                                                                                                "," NAS_A3
#define GPT2(n, h, A)                                                                          \
    TYPE("gpt2")                                                                               \
    "'n_layer':" #n ",'n_embd':" #h ",'n_head':" #A                                            \
    ",'n_positions':1024,'n_ctx':1024,'vocab_size':50257}"

// clang-format off
static const struct published models[] = {
    {"Llama-2-7B", FILES, 6738415616, TYPE("llama") SHAPE(32, 4096, 11008, 32, 32, 32000) "}"},
    {"Llama-2-13B", FILES, 13015864320, TYPE("llama") SHAPE(40, 5120, 13824, 40, 40, 32000) "}"},
    {"Llama-2-70B", FILES, 68976648192, TYPE("llama") SHAPE(80, 8192, 28672, 64, 8, 32000) "}"},
    {"Llama-3.1-8B", FILES, 8030261248, TYPE("llama") SHAPE(32, 4096, 14336, 32, 8, 128256) "}"},
    {"Llama-3.1-70B", FILES, 70553706496, TYPE("llama") SHAPE(80, 8192, 28672, 64, 8, 128256) "}"},
    {"Llama-3.1-405B", FILES, 405853388800, TYPE("llama") SHAPE(126, 16384, 53248, 128, 8, 128256) "}"},
    {"Llama-3.2-1B", FILES, 1235814400, TYPE("llama") SHAPE(16, 2048, 8192, 32, 8, 128256) TIED(true) HEAD_DIM(64) "}"},
    {"Llama-3.2-3B", FILES, 3212749824, TYPE("llama") SHAPE(28, 3072, 8192, 24, 8, 128256) TIED(true) "}"},
    {"TinyLlama-1.1B", FILES, 1100048384, TYPE("llama") SHAPE(22, 2048, 5632, 32, 4, 32000) "}"},
    {"SmolLM2-135M", FILES, 134515008, TYPE("llama") SHAPE(30, 576, 1536, 9, 3, 49152) TIED(true) "}"},
    {"SmolLM2-1.7B", FILES, 1711376384, TYPE("llama") SHAPE(24, 2048, 8192, 32, 32, 49152) TIED(true) "}"},
    {"Yi-6B", FILES, 6061035520, TYPE("llama") SHAPE(32, 4096, 11008, 32, 4, 64000) "}"},
    {"Yi-34B", FILES, 34388917248, TYPE("llama") SHAPE(60, 7168, 20480, 56, 8, 64000) "}"},
    {"Mistral-7B-v0.1", FILES, 7241732096, TYPE("mistral") SHAPE(32, 4096, 14336, 32, 8, 32000) ",'sliding_window':4096}"},
    {"Mistral-Nemo", FILES, 12247782400, TYPE("mistral") SHAPE(40, 5120, 14336, 32, 8, 131072) HEAD_DIM(128) "}"},
    {"Mistral-Small-24B", FILES, 23572403200, TYPE("mistral") SHAPE(40, 5120, 32768, 32, 8, 131072) HEAD_DIM(128) "}"},
    {"Mixtral-8x7B", FILES, 46702792704, TYPE("mixtral") SHAPE(32, 4096, 14336, 32, 8, 32000) ",'num_local_experts':8}"},
    {"Mixtral-8x22B", FILES, 140620634112, TYPE("mixtral") SHAPE(56, 6144, 16384, 48, 8, 32000) "}"},
    {"Llama-4-Scout, text", ROUND, 107.8e9, "{'model_type':'llama4','text_config':{'attention_chunk_size':8192},"
     "'vision_config':{'hidden_size':1408}}"},

    {"Qwen1.5-0.5B", FILES, 463987712, TYPE("qwen2") SHAPE(24, 1024, 2816, 16, 16, 151936) TIED(true) "}"},
    {"Qwen2-0.5B", FILES, 494032768, TYPE("qwen2") SHAPE(24, 896, 4864, 14, 2, 151936) TIED(true) "}"},
    {"Qwen2.5-1.5B", FILES, 1543714304, TYPE("qwen2") SHAPE(28, 1536, 8960, 12, 2, 151936) TIED(true) "}"},
    {"Qwen2.5-7B", FILES, 7615616512, TYPE("qwen2") SHAPE(28, 3584, 18944, 28, 4, 152064) "}"},
    {"Qwen2.5-14B", FILES, 14770033664, TYPE("qwen2") SHAPE(48, 5120, 13824, 40, 8, 152064) "}"},
    {"Qwen2.5-32B", FILES, 32763876352, TYPE("qwen2") SHAPE(64, 5120, 27648, 40, 8, 152064) "}"},
    {"Qwen2.5-72B", FILES, 72706203648, TYPE("qwen2") SHAPE(80, 8192, 29568, 64, 8, 152064) "}"},
    {"Qwen1.5-MoE-A2.7B", FILES, 14315784192, TYPE("qwen2_moe") SHAPE(24, 2048, 5632, 16, 16, 151936)
     ",'num_experts':60,'num_experts_per_tok':4,'moe_intermediate_size':1408,'shared_expert_intermediate_size':5632,"
     "'decoder_sparse_step':1,'use_sliding_window':false,'sliding_window':32768}"},
    {"Qwen2-57B-A14B", ROUND, 57.4e9, TYPE("qwen2_moe") SHAPE(28, 3584, 18944, 28, 4, 151936)
     ",'num_experts':64,'num_experts_per_tok':8,'moe_intermediate_size':2560,'shared_expert_intermediate_size':20480}"},
    {"Qwen2-VL-7B, text", ROUND, 7.62e9, TYPE("qwen2_vl") SHAPE(28, 3584, 18944, 28, 4, 152064) ",'vision_config':{'depth':32}}"},
    {"Qwen3-0.6B", FILES, 596049920, TYPE("qwen3") SHAPE(28, 1024, 3072, 16, 8, 151936) HEAD_DIM(128) TIED(true) "}"},
    {"Qwen3-4B", FILES, 4022468096, TYPE("qwen3") SHAPE(36, 2560, 9728, 32, 8, 151936) HEAD_DIM(128) TIED(true) "}"},
    {"Qwen3-8B", FILES, 8190735360, TYPE("qwen3") SHAPE(36, 4096, 12288, 32, 8, 151936) "}"},
    {"Qwen3-14B", FILES, 14768307200, TYPE("qwen3") SHAPE(40, 5120, 17408, 40, 8, 151936) "}"},
    {"Qwen3-32B", FILES, 32762123264, TYPE("qwen3") SHAPE(64, 5120, 25600, 64, 8, 151936) "}"},
    {"Qwen3-30B-A3B", FILES, 30532122624, TYPE("qwen3_moe") SHAPE(48, 2048, 6144, 32, 4, 151936)
     HEAD_DIM(128) ",'num_experts':128,'num_experts_per_tok':8,'moe_intermediate_size':768,'mlp_only_layers':[]}"},
    {"Qwen3-235B-A22B", FILES, 235093634560, TYPE("qwen3_moe") SHAPE(94, 4096, 12288, 64, 4, 151936)
     HEAD_DIM(128) ",'num_experts':128,'num_experts_per_tok':8,'moe_intermediate_size':1536}"},
    {"Qwen3-Coder-480B-A35B", FILES, 480154875392, TYPE("qwen3_moe") SHAPE(62, 6144, 8192, 96, 8, 151936)
     HEAD_DIM(128) ",'num_experts':160,'num_experts_per_tok':8,'moe_intermediate_size':2560}"},

    {"Gemma-2B", FILES, 2506172416, TYPE("gemma") SHAPE(18, 2048, 16384, 8, 1, 256000) HEAD_DIM(256) "}"},
    {"Gemma-7B", FILES, 8537680896, TYPE("gemma") SHAPE(28, 3072, 24576, 16, 16, 256000) "}"},
    {"Gemma-2-2B", FILES, 2614341888, TYPE("gemma2") SHAPE(26, 2304, 9216, 8, 4, 256000) "}"},
    {"Gemma-2-9B", FILES, 9241705984, TYPE("gemma2") SHAPE(42, 3584, 14336, 16, 8, 256000) "}"},
    {"Gemma-2-27B", FILES, 27227128320, TYPE("gemma2") SHAPE(46, 4608, 36864, 32, 16, 256000) HEAD_DIM(128) "}"},
    {"Gemma-3-270M", FILES, 268098176, TYPE("gemma3_text") SHAPE(18, 640, 2048, 4, 1, 262144) "}"},
    {"Gemma-3-1B", FILES, 999885952, TYPE("gemma3_text") SHAPE(26, 1152, 6912, 4, 1, 262144) "}"},
    {"Gemma-3-4B, text", FILES, 3880263168, "{'model_type':'gemma3','text_config':{'hidden_size':2560,"
     "'intermediate_size':10240,'model_type':'gemma3_text','num_hidden_layers':34,'sliding_window':1024},"
     "'vision_config':{'hidden_size':1152}}"},
    {"Gemma-3-12B, text", FILES, 11766034176, "{'model_type':'gemma3','text_config':{'hidden_size':3840,"
     "'intermediate_size':15360,'num_attention_heads':16,'num_key_value_heads':8,'model_type':'gemma3_text',"
     "'num_hidden_layers':48}}"},
    {"Gemma-3-27B, text", FILES, 27009346304, "{'model_type':'gemma3','text_config':{'hidden_size':5376,"
     "'intermediate_size':21504,'num_attention_heads':32,'num_key_value_heads':16,'head_dim':128,"
     "'model_type':'gemma3_text','num_hidden_layers':62}}"},

    {"Phi-1.5", FILES, 1418270720, TYPE("phi") L(24) HID(2048, 8192) ",'num_attention_heads':32,'vocab_size':51200}"},
    {"Phi-2", FILES, 2779683840, TYPE("phi") L(32) HID(2560, 10240) ",'num_attention_heads':32,'vocab_size':51200}"},
    {"Phi-3-mini", FILES, 3821079552, TYPE("phi3") SHAPE(32, 3072, 8192, 32, 32, 32064) ",'attention_bias':false}"},
    {"Phi-3-medium", FILES, 13960238080, TYPE("phi3") SHAPE(40, 5120, 17920, 40, 10, 32064) "}"},
    {"Phi-4", FILES, 14659507200, TYPE("phi3") SHAPE(40, 5120, 17920, 40, 10, 100352) "}"},
    {"Phi-4-mini", FILES, 3836021760, TYPE("phi3") SHAPE(32, 3072, 8192, 24, 8, 200064) TIED(true)
     ",'mlp_bias':false,'lm_head_bias':false,'partial_rotary_factor':0.75}"},
    {"Phi-3.5-MoE", FILES, 41873153344, TYPE("phimoe") SHAPE(32, 4096, 6400, 32, 8, 32064)
     ",'attention_bias':true,'lm_head_bias':true,'num_local_experts':16,'num_experts_per_tok':2}"},

    {"GPT-2", FILES, 124439808, GPT2(12, 768, 12)},
    {"GPT-2 XL", FILES, 1557611200, GPT2(48, 1600, 25)},
    {"StarCoder", FILES, 15517456384, TYPE("gpt_bigcode") "'n_layer':40,'n_embd':6144,'n_head':48,'n_inner':24576,"
     "'n_positions':8192,'vocab_size':49152,'multi_query':true}"},
    {"GPT-Neo-125M", FILES, 125198592, TYPE("gpt_neo") "'num_layers':12,'num_heads':12,'hidden_size':768,"
     "'intermediate_size':null,'max_position_embeddings':2048,'attention_types':[[['global','local'],6]],'vocab_size':50257}"},
    {"GPT-Neo-2.7B", FILES, 2651307520, TYPE("gpt_neo") "'num_layers':32,'num_heads':20,'hidden_size':2560}"},
    {"GPT-J-6B", FILES, 6050882784, TYPE("gptj") "'n_layer':28,'n_embd':4096,'n_head':16,'n_positions':2048,"
     "'rotary_dim':64,'vocab_size':50400}"},
    {"GPT-NeoX-20B", FILES, 20554567680, TYPE("gpt_neox") L(44) HID(6144, 24576) ",'num_attention_heads':64,'vocab_size':50432}"},
    {"Pythia-70M", PAPER, 70426624, PYTHIA(6, 512, 2048, 8, 50304)},
    {"Pythia-410M", PAPER, 405334016, PYTHIA(24, 1024, 4096, 16, 50304)},
    {"Pythia-1.4B", PAPER, 1414647808, PYTHIA(24, 2048, 8192, 16, 50304)},
    {"Pythia-2.8B", PAPER, 2775208960, PYTHIA(32, 2560, 10240, 32, 50304)},
    {"Pythia-6.9B", PAPER, 6857302016, PYTHIA(32, 4096, 16384, 32, 50432)},
    {"Pythia-12B", PAPER, 11846072320, PYTHIA(36, 5120, 20480, 40, 50688)},
    {"OPT-125M", FILES, 125239296, OPT(12, 768, 3072, 12)},
    {"OPT-1.3B", FILES, 1315758080, OPT(24, 2048, 8192, 32)},
    {"OPT-6.7B", FILES, 6658473984, OPT(32, 4096, 16384, 32)},
    {"OPT-30B", FILES, 29974540288, OPT(48, 7168, 28672, 56)},
    {"BLOOM-560M", PAPER, 559214592, BLOOM(24, 1024, 16)},
    {"BLOOM-7.1B", PAPER, 7069016064, BLOOM(30, 4096, 32)},
    {"BLOOM", PAPER, 176247271424, BLOOM(70, 14336, 112)},
    {"Falcon-7B", FILES, 6921720704, TYPE("falcon") L(32) ",'hidden_size':4544,'num_attention_heads':71,'multi_query':true,"
     "'parallel_attn':true,'bias':false,'new_decoder_architecture':false,'vocab_size':65024}"},
    {"Falcon-40B", FILES, 41303293952, TYPE("falcon") L(60) ",'hidden_size':8192,'num_attention_heads':128,'num_kv_heads':8,"
     "'multi_query':true,'new_decoder_architecture':true,'parallel_attn':true,'vocab_size':65024}"},
    {"MPT-7B", FILES, 6649286656, TYPE("mpt") "'n_layers':32,'d_model':4096,'n_heads':32,'expansion_ratio':4,"
     "'vocab_size':50432,'no_bias':true,'attn_config':{'alibi':true,'attn_type':'multihead_attention','qk_ln':false}}"},
    {"DBRX", FILES, 131596523520, TYPE("dbrx") "'n_layers':40,'d_model':6144,'n_heads':48,'vocab_size':100352,"
     "'attn_config':{'kv_n_heads':8,'clip_qkv':8},'ffn_config':{'ffn_hidden_size':10752,'moe_num_experts':16,'moe_top_k':4}}"},
    {"StarCoder2-3B", FILES, 3030371328, TYPE("starcoder2") SHAPE(30, 3072, 12288, 24, 2, 49152) ",'use_bias':true}"},
    {"StarCoder2-7B", FILES, 7173923840, TYPE("starcoder2") SHAPE(32, 4608, 18432, 36, 4, 49152) ",'sliding_window':4096}"},
    {"StableLM-2-1.6B", FILES, 1644515328, TYPE("stablelm") SHAPE(24, 2048, 5632, 32, 32, 100352) ",'use_qkv_bias':true}"},
    {"StableLM-3B-4e1t", FILES, 2795443200, TYPE("stablelm") SHAPE(32, 2560, 6912, 32, 32, 50304) "}"},
    {"Nemotron-4-340B", ROUND, 341e9, TYPE("nemotron") SHAPE(96, 18432, 73728, 96, 8, 256000) "}"},
    {"AFM-4.5B", ROUND, 4.6e9, TYPE("arcee") SHAPE(36, 2560, 18432, 20, 4, 128004) HEAD_DIM(128) "}"},
    {"Seed-OSS-36B", ROUND, 36.15e9, TYPE("seed_oss") SHAPE(64, 5120, 27648, 80, 8, 155136) HEAD_DIM(128) "}"},
    {"Command R", FILES, 34980831232, TYPE("cohere") SHAPE(40, 8192, 22528, 64, 64, 256000) ",'use_qk_norm':false}"},
    {"Command R+", FILES, 103810674688, TYPE("cohere") SHAPE(64, 12288, 33792, 96, 8, 256000) ",'use_qk_norm':true}"},
    {"Command R7B", ROUND, 8.03e9, TYPE("cohere2") SHAPE(32, 4096, 14336, 32, 8, 256000)
     ",'sliding_window':4096,'use_parallel_block':true,'use_gated_activation':true}"},
    {"Aya-23-8B", FILES, 8028033024, TYPE("cohere") SHAPE(32, 4096, 14336, 32, 8, 256000) "}"},

    {"OLMo-1B", FILES, 1176764416, TYPE("olmo") SHAPE(16, 2048, 8192, 16, 16, 50304) TIED(true) "}"},
    {"OLMo-7B", FILES, 6888095744, TYPE("olmo") SHAPE(32, 4096, 11008, 32, 32, 50304) "}"},
    {"OLMo-2-1B", FILES, 1484916736, TYPE("olmo2") SHAPE(16, 2048, 8192, 16, 16, 100352) "}"},
    {"OLMo-2-7B", FILES, 7298617344, TYPE("olmo2") SHAPE(32, 4096, 11008, 32, 32, 100352) "}"},
    {"OLMo-2-13B", FILES, 13716198400, TYPE("olmo2") SHAPE(40, 5120, 13824, 40, 40, 100352) "}"},
    {"OLMo-3-7B", ROUND, 7.3e9, TYPE("olmo3") SHAPE(32, 4096, 11008, 32, 32, 100278) "}"},
    {"OLMoE-1B-7B", FILES, 6919161856, TYPE("olmoe") SHAPE(16, 2048, 1024, 16, 16, 50304) ",'num_experts':64}"},

    {"DeepSeek-V2-Lite", FILES, 15706484224, TYPE("deepseek_v2") SHAPE(27, 2048, 10944, 16, 16, 102400)
     ",'q_lora_rank':null,'kv_lora_rank':512,'n_routed_experts':64,'n_shared_experts':2,'num_experts_per_tok':6,"
     "'moe_intermediate_size':1408,'first_k_dense_replace':1,'moe_layer_freq':1,'topk_group':1,'n_group':1}"},
    {"DeepSeek-V2", FILES, 235741434880, TYPE("deepseek_v2") SHAPE(60, 5120, 12288, 128, 128, 102400)
     ",'n_routed_experts':160,'n_shared_experts':2,'num_experts_per_tok':6,'moe_intermediate_size':1536,"
     "'first_k_dense_replace':1}"},
    {"DeepSeek-V3", PAPER, 671026419200, TYPE("deepseek_v3") SHAPE(61, 7168, 18432, 128, 128, 129280)
     ",'n_routed_experts':256,'n_shared_experts':1,'num_nextn_predict_layers':1}"},
    {"Moonlight-16B-A3B", ROUND, 15.96e9, TYPE("deepseek_v3") SHAPE(27, 2048, 11264, 16, 16, 163840)
     ",'q_lora_rank':null,'n_routed_experts':64,'n_shared_experts':2,'num_experts_per_tok':6,"
     "'moe_intermediate_size':1408,'first_k_dense_replace':1,'n_group':1,'topk_group':1}"},
    {"Kimi-K2", ROUND, 1.026e12, TYPE("kimi_k2") SHAPE(61, 7168, 18432, 64, 64, 163840)
     ",'n_routed_experts':384,'num_experts_per_tok':8,'first_k_dense_replace':1,'n_group':1,'topk_group':1}"},
    {"dots.llm1", ROUND, 142.8e9, TYPE("dots1") SHAPE(62, 4096, 10944, 32, 32, 152064) ",'n_routed_experts':128,"
     "'n_shared_experts':2,'num_experts_per_tok':6,'moe_intermediate_size':1408,'first_k_dense_replace':1,"
     "'sliding_window':null}"},
    {"GLM-4-9B", FILES, 9399951360, TYPE("glm") SHAPE(40, 4096, 13696, 32, 2, 151552) ",'attention_bias':true}"},
    {"GLM-4-32B-0414", FILES, 32566081536, TYPE("glm4") SHAPE(61, 6144, 23040, 48, 2, 151552) ",'attention_bias':false}"},
    {"GLM-4.5-Air", ROUND, 106.85e9, TYPE("glm4_moe") SHAPE(46, 4096, 10944, 96, 8, 151552) ",'n_routed_experts':128,"
     "'attention_bias':true,'use_qk_norm':false,'num_nextn_predict_layers':1}"},
    {"ChatGLM3-6B", FILES, 6243584000, TYPE("chatglm") "'num_layers':28,'hidden_size':4096,'ffn_hidden_size':13696,"
     "'kv_channels':128,'num_attention_heads':32,'multi_query_attention':true,'multi_query_group_num':2,"
     "'add_bias_linear':false,'add_qkv_bias':true,'padded_vocab_size':65024,'rmsnorm':true}"},

    {"Granite-3.1-2B", FILES, 2533539840, TYPE("granite") SHAPE(40, 2048, 8192, 32, 8, 49159) TIED(true) "}"},
    {"Granite-3.0-8B", FILES, 8170848256, TYPE("granite") SHAPE(40, 4096, 12800, 32, 8, 49155) TIED(true) "}"},
    {"Granite-3.0-1B-A400M", FILES, 1334628352, TYPE("granitemoe") SHAPE(24, 1024, 512, 16, 8, 49155) TIED(true)
     ",'num_local_experts':32,'num_experts_per_tok':8}"},
    {"Apertus-8B", ROUND, 8.053e9, TYPE("apertus") SHAPE(32, 4096, 21504, 32, 8, 131072) ",'qk_norm':true}"},
    {"Qwen3-VL-30B-A3B, text", ROUND, 30.5e9, "{'model_type':'qwen3_vl_moe','vision_config':{'depth':27},'text_config':{"
     "'num_hidden_layers':48,'num_attention_heads':32,'num_key_value_heads':4,'head_dim':128,'intermediate_size':6144,"
     "'num_experts':128,'num_experts_per_tok':8,'moe_intermediate_size':768,'tie_word_embeddings':false}}"},
    {"SmolLM3-3B", FILES, 3075098624, TYPE("smollm3") SHAPE(36, 2048, 11008, 16, 4, 128256) "}"},
    {"EXAONE-4.0-1.2B", FILES, 1279391488, TYPE("exaone4") SHAPE(30, 2048, 4096, 32, 8, 102400) TIED(true)
     HEAD_DIM(64) ",'sliding_window':null}"},
    {"EXAONE-4.0-32B", FILES, 32003216384, TYPE("exaone4") SHAPE(64, 5120, 27392, 40, 8, 102400) HEAD_DIM(128) "}"},
    {"ERNIE-4.5-0.3B", FILES, 360748032, TYPE("ernie4_5") SHAPE(18, 1024, 3072, 16, 2, 103424) "}"},
    {"ERNIE-4.5-21B-A3B", FILES, 21825437888, TYPE("ernie4_5_moe") SHAPE(28, 2560, 12288, 20, 4, 103424)
     ",'moe_num_experts':64,'moe_k':6,'moe_num_shared_experts':2,'moe_layer_end_index':27,'moe_capacity':[64,64,64]}"},
    {"Hunyuan-0.5B", FILES, 539010048, TYPE("hunyuan_v1_dense") SHAPE(24, 1024, 3584, 16, 8, 120818) TIED(true)
     HEAD_DIM(128) ",'use_qk_norm':true}"},
    {"Hunyuan-A13B", ROUND, 80.4e9, TYPE("hunyuan_v1_moe") SHAPE(32, 4096, 3072, 32, 8, 128167) TIED(true)
     ",'num_experts':64,'moe_topk':[8,8,8],'num_shared_expert':[1,1,1],'moe_intermediate_size':[3072,3072,3072]}"},
    {"gpt-oss-20b", FILES, 20914757184, TYPE("gpt_oss") L(24) ",'num_local_experts':32,'num_experts_per_tok':4,"
     "'sliding_window':128}"},
    {"gpt-oss-120b", FILES, 116829156672, TYPE("gpt_oss") L(36) ",'num_local_experts':128}"},
    {"MiniMax-M2", ROUND, 228.7e9, TYPE("minimax_m2") SHAPE(62, 3072, 1536, 48, 8, 200064) HEAD_DIM(128) "}"},
    {"Nemotron-H-8B", ROUND, 8.1e9, TYPE("nemotron_h") SHAPE(52, 4096, 21504, 32, 8, 131072)
     ",'hybrid_override_pattern':'M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-','mamba_num_heads':128,"
     "'mamba_head_dim':64,'n_groups':8,'ssm_state_size':128,'conv_kernel':4,'expand':2,'attention_head_dim':128}"},
    {"Nemotron-3-Nano-30B-A3B", ROUND, 31.6e9, TYPE("nemotron_h") SHAPE(52, 2688, 1856, 32, 2, 131072)
     ",'hybrid_override_pattern':'MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME','mamba_num_heads':64,"
     "'mamba_head_dim':64,'n_groups':8,'ssm_state_size':128,'n_routed_experts':128,'num_experts_per_tok':6,"
     "'moe_intermediate_size':1856,'moe_shared_expert_intermediate_size':3712,'n_shared_experts':1}"},
    {"Granite-4.0-H-Tiny", FILES, 6939037248, TYPE("granitemoehybrid") SHAPE(40, 1536, 512, 12, 4, 100352) TIED(true)
     ",'mamba_n_heads':48,'mamba_d_head':64,'mamba_d_state':128,'mamba_n_groups':1,'num_local_experts':64,"
     "'num_experts_per_tok':6,'shared_intermediate_size':1024,'layer_types':[" FIVE ",'attention'," NINE ",'attention',"
     NINE ",'attention'," NINE ",'attention'," FOUR "]}"},
    {"Granite-4.0-H-Micro", ROUND, 3.19e9, TYPE("granitemoehybrid") SHAPE(40, 2048, 8192, 32, 8, 100352) TIED(true)
     ",'mamba_n_heads':64,'mamba_d_head':64,'mamba_d_state':128,'mamba_n_groups':1,'num_local_experts':0,"
     "'shared_intermediate_size':8192,'layer_types':[" FIVE ",'attention'," NINE ",'attention'," NINE ",'attention',"
     NINE ",'attention'," FOUR "]}"},
    {"Bamba-9B", ROUND, 9.78e9, TYPE("bamba") SHAPE(32, 4096, 14336, 32, 8, 128256)
     ",'attn_layer_indices':[9,18,27],'mamba_n_heads':128,'mamba_d_head':64,'mamba_d_state':128,'mamba_n_groups':1}"},
    {"Jamba-v0.1", FILES, 51570323328, TYPE("jamba") SHAPE(32, 4096, 14336, 32, 8, 65536)
     ",'num_experts':16,'num_experts_per_tok':2,'attn_layer_period':8,'attn_layer_offset':4,'expert_layer_period':2,"
     "'expert_layer_offset':1,'mamba_dt_rank':256,'mamba_expand':2}"},
    {"Qwen3-Next-80B-A3B", ROUND, 79.7e9, TYPE("qwen3_next") SHAPE(48, 2048, 5120, 16, 2, 151936) HEAD_DIM(256)
     ",'num_experts':512,'num_experts_per_tok':10,'moe_intermediate_size':512,'shared_expert_intermediate_size':512,"
     "'linear_num_value_heads':32,'full_attention_interval':4}"},
    {"Kimi-Linear-48B-A3B", FILES, 49122681728, TYPE("kimi_linear") SHAPE(27, 2304, 9216, 32, 32, 163840)
     ",'head_dim':72,'q_lora_rank':null,'num_experts':256,'num_experts_per_token':8,'moe_intermediate_size':1024,"
     "'linear_attn_config':{'full_attn_layers':[4,8,12,16,20,24,27],'head_dim':128,'num_heads':32,"
     "'short_conv_kernel_size':4}}"},
    {"MiniMax-Text-01", FILES, 456089655296, TYPE("minimax_text_01") SHAPE(80, 6144, 9216, 64, 8, 200064) HEAD_DIM(128)
     ",'num_local_experts':32,'num_experts_per_tok':2,'postnorm':true}"},
    {"LFM2-1.2B", FILES, 1170340608, TYPE("lfm2") L(16) ",'hidden_size':2048,'block_ff_dim':12288,"
     "'num_attention_heads':32,'num_key_value_heads':8,'vocab_size':65536,'full_attn_idxs':[2,5,8,10,12,14]}"},
    {"LFM2-8B-A1B", ROUND, 8.3e9, TYPE("lfm2_moe") SHAPE(24, 2048, 7168, 32, 8, 65536)
     ",'num_experts':32,'num_experts_per_tok':4,'moe_intermediate_size':1792,'num_dense_layers':2,'conv_L_cache':3,"
     "'layer_types':[" CONV2 "," CONV3 "," CONV3 "," CONV3 "," CONV3 "," CONV2 ",'conv','conv']}"},
    {"Qwen3.5-35B-A3B, text", ROUND, 35e9, "{'model_type':'qwen3_5_moe','text_config':{'model_type':'qwen3_5_moe_text',"
     "'mtp_num_hidden_layers':1},'vision_config':{'depth':27}}"},
    {"Qwen3.5-397B-A17B, text", ROUND, 397e9, TYPE("qwen3_5_moe_text") L(60) ",'hidden_size':4096" HEADS(32, 2) VOCAB(248320)
     ",'num_experts':512,'num_experts_per_tok':10,'moe_intermediate_size':1024,'shared_expert_intermediate_size':1024,"
     "'linear_num_value_heads':64,'linear_num_key_heads':16,'mtp_num_hidden_layers':1}"},
    {"Qwen3.5-27B, text", ROUND, 27e9, TYPE("qwen3_5_text") SHAPE(64, 5120, 17408, 24, 4, 248320)
     ",'linear_num_value_heads':48,'mtp_num_hidden_layers':1}"},
    {"DeepSeek-V3.2", ROUND, 671e9, TYPE("deepseek_v32") SHAPE(61, 7168, 18432, 128, 128, 129280)
     ",'index_head_dim':128,'index_n_heads':64,'index_topk':2048,'num_nextn_predict_layers':1}"},
    {"GLM-5", ROUND, 744e9, TYPE("glm_moe_dsa") SHAPE(78, 6144, 12288, 64, 64, 154880) ",'index_topk':2048}"},
    {"MiMo-V2-Flash", ROUND, 309e9, TYPE("mimo_v2_flash") SHAPE(48, 4096, 16384, 64, 4, 152576)
     ",'swa_num_key_value_heads':8,'swa_head_dim':192,'add_swa_attention_sink_bias':true}"},
    {"Falcon-H1-0.5B", ROUND, 0.5214e9, FALCON_H1(36, 1024, 2048, 8, 2, 64, 32768, 1536, 24, 128, 1)},
    {"Falcon-H1-1.5B-Deep", ROUND, 1.55e9, FALCON_H1(66, 1280, 3072, 6, 2, 128, 65536, 1536, 24, 256, 1)},
    {"Falcon-H1-3B", ROUND, 3.15e9, FALCON_H1(32, 2560, 6144, 10, 2, 128, 65536, 4096, 32, 256, 1)},
    {"Falcon-H1-7B", ROUND, 7.59e9, FALCON_H1(44, 3072, 12288, 12, 2, 128, 130048, 3072, 24, 256, 1)},
    {"Falcon-H1-34B", ROUND, 33.6e9, FALCON_H1(72, 5120, 21504, 20, 4, 128, 261120, 4096, 32, 256, 2)},
    {"Nemotron-3-Super-120B-A12B", ROUND, 120.6e9, TYPE("nemotron_h") SHAPE(88, 4096, 21504, 32, 2, 131072) HEAD_DIM(128)
     ",'hybrid_override_pattern':'MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME',"
     "'mamba_num_heads':128,'mamba_head_dim':64,'n_groups':8,'ssm_state_size':128,'conv_kernel':4,'n_routed_experts':512,"
     "'num_experts_per_tok':22,'moe_intermediate_size':2688,'moe_latent_size':1024,'n_shared_experts':1,"
     "'moe_shared_expert_intermediate_size':5376,'num_nextn_predict_layers':1,'mtp_hybrid_override_pattern':'*E'}"},
    {"Step-3.5-Flash", ROUND, 196.81e9, TYPE("step3p5") L(45) HID(4096, 11264) VOCAB(128896)
     ",'num_attention_heads':64,'num_attention_groups':8,'head_dim':128,'moe_num_experts':288,'moe_top_k':8,"
     "'moe_intermediate_size':1280,'share_expert_dim':1280,'use_head_wise_attn_gate':true,'use_moe_router_bias':true,"
     "'moe_layers_enum':'3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,"
     "39,40,41,42,43,44','attention_other_setting':{'attention_type':'sliding_attention','num_attention_heads':96,"
     "'num_attention_groups':8,'head_dim':128},'sliding_window':512,'num_nextn_predict_layers':3,'layer_types':["
     FULL_OF_4 "," FULL_OF_4 "," FULL_OF_4 "," FULL_OF_4 "," FULL_OF_4 "," FULL_OF_4 "," FULL_OF_4 "," FULL_OF_4 "," FULL_OF_4
     "," FULL_OF_4 "," FULL_OF_4 ",'full_attention','sliding_attention','sliding_attention','sliding_attention']}"},
    {"LongCat-Flash", ROUND, 560e9, TYPE("longcat_flash") "'num_layers':28,'hidden_size':6144,'ffn_hidden_size':12288,"
     "'expert_ffn_hidden_size':2048,'num_attention_heads':64,'vocab_size':131072,'n_routed_experts':512,'moe_topk':12,"
     "'zero_expert_num':256,'zero_expert_type':'identity','router_bias':false,'attention_method':'MLA'}"},
    {"Gemma-4-26B-A4B, text", ROUND, 25.2e9, "{'model_type':'gemma4','text_config':{'hidden_size':2816,'intermediate_size':2112,"
     "'num_attention_heads':16,'num_key_value_heads':8,'head_dim':256,'global_head_dim':512,'num_global_key_value_heads':2,"
     "'attention_k_eq_v':true,'enable_moe_block':true,'num_experts':128,'top_k_experts':8,'moe_intermediate_size':704,"
     "'num_hidden_layers':30,'hidden_size_per_layer_input':0,'sliding_window':1024,'vocab_size':262144},'vision_config':{'depth':27}}"},
    {"Gemma-4-31B, text", ROUND, 30.7e9, "{'model_type':'gemma4','text_config':{'hidden_size':5376,'intermediate_size':21504,"
     "'num_attention_heads':32,'num_key_value_heads':16,'num_global_key_value_heads':4,'attention_k_eq_v':true,"
     "'num_hidden_layers':60,'hidden_size_per_layer_input':null,'sliding_window':1024}}"},
    {"Llama-3.3-Nemotron-Super-49B", FILES, 49867145216, TYPE("nemotron-nas") L(80) ",'hidden_size':8192,'num_attention_heads':64,"
     "'vocab_size':128256,'intermediate_size':null,'block_configs':[" NAS_SUPER "]}"},
    {"Llama-4-Maverick, text", ROUND, 400.7e9, "{'model_type':'llama4','text_config':{'num_local_experts':128,"
     "'interleave_moe_layer_step':2},'vision_config':{'hidden_size':1408}}"},
        {"MiMo-7B", ROUND, 7.62e9, TYPE("mimo") SHAPE(36, 4096, 11008, 32, 8, 151680) ",'num_nextn_predict_layers':1}"},
    {"GLM-4.7-Flash", ROUND, 29.9e9, TYPE("glm4_moe_lite") "'num_nextn_predict_layers':1}"},
    {"GLM-5.2", ROUND, 743.4e9, TYPE("glm_moe_dsa") SHAPE(78, 6144, 12288, 64, 64, 154880) ",'indexer_types':['full',"
        "'full','full'," SHARED20 "," SHARED20 "," SHARED20 ",'shared','shared','shared','full','shared','shared','shared','full',"
        "'shared','shared','shared','full','shared','shared','shared']}"},
    {"Ling-mini-2.0", ROUND, 16.26e9, TYPE("bailing_moe_v2") SHAPE(20, 2048, 5120, 16, 4, 157184) LING(512) "}"},
    {"Ling-flash-2.0", ROUND, 102.9e9, TYPE("bailing_moe_v2") SHAPE(32, 4096, 9216, 32, 4, 157184) LING(1024) "}"},
    {"Trinity-Mini", ROUND, 26.1e9, TYPE("afmoe") SHAPE(32, 2048, 6144, 32, 4, 200192) HEAD_DIM(128)
        ",'num_experts':128,'num_experts_per_tok':8,'moe_intermediate_size':1024,'num_shared_experts':1,'num_dense_layers':2}"},
    {"K-EXAONE-236B", ROUND, 236.6e9, TYPE("exaone_moe") SHAPE(48, 6144, 18432, 64, 8, 153600) HEAD_DIM(128)
        ",'num_experts':128,'num_experts_per_tok':8,'moe_intermediate_size':2048,'num_shared_experts':1}"},
    {"Solar-Open-100B", ROUND, 102.6e9, TYPE("solar_open") "'num_hidden_layers':48}"},
    {"EXAONE-3.5-7.8B", FILES, 7818448896, TYPE("exaone") "'num_layers':32" HID(4096, 14336) HEADS(32, 8) VOCAB(102400) TIED(false) "}"},
    {"MiniCPM4-8B", ROUND, 8.19e9, TYPE("minicpm") SHAPE(32, 4096, 16384, 32, 2, 73448) TIED(false) "}"},
    {"Youtu-LLM-2B", ROUND, 1.96e9, TYPE("youtu_llm") "'num_hidden_layers':32}"},
    {"InternLM3-8B", ROUND, 8.8e9, TYPE("internlm3") SHAPE(48, 4096, 10240, 32, 2, 128512) HEAD_DIM(128) "}"},
    {"InternLM2-7B", FILES, 7737708544, TYPE("internlm2") SHAPE(32, 4096, 14336, 32, 8, 92544) ",'bias':false}"},
};
// clang-format on

static void check_published(const struct published *p)
{
    const struct modeldesc model = model_of(p->config);
    struct modeldesc_counts counts;
    modeldesc_count(&model, &counts);
    if (p->source == ROUND)
        cr_expect(fabs((double)counts.total / p->parameters - 1) < 0.01, "%s: %lld", p->name,
                  (long long)counts.total);
    else
        cr_expect_eq(counts.total, (int64_t)p->parameters, "%s: %lld", p->name,
                     (long long)counts.total);
    cr_expect(counts.active > 0 && counts.active <= counts.total, "%s", p->name);
}

Test(published, published_parameters)
{
    for (size_t i = 0; i < COUNT_OF(models); i++)
        check_published(&models[i]);
}

static const char *config_of(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(models); i++)
        if (strcmp(models[i].name, name) == 0)
            return models[i].config;
    cr_assert_fail("%s", name);
    return NULL;
}

Test(published, published_active_parameters)
{
    for (size_t i = 0; i < COUNT_OF(used); i++) {
        const struct modeldesc model = model_of(config_of(used[i].name));
        struct modeldesc_counts counts;
        modeldesc_count(&model, &counts);
        const double without = (double)counts.active,
                     with = without + (double)looked_up(&model);
        cr_expect(fabs(without / used[i].parameters - 1) < 0.05 ||
                      fabs(with / used[i].parameters - 1) < 0.05,
                  "%s: %.0f, %.0f with the embedding", used[i].name, without, with);
    }
}

// The totals of checkpoints without their language models: Gemma-3-4B 4 300 079 472, Qwen2.5-VL-7B
// 8 292 166 656, Qwen3-VL-8B 8 767 123 696.
Test(published, towers_for_images)
{
    static const struct {
        const char *config;
        int64_t total;
    } rows[] = {
        {"{'model_type':'gemma3','text_config':{'hidden_size':2560,'intermediate_size':10240,"
         "'num_hidden_layers':34},'vision_config':{'hidden_size':1152,'intermediate_size':4304,"
         "'num_hidden_layers':27,'image_size':896,'patch_size':14,'vision_use_head':false}}",
         4300079472},
        {"{'model_type':'qwen2_5_vl','hidden_size':3584,'num_hidden_layers':28,"
         "'num_attention_heads':28,'num_key_value_heads':4,'intermediate_size':18944,"
         "'vocab_size':152064,'vision_config':{'hidden_size':1280}}",
         8292166656},
        {"{'model_type':'qwen3_vl','text_config':{'hidden_size':4096,'num_hidden_layers':36,"
         "'num_attention_heads':32,'num_key_value_heads':8,'intermediate_size':12288,"
         "'vocab_size':151936},'vision_config':{'out_hidden_size':4096}}",
         8767123696},
        {"{'model_type':'llava','text_config':{'model_type':'llama'},'vision_config':{}}", 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct modeldesc model = model_of(rows[i].config);
        struct modeldesc_counts counts;
        modeldesc_count(&model, &counts);
        cr_expect_eq(model.image_tower > 0 ? counts.total + model.image_tower : 0,
                     rows[i].total, "%s: %lld and %lld", rows[i].config,
                     (long long)counts.total, (long long)model.image_tower);
    }
}

// The total of the checkpoint of Qwen2-Audio-7B.
Test(published, tower_for_sound)
{
    const struct modeldesc model = model_of(
        "{'model_type':'qwen2_audio','audio_config':{'encoder_layers':32},'text_config':{"
        "'intermediate_size':11008,'vocab_size':156032}}");
    struct modeldesc_counts counts;
    modeldesc_count(&model, &counts);
    cr_expect_eq(counts.total + model.audio_tower, 8397094912, "%lld and %lld",
                 (long long)counts.total, (long long)model.audio_tower);
}

// A plan holds the model as a document of our own keys.
Test(published, written_and_read_again)
{
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        const struct modeldesc model = model_of(models[i].config);
        struct modeldesc_counts counts, again;
        cJSON *document = modeldesc_document(&model);
        const struct modeldesc copy = model_read(document);
        modeldesc_count(&model, &counts);
        modeldesc_count(&copy, &again);
        cr_expect(memcmp(&counts, &again, sizeof counts) == 0, "%s: %lld, then %lld",
                  models[i].name, (long long)counts.total, (long long)again.total);
        cr_expect(copy.norm == model.norm && copy.gated == model.gated &&
                      copy.linear_bias == model.linear_bias && copy.qk_norm == model.qk_norm,
                  "%s", models[i].name);
        cJSON_Delete(document);
    }
}
