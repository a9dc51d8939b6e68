// SPDX-License-Identifier: Apache-2.0
// Models: exact counts against published figures, every alias of a key, and errors for invalid
// documents.
#include "tests/unit/support/kernels/models.h"

#include "base/document/fields.h"
#include "tests/unit/support/documents.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static struct modeldesc_counts counts_of(const char *text)
{
    struct modeldesc model = model_of(text);
    struct modeldesc_counts counts;
    modeldesc_count(&model, &counts);
    return counts;
}

// ---- counts ---------------------------------------------------------------------------------

static int64_t whole(const cJSON *object, const char *key)
{
    const cJSON *item = pps_json_member(object, key);
    return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : 0;
}

static void compare(const char *model, const char *what, int64_t got, int64_t wanted)
{
    cr_assert_eq(got, wanted, "%s: %s is %lld, expected %lld", model, what, (long long)got,
                 (long long)wanted);
}

static void compare_model(const cJSON *golden)
{
    const char *name = pps_json_member(golden, "name")->valuestring;
    const cJSON *moe = pps_json_member(golden, "moe_layer");
    struct modeldesc model;
    struct modeldesc_counts counts;
    struct pps_fault fault;
    cr_assert(modeldesc_read(&model, pps_json_member(golden, "model"), &fault), "%s: %s", name,
              fault.text);
    modeldesc_count(&model, &counts);
    compare(name, "attention", counts.attention, whole(golden, "attention_params"));
    compare(name, "dense layer", counts.dense_layer, whole(golden, "dense_layer_params"));
    compare(name, "total", counts.total, whole(golden, "total_params"));
    compare(name, "active", counts.active + looked_up(&model), whole(golden, "active_params"));
    compare(name, "mtp module", counts.mtp_module, whole(golden, "mtp_module_params"));
    compare(name, "router", counts.router, whole(moe, "router"));
    compare(name, "shared", counts.shared, whole(moe, "shared"));
    compare(name, "routed", counts.routed, whole(moe, "routed"));
    if (cJSON_IsObject(moe))
        compare(name, "attention and norms", counts.attention + counts.norms,
                whole(moe, "attn"));
    compare(name, "MoE layer", counts.moe_layer,
            whole(moe, "attn") + counts.router + counts.shared + counts.routed);
}

Test(modeldesc, golden_counts)
{
    struct pps_json json = document_in("tests/golden/ndsearch/params_a.json");
    const cJSON *models = pps_json_member(json.root, "models"), *each = NULL;
    cr_assert_eq(cJSON_GetArraySize(models), 8);
    cJSON_ArrayForEach (each, models)
        compare_model(each);
    pps_json_free(&json);
}

#define DEEPSEEK_V3                                                                            \
    "'h':7168,'A':128,'L':61,'f':18432,'V':129280,'E':256,'topk':8,'m':2048,'msh':2048,'kd':"  \
    "3,"                                                                                       \
    "'rq':1536,'rkv':512,'dn':128,'dr':64,'dv':128"

