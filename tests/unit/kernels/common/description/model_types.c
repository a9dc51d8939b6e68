// SPDX-License-Identifier: Apache-2.0
// Types of config.json: refusals by name, and every key of every type, whose change must not pass unseen.
#include "kernels/common/types/model_types.h"

#include "tests/unit/support/documents.h"
#include "tests/unit/support/kernels/models.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

#define TYPE(t) "{'model_type':'" t "',"

// ---- refusals -------------------------------------------------------------------------------

struct refusal {
    const char *config, *wanted, *at; // wanted: the beginning of the message
};

static void check_refusal(const struct refusal *row)
{
    struct pps_json json = document_of(row->config);
    struct modeldesc model;
    struct pps_fault fault = {.text = ""};
    cr_expect_not(modeldesc_read(&model, json.root, &fault), "%s is read", row->config);
    cr_expect(strncmp(fault.text, row->wanted, strlen(row->wanted)) == 0, "%s: %s", row->config,
              fault.text);
    cr_expect(fault.item != NULL && fault.item->string != NULL &&
                  strcmp(fault.item->string, row->at) == 0,
              "%s: %s", row->config, fault.text);
    pps_json_free(&json);
}

Test(modeltypes, refusals)
{
    static const struct refusal rows[] = {
        {"{'model_type':'zamba2','num_hidden_layers':54,'hidden_size':2560}",
         "model_type: zamba2 is not modelled: a block that several layers share", "model_type"},
        {"{'model_type':'falcon_h1','num_hidden_layers':118,'hidden_size':8192}",
         "mamba_d_ssm: missing", "model_type"},
        {"{'model_type':'falcon_h1','mamba_d_ssm':1000,'mamba_n_heads':8,'mamba_d_head':64}",
         "mamba_d_ssm: only the product of heads and their width", "mamba_d_ssm"},
        {"{'model_type':'nemotron_h','hybrid_override_pattern':'ME',"
         "'mtp_hybrid_override_pattern':'M'}",
         "mtp_hybrid_override_pattern: only attention and experts",
         "mtp_hybrid_override_pattern"},
        {"{'model_type':'nemotron-nas','num_hidden_layers':2,'block_configs':[]}",
         "block_configs: expected a list of one object for each of the 2 layers",
         "block_configs"},
        {"{'model_type':'nemotron-nas','num_hidden_layers':1,'block_configs':[{'attention':"
         "{'replace_with_linear':true}}]}",
         "replace_with_linear: is not modelled", "replace_with_linear"},
        {"{'model_type':'nemotron-nas','num_hidden_layers':1,'block_configs':[{'attention':"
         "{'n_heads_in_group':7}}]}",
         "n_heads_in_group: expected a divisor of the heads, 64", "n_heads_in_group"},
        {"{'model_type':'gemma4','text_config':{'num_hidden_layers':35}}",
         "hidden_size_per_layer_input: missing", "model_type"},
        {"{'model_type':'gemma4_text','hidden_size_per_layer_input':256}",
         "hidden_size_per_layer_input: only 0 is modelled", "hidden_size_per_layer_input"},
        {"{'model_type':'longcat_flash','num_layers':28,'num_hidden_layers':30}",
         "num_hidden_layers: only num_layers, or twice that, is", "num_hidden_layers"},
        {"{'model_type':'nemotron_h','hybrid_override_pattern':'M*X'}",
         "hybrid_override_pattern: \"X\" is not modelled for nemotron_h",
         "hybrid_override_pattern"},
        {"{'model_type':'gemma2','num_hidden_layers':3,'layer_types':['full_attention']}",
         "layer_types: expected a kind for each of the 3 layers", "layer_types"},
        {"{'model_type':'mamba2'}", "model_type: mamba2 is not modelled: state-space layers",
         "model_type"},
        {"{'model_type':'rwkv'}", "model_type: rwkv is not modelled: recurrent", "model_type"},
        {"{'model_type':'minimax'}",
         "model_type: minimax is not modelled: linear attention beside attention; nearest: "
         "minimax_m2",
         "model_type"},
        {"{'model_type':'deepseek_v4'}",
         "model_type: deepseek_v4 is not modelled: compressed attention", "model_type"},
        {"{'model_type':'longcat_flash_ngram'}",
         "model_type: longcat_flash_ngram is not modelled: embeddings", "model_type"},
        {"{'model_type':'step3p5'}", "moe_layers_enum: missing", "model_type"},
        {"{'model_type':'bert','num_hidden_layers':12}",
         "model_type: bert is not modelled: ", "model_type"},
        {"{'model_type':'t5'}", "model_type: t5 is not modelled: an encoder with cross",
         "model_type"},
        {"{'model_type':'mllama','text_config':{'model_type':'llama'}}",
         "model_type: mllama is not modelled: layers of cross attention", "model_type"},
        {"{'model_type':'llava','text_config':{'model_type':'mamba','hidden_size':8}}",
         "model_type: mamba is not modelled: state-space layers", "model_type"},
        {"{'model_type':'qwen5','num_hidden_layers':2}",
         "model_type: \"qwen5\" is unknown (nearest: qwen2); describe the shape in our own "
         "keys: num_layers, hidden_size, num_attention_heads, vocab_size",
         "model_type"},
        {"{'model_type':'','num_hidden_layers':2}", "model_type: \"\" is unknown; describe",
         "model_type"},
        {"{'model_type':' ','num_hidden_layers':2}", "model_type: \" \" is unknown; describe",
         "model_type"},
        {"{'model_type':4,'num_hidden_layers':2}", "model_type: expected text; describe",
         "model_type"},
        {"{'model_type':'qwen3_moe','mlp_only_layers':[30]}", "mlp_only_layers: only a list of",
         "mlp_only_layers"},
        {"{'model_type':'deepseek_v3','moe_layer_freq':2}", "moe_layer_freq: only 1, or a list",
         "moe_layer_freq"},
        {"{'model_type':'opt','word_embed_proj_dim':512}",
         "word_embed_proj_dim: only the hidden size is modelled for opt",
         "word_embed_proj_dim"},
        {"{'model_type':'opt','do_layer_norm_before':false}",
         "do_layer_norm_before: only true is modelled for opt", "do_layer_norm_before"},
        {"{'model_type':'llama','num_experts':8}",
         "num_experts: is not understood for llama and may change the shape; remove it if it "
         "does not, or describe the shape in our own keys",
         "num_experts"},
        {"{'model_type':'llama','layer_types':['linear_attention']}",
         "layer_types: is not understood for llama", "layer_types"},
        {"{'model_type':'hunyuan_v1_moe','moe_topk':[8,4]}",
         "moe_topk: layers that differ are not modelled", "moe_topk"},
        {"{'model_type':'bloom','n_layer':3,'num_hidden_layers':4}",
         "num_hidden_layers: n_layer gives another value", "num_hidden_layers"},
        {"{'model_type':'falcon','parallel_attn':3}", "parallel_attn: expected true or false",
         "parallel_attn"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_refusal(&rows[i]);
}

// Dense layers before those with experts can be said in several ways.
Test(modeltypes, leading_dense_layers)
{
    static const struct {
        const char *config;
        int64_t dense;
    } rows[] = {
        {"{'model_type':'qwen3_moe','mlp_only_layers':[1,0]}", 2},
        {"{'model_type':'qwen3_moe','mlp_only_layers':[]}", 0},
        {"{'model_type':'deepseek_v3','num_hidden_layers':4,'moe_layer_freq':[0,0,1,1]}", 2},
        {"{'model_type':'deepseek_v3','moe_layer_freq':1}", 3},
        {"{'model_type':'llama4_text','num_hidden_layers':4,'moe_layers':[2,3]}", 2},
        {"{'model_type':'ernie4_5_moe','moe_layer_start_index':3}", 3},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        cr_expect_eq(model_of(rows[i].config).dense_layers, rows[i].dense, "%s",
                     rows[i].config);
}

// ---- notes ----------------------------------------------------------------------------------

static void check_notes(const char *config, const char *wanted)
{
    struct pps_json json = document_of(config);
    struct modeldesc_note notes[8];
    char got[512] = "";
    const int n = modeldesc_notes(json.root, notes, 8);
    for (int i = 0; i < n && i < 8; i++) {
        const size_t at = strlen(got);
        snprintf(got + at, sizeof got - at, "%s%s", i > 0 ? "; " : "", notes[i].text);
        cr_expect(notes[i].item != NULL);
    }
    cr_expect_str_eq(got, wanted, "%s: %s", config, got);
    pps_json_free(&json);
}

Test(modeltypes, notes)
{
    check_notes("{'model_type':'llama','rope_theta':1,'hidden_act':'silu'}", "");
    check_notes("{'model_type':'gemma2','sliding_window':4096}", "");
    check_notes("{'model_type':'gemma2','sliding_window':null}", "");
    check_notes("{'model_type':'gemma2'}", "");
    check_notes("{'model_type':'gpt_neo'}", "gpt_neo: attention in windows");
    check_notes("{'model_type':'qwen2','sliding_window':4096}", "");
    check_notes("{'model_type':'qwen2','sliding_window':4096,'use_sliding_window':false}", "");
    check_notes("{'model_type':'qwen2','sliding_window':64,'use_sliding_window':true}", "");
    check_notes("{'model_type':'smollm3','sliding_window':64,'use_sliding_window':true}",
                "sliding_window 64");
    check_notes("{'model_type':'gptj','rotary':true,'rotary_dim':64,'n_positions':2048}",
                "gptj: attention beside the feed-forward network");
    check_notes("{'model_type':'phi'}", "phi: attention beside the feed-forward network");
    check_notes("{'model_type':'gpt_neox','use_parallel_residual':false}", "");
    check_notes("{'model_type':'gpt_neox','use_parallel_residual':true}",
                "use_parallel_residual");
    check_notes("{'model_type':'llama','mystery':3}", "mystery 3");
    check_notes("{'model_type':'gemma3','text_config':{'sliding_window':512},"
                "'vision_config':{'hidden_size':1152}}",
                "vision_config");
    check_notes("{'model_type':'qwen2_5_vl','vision_config':{'depth':32}}", "vision_config");
    check_notes("{'L':2,'h':8,'A':4,'V':9}", "");
    check_notes("{'model_type':'mamba'}", "");
}

// Keys of published files that say nothing of shape or time. A file would be refused, or a note
// printed, for a key that is missing in the tables.
Test(modeltypes, keys_without_an_effect)
{
#define TOKENS                                                                                 \
    "'bos_token_id':1,'eos_token_id':[1,2],'pad_token_id':0,'initializer_range':0.02,"
#define USUAL                                                                                  \
    "'architectures':['X'],'auto_map':{'AutoConfig':'x'},'torch_dtype':'bfloat16','dtype':"    \
    "'float32','transformers_version':'4.5','use_cache':true,'attention_dropout':0.1," TOKENS  \
    "'max_position_embeddings':4096,'quantization_config':{'bits':4},'unsloth_fixed':true"
    static const char *const rows[] = {
        TYPE("llama") USUAL
        ",'hidden_act':'silu','rms_norm_eps':1e-5,'rope_theta':1e4,"
        "'rope_scaling':{'factor':8},'pretraining_tp':1,'mlp_bias':false,'head_dim':null,"
        "'is_llama_config':true,'rope_interleaved':false,'transformers.js_config':{'a':1}}",
        TYPE("qwen2") USUAL
        ",'max_window_layers':28,'use_mrope':false,'vision_start_token_id':5}",
        TYPE("qwen3_moe") USUAL
        ",'norm_topk_prob':true,'router_aux_loss_coef':0.001,'qkv_bias':"
        "false,'use_qk_norm':true,'shared_expert_intermediate_size':0,'output_router_logits':true}",
        TYPE("gemma2") USUAL
        ",'attn_logit_softcapping':50,'final_logit_softcapping':30,"
        "'query_pre_attn_scalar':224,'cache_implementation':'hybrid','sliding_window':null}",
        TYPE("gpt2") TOKENS
        "'n_ctx':1024,'attn_pdrop':0.1,'embd_pdrop':0.1,'resid_pdrop':0.1,"
        "'layer_norm_epsilon':1e-5,'summary_type':'cls_index','summary_use_proj':true,"
        "'summary_proj_to_labels':true,'summary_first_dropout':0.1,'task_specific_params':"
        "{'text-generation':{'max_length':50}}}",
        TYPE("bloom") TOKENS
        "'apply_residual_connection_post_layernorm':false,'offset_alibi':100,"
        "'attention_softmax_in_fp32':true,'bias_dropout_fusion':true,'masked_softmax_fusion':true,"
        "'n_inner':null,'pretraining_tp':4,'seq_length':2048,'skip_bias_add':true,"
        "'skip_bias_add_qkv':false,'slow_but_exact':false,'unk_token_id':0}",
        TYPE("opt") TOKENS
        "'activation_function':'relu','dropout':0.1,'layerdrop':0.0,'init_std':"
        "0.02,'prefix':'</s>','_remove_final_layer_norm':false}",
        TYPE(
            "mpt") "'emb_pdrop':0,'embedding_fraction':1.0,'init_config':{'gain':0,'init_std':1},"
                   "'init_device':'cpu','logit_scale':null,'max_seq_len':2048,'norm_type':'x','verbose':0,"
                   "'attn_config':{'alibi_bias_max':8,'attn_impl':'torch','attn_pdrop':0,'clip_qkv':6,"
                   "'attn_uses_sequence_id':false,'prefix_lm':false,'softmax_scale':null}}",
        TYPE("deepseek_v3") USUAL
        ",'aux_loss_alpha':0.001,'ep_size':1,'routed_scaling_factor':2.5,"
        "'scoring_func':'sigmoid','seq_aux':true,'topk_method':'noaux_tc','norm_topk_prob':true,"
        "'qk_head_dim':192,'head_dim':64,'num_key_value_heads':128}",
        TYPE("chatglm") TOKENS
        "'apply_query_key_layer_scaling':true,'fp32_residual_connection':"
        "false,'attention_softmax_in_fp32':true,'hidden_dropout':0,'layernorm_epsilon':1e-5,"
        "'original_rope':true,'rope_ratio':50,'pre_seq_len':null,'seq_length':8192}",
        TYPE("hunyuan_v1_moe") USUAL
        ",'use_mla':false,'kv_lora_rank':512,'q_lora_rank':1536,"
        "'v_head_dim':128,'org_vocab_size':128167,'use_rotary_pos_emb':true,'class_num':0,"
        "'text_start_id':7,'use_cla':false,'cla_share_factor':2}",
        TYPE("gpt_oss") USUAL
        ",'experts_per_token':4,'initial_context_length':4096,"
        "'swiglu_limit':7.0,'sliding_window':null,'output_router_logits':false}",
        TYPE("llama4_text") USUAL
        ",'attn_scale':0.1,'attn_temperature_tuning':4,'floor_scale':"
        "8192,'for_llm_compressor':false,'no_rope_layers':[1,1,0],'attention_chunk_size':null,"
        "'use_qk_norm':true,'cache_implementation':'hybrid','rope_interleave':true}",
        TYPE("ernie4_5_moe") USUAL
        ",'moe_gate':'topk','moe_use_aux_free':true,'compression_ratio':"
        "1.0,'moe_capacity':[64,64,64],'attention_probs_dropout_prob':0.0}",
        TYPE("starcoder2") USUAL ",'norm_epsilon':1e-5,'norm_type':'layer_norm','mlp_type':"
                                 "'default','residual_dropout':0.1,'embedding_dropout':0.1}",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_notes(rows[i], "");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        model_of(rows[i]);
}

// A window in all layers is priced; windows in some are named.
Test(modeltypes, windows_in_all_layers)
{
    check_notes("{'model_type':'mistral','sliding_window':2048}", "");
    cr_expect_eq(model_of("{'model_type':'mistral'}").window, 4096);
    cr_expect_eq(model_of("{'model_type':'mistral','sliding_window':2048}").window, 2048);
    cr_expect_eq(model_of("{'model_type':'mistral','sliding_window':null}").window, 0);
    cr_expect_eq(model_of("{'model_type':'phi3','sliding_window':2047}").window, 2047);
    const struct modeldesc gemma = model_of("{'model_type':'gemma2','sliding_window':2048}");
    cr_expect_eq(gemma.n_kinds, 2);
    cr_expect_eq(gemma.kinds[gemma.pattern[0]].window, 2048);
    cr_expect_eq(gemma.kinds[gemma.pattern[1]].window, 0);
}

// ---- every key of every type ----------------------------------------------------------------

enum { OUTCOME = 512 };

#define TIE     ",'tie_word_embeddings':true"
#define BAILING ",'num_shared_experts':1,'moe_intermediate_size':512"
#define GEMMA4  ",'hidden_size_per_layer_input':0"
#define NAS_LAYER(no_op, mult)                                                                 \
    "{'attention':{'no_op':" no_op ",'n_heads_in_group':8},'ffn':{'ffn_mult':" mult "}}"

// Facts that a type needs to be read at all, or to look at a key; key NULL: at any other.
static const struct {
    const char *type, *key, *facts;
} bases[] = {
    {"falcon_h1", "mamba_d_ssm", ""},
    {"falcon_h1", "mamba_d_head", ",'mamba_d_ssm':1024,'mamba_n_heads':2"},
    {"falcon_h1", "mamba_expand", ",'mamba_d_ssm':null"},
    {"falcon_h1", "layers_block_type", ",'mamba_d_ssm':1024,'num_hidden_layers':1"},
    {"falcon_h1", "layer_types", ",'mamba_d_ssm':1024,'num_hidden_layers':1"},
    {"falcon_h1", NULL, ",'mamba_d_ssm':1024"},
    {"nemotron-nas", "block_configs", ",'num_hidden_layers':1"},
    {"nemotron-nas", "num_hidden_layers", ",'block_configs':[" NAS_LAYER("false", "2") "]"},
    {"nemotron-nas", NULL,
     ",'num_hidden_layers':1,'block_configs':[" NAS_LAYER("false", "2") "]"},
    {"step3p5", "moe_layers_enum", ",'num_hidden_layers':1,'layer_types':['full_attention']"},
    {"step3p5", "layer_types", ",'num_hidden_layers':1,'moe_layers_enum':'0'"},
    {"step3p5", "num_hidden_layers",
     ",'moe_layers_enum':'0','layer_types':['full_attention','sliding_attention']"},
    {"step3p5", NULL,
     ",'num_hidden_layers':2,'moe_layers_enum':'1','layer_types':['full_attention',"
     "'sliding_attention']"},
    {"longcat_flash", "num_hidden_layers", ",'num_layers':1"},
    {"gemma4_text", "hidden_size_per_layer_input", ""},
    {"gemma4_text", "num_global_key_value_heads", GEMMA4 ",'attention_k_eq_v':true"},
    {"gemma4_text", "num_experts", GEMMA4 ",'enable_moe_block':true,'top_k_experts':1"},
    {"gemma4_text", "top_k_experts", GEMMA4 ",'enable_moe_block':true,'num_experts':8"},
    {"gemma4_text", "enable_moe_block", GEMMA4 ",'num_experts':8,'top_k_experts':1"},
    {"gemma4_text", "moe_intermediate_size",
     GEMMA4 ",'enable_moe_block':true,'num_experts':8,'top_k_experts':1"},
    {"gemma4_text", NULL, GEMMA4},
    {"afmoe", "topk_group", ",'n_group':8"},
    {"helium", "num_attention_heads", ",'num_key_value_heads':1"},
    {"minicpm", "tie_word_embeddings", ""},
    {"minicpm", NULL, TIE},
    {"exaone", "tie_word_embeddings", ""},
    {"exaone", NULL, TIE},

    {"glm_moe_dsa", "indexer_types", ",'num_hidden_layers':1"},
    {"bailing_moe", "num_shared_experts", ",'num_experts':8,'moe_intermediate_size':64"},
    {"bailing_moe", "moe_intermediate_size", ",'num_experts':8,'num_shared_experts':1"},
    {"bailing_moe", "topk_group", BAILING ",'num_experts':8,'n_group':4"},
    {"bailing_moe", "num_experts_per_tok", BAILING ",'num_experts':1024"},
    {"bailing_moe", "num_experts", BAILING},
    {"bailing_moe", NULL, BAILING ",'num_experts':512"},
    {"bailing_moe_v2", "num_shared_experts", ",'moe_intermediate_size':64"},
    {"bailing_moe_v2", "moe_intermediate_size", ",'num_shared_experts':1"},
    {"bailing_moe_v2", "topk_group", BAILING ",'n_group':4"},
    {"bailing_moe_v2", NULL, BAILING},

};

static const char *base_of(const struct modeltype *type, const struct modeltype_key *key)
{
    for (size_t i = 0; i < COUNT_OF(bases); i++)
        if (strcmp(bases[i].type, type->name) == 0 &&
            (bases[i].key == NULL || strcmp(bases[i].key, key->key) == 0))
            return bases[i].facts;
    if (strcmp(type->name, "deepseek_v2") == 0)
        return key->field == KEY_TOPK            ? ""
               : key->field == KEY_ROUTED_GROUPS ? ",'num_experts_per_tok':2,'n_group':4"
                                                 : ",'num_experts_per_tok':2";
    if (strcmp(type->name, "dots1") == 0)
        return key->field == KEY_TOPK      ? ",'n_routed_experts':64"
               : key->field == KEY_EXPERTS ? ",'num_experts_per_tok':1"
                                           : ",'n_routed_experts':64,'num_experts_per_tok':2";
    if (key->field == TYPE_DECODER_GROUPS || key->field == TYPE_DECODER_NORMS)
        return ",'new_decoder_architecture':true,'num_attention_heads':64";
    if (strcmp(type->name, "chatglm") == 0 && key->field == KEY_ATTENTION_BIAS)
        return ",'add_bias_linear':false";
    if (strcmp(type->name, "nemotron_h") == 0)
        return key->field == KEY_ROUTED_GROUPS ? ",'n_group':8,'hybrid_override_pattern':'ME*-'"
               : key->field == TYPE_LAYERS     ? ",'num_hidden_layers':1"
               : key->field == KEY_NUM_LAYERS
                   ? ",'hybrid_override_pattern':'ME*-ME*-'"
                   : ",'hybrid_override_pattern':'ME*-','num_hidden_layers':4";
    if (strcmp(type->name, "kimi_linear") == 0 && strchr(key->key, '.') == NULL)
        return key->field == KEY_ROUTED_GROUPS
                   ? ",'n_group':8"
                   : ",'linear_attn_config':{'full_attn_layers':[4]}";
    if (type->layers.words)
        return key->field == TYPE_LAYERS ? ",'num_hidden_layers':1"
                                         : ",'layer_types':['conv','conv','attention','conv']";
    if (strcmp(type->name, "lfm2") == 0)
        return key->field == TYPE_LAYERS         ? ""
               : key->field == TYPE_HIDDEN_AGAIN ? ",'hidden_size':2048"
                                                 : ",'full_attn_idxs':[1]";
    if (type->windows_if_enabled && type->layers.kinds)
        return strcmp(key->key, "max_window_layers") == 0    ? ",'use_sliding_window':true"
               : strcmp(key->key, "use_sliding_window") == 0 ? ",'max_window_layers':1"
               : strcmp(key->key, "sliding_window") == 0
                   ? ",'use_sliding_window':true,'max_window_layers':1"
                   : "";
    return key->field == TYPE_MULTI_GROUPS ? ",'multi_query_attention':true" : "";
}

// Returns a number that differs where the kinds of layers do.
static unsigned long long kinds_sum(const struct modeldesc *m)
{
    unsigned long long sum = (unsigned long long)m->n_kinds;
    for (int64_t i = 0; m->n_kinds > 0 && i < modeldesc_layers(m); i++) {
        const struct modeldesc_kind *kind = &m->kinds[m->pattern[i]];
        sum = sum * 1000003 + (unsigned long long)(kind->window + 5 * (int)kind->mixer +
                                                   3 * (int)kind->network + kind->chunked);
    }
    return sum;
}

// Writes what reading gives: all of the description and the notes, or "refused".
static void read_outcome(const char *config, char outcome[OUTCOME])
{
    struct pps_json json = document_of(config);
    struct modeldesc m;
    struct modeldesc_counts c;
    struct modeldesc_note notes[8];
    struct pps_fault fault;
    snprintf(outcome, OUTCOME, "refused");
    if (modeldesc_read(&m, json.root, &fault)) {
        modeldesc_count(&m, &c);
        snprintf(outcome, OUTCOME,
                 "%lld %lld %lld %lld %lld %lld %lld %lld %lld %lld %lld %d %llu",
                 (long long)c.total, (long long)c.active, (long long)c.attention,
                 (long long)c.dense_layer, (long long)m.heads, (long long)m.query_groups,
                 (long long)m.topk, (long long)m.expert_groups, (long long)m.routed_groups,
                 (long long)m.mtp_depth,
                 (long long)(m.dense_layers + 8192 * m.window + m.index_topk),
                 modeldesc_notes(json.root, notes, 8), kinds_sum(&m));
    }
    pps_json_free(&json);
}

static void write_config(char *config, size_t n, const struct modeltype *type,
                         const struct modeltype_key *key, const char *value)
{
    const char *base = base_of(type, key), *dot = strchr(key->key, '.');
    if (dot == NULL)
        snprintf(config, n, "{'model_type':'%s'%s,'%s':%s}", type->name, base, key->key, value);
    else
        snprintf(config, n, "{'model_type':'%s'%s,'%.*s':{%s'%s':%s}}", type->name, base,
                 (int)(dot - key->key), key->key,
                 type->layers.full_list != NULL && key->field != TYPE_LAYERS
                     ? "'full_attn_layers':[4],"
                     : "",
                 dot + 1, value);
}

// Returns how many different outcomes the values of a key have.
static int outcomes_of(const struct modeltype *type, const struct modeltype_key *key)
{
    static const char *const values[] = {
        "true", "false", "1",   "2",   "512",           "768",  "2048",
        "[]",   "[0]",   "[1]", "'M'", "['attention']", "'*E'", "[" NAS_LAYER("true", "2") "]"};
    const bool flag =
        key->field < N_MODEL_KEYS && modelkeys_own.fields[key->field].kind == DOCFIELD_FLAG;
    const bool whole =
        key->field < N_MODEL_KEYS && modelkeys_own.fields[key->field].kind == DOCFIELD_WHOLE;
    char first[OUTCOME] = "", outcome[OUTCOME], config[512];
    int n = 0;
    // Values of the wrong kind are refused, which shows nothing.
    for (size_t v = whole ? 2 : 0; v < (flag ? 2 : whole ? 7 : COUNT_OF(values)); v++) {
        write_config(config, sizeof config, type, key, values[v]);
        read_outcome(config, outcome);
        n += strcmp(outcome, first) != 0;
        snprintf(first, sizeof first, "%s", outcome);
    }
    return n;
}

// A key that is read and has no effect would be dropped in silence; so would a key that is known
// neither to have one nor to have none.
Test(modeltypes, every_key_has_an_effect)
{
    const struct modeltype *type;
    for (int i = 0; (type = modeltype_at(i)) != NULL; i++) {
        struct modeltype_walk walk = {0, 0};
        const struct modeltype_key *key, none = {"", -1, NULL};
        char config[512], outcome[OUTCOME];
        while ((key = modeltype_next(type, &walk)) != NULL)
            if (key->field != KEY_NAME)
                cr_expect(key->field == TYPE_UNUSED ? outcomes_of(type, key) == 1
                                                    : outcomes_of(type, key) > 1,
                          "%s: %s", type->name, key->key);
        snprintf(config, sizeof config, "{'model_type':'%s'%s,'num_mystery_layers':3}",
                 type->name, base_of(type, &none));
        read_outcome(config, outcome);
        cr_expect_str_eq(outcome, "refused", "%s", type->name);
    }
}

// Names that the tables of readable and refused types share would be unreachable.
Test(modeltypes, no_type_twice)
{
    const char *nearest;
    const struct modeltype *type;
    for (int i = 0; (type = modeltype_at(i)) != NULL; i++) {
        cr_expect_null(modeltype_lacks(type->name, &nearest), "%s", type->name);
        cr_expect_eq(modeltype_find(type->name), type, "%s", type->name);
    }
}

// The page says which files are read.
Test(modeltypes, page_lists_all_types)
{
    const struct modeltype *type;
    static char page[1 << 16];
    FILE *file = fopen(PPS_SOURCE "/sweep_configs/models/README.md", "r");
    cr_assert_not_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (int i = 0; (type = modeltype_at(i)) != NULL; i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "`%s`", type->name);
        cr_expect_not_null(strstr(page, quoted), "%s", type->name);
    }
}
