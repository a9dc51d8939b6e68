// SPDX-License-Identifier: Apache-2.0
// Models: errors for invalid documents, and config.json as it is published.
#include "tests/unit/support/documents.h"
#include "tests/unit/support/kernels/models.h"

#include <criterion/criterion.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))
#define TINY        "{'L':2,'h':8,'A':4,'V':9"

static void compare_total(const char *name, const struct modeldesc *model, int64_t wanted)
{
    struct modeldesc_counts counts;
    modeldesc_count(model, &counts);
    cr_assert_eq(counts.total, wanted, "%s: %lld", name, (long long)counts.total);
}

// ---- faults ---------------------------------------------------------------------------------

struct bad {
    const char *text, *wanted, *at; // key of the item at fault; NULL: the object
};

static void refuse(const struct bad *row)
{
    struct pps_json json = document_of(row->text);
    struct modeldesc model;
    struct pps_fault fault = {.text = ""};
    cr_assert_not(modeldesc_read(&model, json.root, &fault), "%s is taken", row->text);
    cr_assert_str_eq(fault.text, row->wanted, "%s: %s", row->text, fault.text);
    const char *key = fault.item != NULL ? fault.item->string : NULL;
    cr_assert(row->at == NULL ? key == NULL : key != NULL && strcmp(key, row->at) == 0,
              "%s: at %s", row->text, key != NULL ? key : "no key");
    pps_json_free(&json);
}