Test(modeldesc, published_counts)
{
    static const struct {
        const char *text;
        int64_t total, active;
    } rows[] = {
        {"{'h':4096,'A':32,'L':32,'f':11008,'V':32000}", 6738415616, 6738415616},
        {"{'h':5120,'A':40,'L':40,'f':13824,'V':32000}", 13015864320, 13015864320},
        {"{'h':8192,'A':64,'G':8,'L':80,'f':28672,'V':32000}", 68976648192, 68976648192},
        {"{'h':4096,'A':32,'G':8,'L':32,'f':14336,'V':128256}", 8030261248, 8030261248},
        {"{'h':8192,'A':64,'G':8,'L':80,'f':28672,'V':128256}", 70553706496, 70553706496},
        {"{'h':16384,'A':128,'G':8,'L':126,'f':53248,'V':128256}", 405853388800, 405853388800},
        {"{'h':4096,'A':32,'G':8,'L':32,'f':14336,'V':32000,'E':8,'topk':2}", 46702792704,
         12879925248},
        {"{'h':2048,'A':32,'G':4,'d':128,'L':48,'f':6144,'V':151936,'E':128,'topk':8,'m':768}",
         30532110336, 3353020416},
        {"{'h':2048,'A':32,'G':4,'d':128,'L':48,'f':6144,'V':151936,'E':128,'topk':8,'m':768,"
         "'qk_norm':true}",
         30532110336 + 12288, 3353020416 + 12288},
        {"{'h':2048,'A':16,'L':27,'f':10944,'V':102400,'E':64,'topk':6,'m':1408,"
         "'n_shared_experts':2,'kd':1,'q_lora_rank':null,'rkv':512}",
         15706484224, 2661150208},
        {"{'h':5120,'A':128,'L':60,'f':12288,'V':102400,'E':160,'topk':6,'m':1536,'msh':3072,"
         "'kd':1,'rq':1536,'rkv':512}",
         235741434880, 21375800320},
        {"{" DEEPSEEK_V3 "}", 671026404352, 37552282624},
        {"{" DEEPSEEK_V3 ",'router_bias':true}", 671026419200, 37552282624 + 14848},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct modeldesc model = model_of(rows[i].text);
        struct modeldesc_counts counts = counts_of(rows[i].text);
        compare(rows[i].text, "total", counts.total, rows[i].total);
        compare(rows[i].text, "active", counts.active + looked_up(&model), rows[i].active);
    }
}

Test(modeldesc, parts_of_deepseek_v3)
{
    struct modeldesc_counts counts = counts_of("{" DEEPSEEK_V3 "}");
    compare("v3", "attention", counts.attention, 187107328);
    compare("v3", "dense layer", counts.dense_layer, 583483392);
    compare("v3", "attention and norms", counts.attention + counts.norms, 187121664);
    compare("v3", "router", counts.router, 1835008);
    compare("v3", "shared", counts.shared, 44040192);
    compare("v3", "routed", counts.routed, 11274289152);
    compare("v3", "mtp module", counts.mtp_module, 11610067968);
    compare("v3", "embedding", counts.embedding, 129280 * 7168);
    compare("v3", "head", counts.head, 129280 * 7168);
    compare("v3", "final norm", counts.final_norm, 7168);
}

// Biases and norms counted by hand for h 8, A 4, G 2, d 2, f 16, two layers, V 10:
// 2 (2*64 + 2*32 + 3*128) in matrices of layers, 2*80 outside, norms 2*16 + 8.
Test(modeldesc, biases)
{
#define SMALL "{'h':8,'A':4,'G':2,'L':2,'f':16,'V':10"
    static const struct {
        const char *text;
        int64_t total;
    } rows[] = {
        {SMALL "}", 1352},
        {SMALL ",'attention_bias':true}", 1352 + 2 * (8 + 2 * 4)},
        {SMALL ",'output_bias':true}", 1352 + 2 * 8},
        {SMALL ",'linear_bias':true}", 1352 + 2 * (8 + 4 + 4 + 8 + 16 + 16 + 8)},
        {SMALL ",'linear_bias':true,'attention_bias':true}", 1352 + 2 * 64},
        {SMALL ",'norm':'layer','gated':true}", 1352 + 40},
        {SMALL ",'norm':'layer'}", 1352 + 40 - 2 * 128},
        {SMALL ",'qk_norm':true}", 1352 + 2 * 4},
        {SMALL ",'qk_norm':true,'qk_norm_full':true}", 1352 + 2 * (8 + 4)},
        {SMALL ",'qk_norm_full':true}", 1352 + 2 * (8 + 4)},
        {SMALL ",'qk_norm':false,'qk_norm_full':true}", 1352},
        {SMALL ",'attention_sinks':true}", 1352 + 2 * 4},
        {SMALL ",'ffn_bias':true}", 1352 + 2 * (16 + 16 + 8)},
        {SMALL ",'ffn_bias':true,'linear_bias':true}", 1352 + 2 * 64},
        {SMALL ",'layer_norms':4}", 1352 + 2 * 16},
        {SMALL ",'layer_norms':1}", 1352 - 2 * 8},
        {SMALL ",'norm':'layer_no_bias','gated':true}", 1352},
        {SMALL ",'norm':'fixed','gated':true}", 1352 - 40},
        {SMALL ",'embedding_norm':true}", 1352 + 8},
        {SMALL ",'head_bias':true}", 1352 + 10},
        {SMALL ",'head_bias':true,'tied':true}", 1352 - 80 + 10},
        {SMALL ",'tied':true}", 1352 - 80},
        {SMALL ",'gated':false}", 1352 - 2 * 128},
        {SMALL ",'learned_positions':true}", 1352 + 4096 * 8},
        {SMALL ",'learned_positions':true,'seq_length':5}", 1352 + 5 * 8},
        {SMALL ",'learned_positions':true,'max_position_embeddings':7}", 1352 + 7 * 8},
        {SMALL ",'learned_positions':3,'max_position_embeddings':7}", 1352 + 3 * 8},
        {SMALL ",'learned_positions':false,'max_position_embeddings':7}", 1352},
        {SMALL ",'mtp_depth':1}", 1352}, // modules are counted apart
        {SMALL ",'E':2,'topk':1,'m':4}", 1352 - 2 * 384 + 2 * (16 + 2 * 96)},
        {SMALL ",'E':2,'topk':1,'m':4,'linear_bias':true}",
         1352 - 2 * 384 + 2 * (16 + 2 * 96) + 2 * 24 + 2 * 2 * (4 + 4 + 8)},
        {SMALL ",'E':2,'topk':1,'m':4,'ffn_bias':true}",
         1352 - 2 * 384 + 2 * (16 + 2 * 96) + 2 * 2 * (4 + 4 + 8)},
        {SMALL ",'E':2,'topk':1,'m':4,'msh':4,'shared_gate':true}",
         1352 - 2 * 384 + 2 * (16 + 3 * 96) + 2 * 8},
        {SMALL ",'shared_gate':true}", 1352},
        {SMALL ",'E':2,'topk':1,'m':4,'router_bias':true}", 1352 - 2 * 384 + 2 * 208 + 4},
        {SMALL ",'E':2,'topk':1,'m':4,'kd':1}", 1352 - 384 + 208},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        compare(rows[i].text, "total", counts_of(rows[i].text).total, rows[i].total);
}

// A dense model has an MTP module if its description sets one.
Test(modeldesc, mtp_of_dense)
{
    cr_assert_eq(counts_of(SMALL "}").mtp_module, 0);
    struct modeldesc_counts counts = counts_of(SMALL ",'mtp_depth':1}");
    compare("small", "mtp", counts.mtp_module, counts.dense_layer + 2 * 64 + 3 * 8);
    struct modeldesc model = model_of(SMALL ",'mtp_depth':2}");
    cr_assert_eq(modeldesc_layers(&model), 4);
}

// ---- aliases and defaults -------------------------------------------------------------------

Test(modeldesc, defaults)
{
    struct modeldesc m = model_of("{'num_layers':4,'hidden_size':96,'num_heads':12,'V':7}");
    cr_assert_eq(m.query_groups, 12);
    cr_assert_eq(m.head_dim, 8);
    cr_assert_eq(m.ffn, 384);
    cr_assert(m.gated && !m.tied && m.norm == MODELDESC_RMS);
    cr_assert(m.seq_length == 4096 && !m.seq_given);
    cr_assert_eq(m.attention, MODELDESC_GQA);
    cr_assert(m.experts == 0 && m.topk == 0 && m.moe_ffn == 0 && m.shared_ffn == 0);
    cr_assert(m.dense_layers == 4 && m.dense_given == -1 && m.shared_given == -1);
    cr_assert(m.mtp_depth == 0 && m.positions == 0);
    m = model_of("{'L':4,'h':96,'A':12,'V':7,'E':3,'rkv':16,'s':128}");
    cr_assert_eq(m.attention, MODELDESC_MLA);
    cr_assert(m.q_rank == 0 && m.qk_nope == 128 && m.qk_rope == 64 && m.v_dim == 128);
    cr_assert(m.topk == 2 && m.moe_ffn == 384 && m.shared_ffn == 0 && m.dense_layers == 0);
    cr_assert(m.seq_length == 128 && m.seq_given);
    m = model_of("{'L':4,'h':96,'A':12,'V':7,'E':1}");
    cr_assert_eq(m.topk, 1);
}

// Tools take other values for what is unsaid; a dense model's layers are dense in any case.
Test(modeldesc, keeps_what_was_given)
{
    struct modeldesc m = model_of("{'L':4,'h':8,'A':2,'V':7,'kd':0}");
    cr_assert(m.dense_layers == 4 && m.dense_given == 0);
    m = model_of("{'L':4,'h':8,'A':2,'V':7,'E':2,'msh':0,'kd':2}");
    cr_assert(m.shared_ffn == 0 && m.shared_given == 0);
    cr_assert(m.dense_layers == 2 && m.dense_given == 2);
    m = model_of("{'L':4,'h':8,'A':2,'V':7,'E':2,'m':6,'n_shared_experts':3}");
    cr_assert(m.shared_ffn == 18 && m.shared_given == 18);
}

Test(modeldesc, all_names)
{
    static const struct {
        const char *names; // of one key, with a space between
        const char *value;
        size_t offset;
        int64_t wanted;
    } rows[] = {
#define MEMBER(m) offsetof(struct modeldesc, m)
        {"num_layers n_layers num_hidden_layers L", "5", MEMBER(num_layers), 5},
        {"mtp_depth mtp_num_layers num_nextn_predict_layers", "2", MEMBER(mtp_depth), 2},
        {"hidden_size dim h", "64", MEMBER(hidden), 64},
        {"num_attention_heads n_heads num_heads A", "16", MEMBER(heads), 16},
        {"num_query_groups n_kv_heads num_key_value_heads G", "4", MEMBER(query_groups), 4},
        {"head_dim kv_channels d", "3", MEMBER(head_dim), 3},
        {"ffn_hidden_size intermediate_size inter_dim f", "9", MEMBER(ffn), 9},
        {"vocab_size padded_vocab_size V", "77", MEMBER(vocab), 77},
        {"seq_length s", "12", MEMBER(seq_length), 12},
        {"q_lora_rank rq", "6", MEMBER(q_rank), 6},
        {"kv_lora_rank rkv", "5", MEMBER(kv_rank), 5},
        {"qk_nope_head_dim qk_head_dim dn", "4", MEMBER(qk_nope), 4},
        {"qk_rope_head_dim qk_pos_emb_head_dim dr", "2", MEMBER(qk_rope), 2},
        {"v_head_dim dv", "3", MEMBER(v_dim), 3},
        {"num_experts expert_num n_routed_experts num_local_experts E", "4", MEMBER(experts),
         4},
        {"topk num_experts_chosen moe_router_topk num_experts_per_tok k", "3", MEMBER(topk), 3},
        {"moe_intermediate_size moe_ffn_hidden_size moe_inter_dim m", "5", MEMBER(moe_ffn), 5},
        {"shared_expert_intermediate_size moe_shared_expert_intermediate_size msh", "11",
         MEMBER(shared_ffn), 11},
        {"first_k_dense_replace n_dense_layers kd", "1", MEMBER(dense_layers), 1},
    };
    static const char *const rest[] = {"num_layers", "hidden_size", "num_attention_heads",
                                       "vocab_size", "num_experts", "kv_lora_rank"};
    static const char *const values[] = {"5", "64", "16", "77", "4", "5"};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char names[256];
        strcpy(names, rows[i].names);
        for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
            char text[512];
            int n = snprintf(text, sizeof text, "{'%s':%s", name, rows[i].value);
            for (size_t k = 0; k < COUNT_OF(rest); k++)
                if (strncmp(rows[i].names, rest[k], strlen(rest[k])) != 0)
                    n += snprintf(text + n, sizeof text - (size_t)n, ",'%s':%s", rest[k],
                                  values[k]);
            snprintf(text + n, sizeof text - (size_t)n, "}");
            struct modeldesc model = model_of(text);
            compare(text, name, *(int64_t *)((char *)&model + rows[i].offset), rows[i].wanted);
            cr_assert(docfields_index(modeldesc_keys(), name) >= 0, "%s", name);
        }
    }
    cr_assert(docfields_index(modeldesc_keys(), "world_size") < 0);
}