Test(modelfaults, faults_of_values)
{
    static const struct bad rows[] = {
        {"{'L':0,'h':8,'A':4,'V':9}", "L: expected a whole number 1 ... 4096", "L"},
        {"{'num_layers':4097,'h':8,'A':4,'V':9}",
         "num_layers: expected a whole number 1 ... 4096", "num_layers"},
        {"{'num_layers':1.5,'h':8,'A':4,'V':9}",
         "num_layers: expected a whole number 1 ... 4096", "num_layers"},
        {"{'num_layers':'4','h':8,'A':4,'V':9}",
         "num_layers: expected a whole number 1 ... 4096", "num_layers"},
        {TINY ",'mtp_depth':9}", "mtp_depth: expected a whole number 0 ... 8", "mtp_depth"},
        {"{'L':1,'h':-8,'A':4,'V':9}", "h: expected a whole number 1 ... 16777216", "h"},
        {"{'L':1,'h':8,'A':0,'V':9}", "A: expected a whole number 1 ... 65536", "A"},
        {"{'L':1,'h':8,'A':4,'V':0}", "V: expected a whole number 1 ... 1073741824", "V"},
        {TINY ",'f':0}", "f: expected a whole number 1 ... 16777216", "f"},
        {TINY ",'head_dim':0}", "head_dim: expected a whole number 1 ... 65536", "head_dim"},
        {TINY ",'seq_length':0}", "seq_length: expected a whole number 1 ... 1073741824",
         "seq_length"},
        {TINY ",'gated':2}", "gated: expected true or false", "gated"},
        {TINY ",'tied':'yes'}", "tied: expected true or false", "tied"},
        {TINY ",'ffn_dim_multiplier':0,'multiple_of':1}",
         "ffn_dim_multiplier: expected a number above 0, at most 1024", "ffn_dim_multiplier"},
        {TINY ",'multiple_of':0,'ffn_dim_multiplier':1}",
         "multiple_of: expected a whole number 1 ... 16777216", "multiple_of"},
        {TINY ",'rkv':0}", "rkv: expected a whole number 1 ... 16777216", "rkv"},
        {TINY ",'rq':-1}", "rq: expected a whole number 0 ... 16777216", "rq"},
        {TINY ",'dv':0}", "dv: expected a whole number 1 ... 65536", "dv"},
        {TINY ",'E':8193}", "E: expected a whole number 0 ... 8192", "E"},
        {TINY ",'E':2,'topk':0}", "topk: expected a whole number 1 ... 8192", "topk"},
        {TINY ",'E':2,'m':0}", "m: expected a whole number 1 ... 16777216", "m"},
        {TINY ",'E':2,'msh':-1}", "msh: expected a whole number 0 ... 16777216", "msh"},
        {TINY ",'attention':'mha'}", "attention: expected \"gqa\" or \"mla\"", "attention"},
        {TINY ",'attention':true}", "attention: expected \"gqa\" or \"mla\"", "attention"},
        {TINY ",'norm':'batch'}",
         "norm: expected \"rms\", \"layer\", \"layer_no_bias\" or \"fixed\"", "norm"},
        {TINY ",'learned_positions':-1}",
         "learned_positions: expected true, false or a whole number 0 ... 1073741824",
         "learned_positions"},
        {TINY ",'learned_positions':1.5}",
         "learned_positions: expected true, false or a whole number 0 ... 1073741824",
         "learned_positions"},
        {TINY ",'name':4}", "name: expected text of at most 63 bytes", "name"},
        {"[1]", "expected an object that describes a model", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        refuse(&rows[i]);
}

Test(modelfaults, faults_between_values)
{
    static const struct bad rows[] = {
        {"{'h':8,'A':4,'V':9}", "num_layers: missing", NULL},
        {"{'L':8,'A':4,'V':9}", "hidden_size: missing", NULL},
        {"{'L':null,'h':8,'A':4,'V':9}", "num_layers: missing", NULL},
        {"{'L':8,'h':4,'V':9}", "num_attention_heads: missing", NULL},
        {"{'L':8,'h':4,'A':4}", "vocab_size: missing", NULL},
        {TINY ",'G':3}", "G: expected a divisor of A, 4", "G"},
        {TINY ",'num_query_groups':8}", "num_query_groups: expected a divisor of A, 4",
         "num_query_groups"},
        {"{'L':2,'h':3,'num_heads':4,'V':9}",
         "num_heads: greater than h; give the width of a head as head_dim", "num_heads"},
        {TINY ",'attention':'mla'}", "kv_lora_rank: missing; \"mla\" attention needs it", NULL},
        {TINY ",'multi_latent_attention':true}",
         "kv_lora_rank: missing; \"mla\" attention needs it", NULL},
        {TINY ",'attention':'gqa','multi_latent_attention':true,'rkv':4}",
         "attention: is \"gqa\", but multi_latent_attention is true", "attention"},
        {TINY ",'rkv':4,'dn':0,'dr':0}",
         "dn: is 0, and dr is 0; make one of them greater than 0", "dn"},
        {TINY ",'multiple_of':4}",
         "ffn_dim_multiplier: missing; multiple_of needs it (1 changes no width)", NULL},
        {TINY ",'ffn_dim_multiplier':4}",
         "multiple_of: missing; ffn_dim_multiplier needs it (1: no rounding)", NULL},
        {TINY ",'f':16777216,'ffn_dim_multiplier':4,'multiple_of':1}",
         "ffn_dim_multiplier: makes ffn_hidden_size 44739240; expected 1 ... 16777216",
         "ffn_dim_multiplier"},
        {TINY ",'f':1,'ffn_dim_multiplier':4,'multiple_of':1}",
         "ffn_dim_multiplier: makes ffn_hidden_size 0; expected 1 ... 16777216",
         "ffn_dim_multiplier"},
        {TINY ",'kd':3}", "kd: expected a whole number 0 ... 2, which L is", "kd"},
        {TINY ",'E':2,'topk':3}", "topk: expected a whole number 1 ... 2, which E is", "topk"},
        {TINY ",'E':2,'m':4,'n_shared_experts':2,'msh':4}",
         "msh: n_shared_experts experts of m are 8 wide; remove one of these keys", "msh"},
        {TINY ",'hiden_size':8}",
         "hiden_size: there is no such key in a model; did you mean hidden_size?",
         "hiden_size"},
        {TINY ",'padded_vocab_sise':8}",
         "padded_vocab_sise: there is no such key in a model; did you mean padded_vocab_size?",
         "padded_vocab_sise"},
        {TINY ",'world':8}", "world: there is no such key in a model", "world"},
        {TINY ",'hidden_act':'silu'}", "hidden_act: there is no such key in a model",
         "hidden_act"},
        {TINY ",'dim':16}", "dim: is hidden_size, which h gives another value", "dim"},
        {"{'L':4096,'h':16777216,'A':65536,'V':9}",
         "the model has more than 2^62 parameters; make a width smaller", NULL},
        {"{'L':4096,'h':8,'A':65536,'d':65536,'rq':16777216,'rkv':4,'dn':65536,'V':9}",
         "the model has more than 2^62 parameters; make a width smaller", NULL},
        {"{'L':1,'h':16777216,'A':1,'V':9,'E':8192,'m':16777216}",
         "the model has more than 2^62 parameters; make a width smaller", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        refuse(&rows[i]);
    cr_assert_eq(model_of(TINY ",'dim':8}").hidden, 8); // the same again does no harm
}

// ---- config.json ----------------------------------------------------------------------------

Test(modelfaults, config_json)
{
    struct modeldesc m = model_of(
        "{'architectures':['DeepseekV3ForCausalLM'],'model_type':'deepseek_v3',"
        "'attention_bias':false,'first_k_dense_replace':3,'hidden_act':'silu',"
        "'hidden_size':7168,'intermediate_size':18432,'kv_lora_rank':512,"
        "'max_position_embeddings':163840,'moe_intermediate_size':2048,'moe_layer_freq':1,"
        "'n_group':8,'n_routed_experts':256,'n_shared_experts':1,'num_attention_heads':128,"
        "'num_experts_per_tok':8,'num_hidden_layers':61,'num_key_value_heads':128,"
        "'num_nextn_predict_layers':1,'q_lora_rank':1536,'qk_nope_head_dim':128,"
        "'qk_rope_head_dim':64,'rope_scaling':{'type':'yarn','factor':40},"
        "'tie_word_embeddings':false,'v_head_dim':128,'vocab_size':129280,"
        "'quantization_config':{'fmt':'e4m3'}}");
    compare_total("v3", &m, 671026419200);
    cr_assert(m.mtp_depth == 1 && m.shared_ffn == 2048 && m.positions == 0 && !m.seq_given);
    cr_assert_str_eq(m.name, "deepseek_v3");
    m = model_of(
        "{'model_type':'gpt2','activation_function':'gelu_new','n_embd':768,'n_head':12,"
        "'n_layer':12,'n_positions':1024,'n_ctx':1024,'vocab_size':50257}");
    compare_total("gpt2", &m, 124439808);
    m = model_of("{'model_type':'qwen2','hidden_act':'silu','hidden_size':896,"
                 "'intermediate_size':4864,'num_attention_heads':14,'num_hidden_layers':24,"
                 "'num_key_value_heads':2,'tie_word_embeddings':true,'vocab_size':151936}");
    compare_total("qwen2.5-0.5B", &m, 494032768);
    m = model_of("{'model_type':'gpt_neox','hidden_act':'gelu','hidden_size':6144,"
                 "'intermediate_size':24576,'num_attention_heads':64,'num_hidden_layers':44,"
                 "'vocab_size':50432,'tie_word_embeddings':false}");
    compare_total("gpt-neox-20b", &m, 20554567680);
}

Test(modelfaults, config_json_below_text)
{
    struct modeldesc m = model_of("{'architectures':['X'],'model_type':'llava','vision':1,"
                                  "'text_config':{'num_hidden_layers':2,'hidden_size':8,"
                                  "'num_attention_heads':4,'vocab_size':9,'rope_theta':1}}");
    cr_assert(m.num_layers == 2 && m.gated);
    cr_assert_str_eq(m.name, "llama");
    m = model_of(
        "{'model_type':'llava','tie_word_embeddings':true,'text_config':{'rope_theta':1}}");
    cr_assert(m.tied);
    m = model_of("{'model_type':'llava','tie_word_embeddings':true,"
                 "'text_config':{'tie_word_embeddings':false}}");
    cr_assert_not(m.tied);
}

Test(modelfaults, faults_of_config_json)
{
#define CONFIG                                                                                 \
    "{'model_type':'llama','num_hidden_layers':2,'hidden_size':8,'num_attention_heads':4,"     \
    "'vocab_size':9"
#define OWN_KEYS                                                                               \
    "; describe the shape in our own keys: num_layers, hidden_size, num_attention_heads, "     \
    "vocab_size ... (sweep_configs/models/README.md)"
    static const struct bad rows[] = {
        {"{'model_type':'llama','num_hidden_layers':0}",
         "num_hidden_layers: expected a whole number 1 ... 4096", "num_hidden_layers"},
        {"{'model_type':'llama','num_hidden_layers':null}", "num_hidden_layers: missing", NULL},
        {"{'architectures':['X']}", "model_type: missing" OWN_KEYS, NULL},
        {"{'num_hidden_layers':2,'hidden_size':8,'rope_theta':1}",
         "rope_theta: there is no such key in a model", "rope_theta"},
        {"{'model_type':'dots1','n_routed_experts':4}", "num_experts_per_tok: missing", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        refuse(&rows[i]);
    cr_assert(model_of(CONFIG ",'hidden_act':'gelu'}").gated); // the class has three matrices
    cr_assert(model_of(CONFIG ",'attention_bias':true}").output_bias);
    cr_assert(model_of(CONFIG ",'mlp_bias':true,'attention_bias':true}").ffn_bias);
    cr_assert_not(model_of("{'model_type':'qwen2'}").output_bias);
}

Test(modelfaults, ignored_keys)
{
    const char *keys[2] = {NULL};
    struct pps_json json = document_of(CONFIG ",'torch_dtype':1,'rope_theta':1,'use_cache':1}");
    cr_assert_eq(modeldesc_ignored(json.root, keys, 2), 3);
    cr_assert_str_eq(keys[0], "torch_dtype");
    cr_assert_str_eq(keys[1], "rope_theta");
    pps_json_free(&json);
    json = document_of(TINY ",'odd':1}");
    cr_assert_eq(modeldesc_ignored(json.root, keys, 2), 0);
    pps_json_free(&json);
}