Test(modeldesc, flags)
{
#define TINY "{'L':2,'h':8,'A':4,'V':9"
    cr_assert(model_of(TINY ",'swiglu':1}").gated);
    cr_assert_not(model_of(TINY ",'gated_ffn':0}").gated);
    cr_assert(model_of(TINY ",'tie_embeddings':true}").tied);
    cr_assert(model_of(TINY ",'normalization':'RMSNorm'}").gated);
    cr_assert_eq(model_of(TINY ",'normalization':'LayerNorm'}").norm, MODELDESC_LAYER);
    cr_assert(model_of(TINY ",'norm':'layer','E':2}").gated);
    cr_assert(model_of(TINY ",'add_qkv_bias':true}").attention_bias);
    cr_assert(model_of(TINY ",'add_bias_linear':true}").linear_bias);
    // The padded vocabulary counts, whichever comes first.
    cr_assert_eq(model_of(TINY ",'padded_vocab_size':16}").vocab, 16);
    cr_assert_eq(model_of("{'padded_vocab_size':16,'L':2,'h':8,'A':4,'vocab_size':9}").vocab,
                 16);
    // Grouped or not, compressed or not.
    cr_assert_eq(
        model_of(TINY ",'num_query_groups':1,'group_query_attention':false}").query_groups, 4);
    cr_assert_eq(
        model_of(TINY ",'num_query_groups':2,'group_query_attention':true}").query_groups, 2);
    cr_assert_eq(model_of(TINY ",'multi_latent_attention':true,'rkv':4}").attention,
                 MODELDESC_MLA);
    cr_assert_eq(model_of(TINY ",'multi_latent_attention':false,'rkv':4}").attention,
                 MODELDESC_GQA);
    cr_assert_eq(model_of(TINY ",'attention':'gqa','rkv':4}").kv_rank, 0);
    cr_assert_eq(model_of(TINY ",'attention':'mla','rkv':4}").kv_rank, 4);
    cr_assert_str_eq(model_of(TINY ",'name':'tiny'}").name, "tiny");
}

// Llama's rule: 1.3 and 4096 make Llama-2-70B's and Llama-3-70B's width of 8192 * 4.
Test(modeldesc, ffn_multiplier)
{
    const char *text =
        "{'L':2,'h':8192,'A':64,'V':9,'ffn_dim_multiplier':1.3,'multiple_of':4096}";
    cr_assert_eq(model_of(text).ffn, 28672);
    text = "{'L':2,'h':4096,'A':32,'V':9,'ffn_dim_multiplier':1,'multiple_of':256}";
    cr_assert_eq(model_of(text).ffn, 11008);
    text = "{'L':2,'h':8,'A':4,'V':9,'f':100,'ffn_dim_multiplier':2.5,'multiple_of':7}";
    cr_assert_eq(model_of(text).ffn, 168); // 2.5 * 66 = 165, rounded up to 24 * 7
}

// Whatever the bounds let through can be counted.
Test(modeldesc, largest_counts)
{
    static const char *const rows[] = {
        "{'L':4096,'h':2097152,'A':16,'V':1073741824,'f':16777216}",
        "{'L':1,'h':16777216,'A':1,'V':9,'E':1024,'m':16777216,'f':1}",
        "{'L':4096,'h':262144,'A':256,'V':9,'E':256,'m':1048576,'msh':16777216}",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct modeldesc_counts c = counts_of(rows[i]);
        cr_assert(c.total > (int64_t)1 << 53 && c.total < (int64_t)1 << 62, "%s: %lld", rows[i],
                  (long long)c.total);
        cr_assert(c.active > 0 && c.active <= c.total, "%s", rows[i]);
    }
}
