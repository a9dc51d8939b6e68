// SPDX-License-Identifier: Apache-2.0
// Reads the description of the training.
#include "kernels/common/description/training.h"

#include "base/document/fields.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))
#define AT(member)  offsetof(struct reading, training.member)

enum field {
    KEY_GBS,
    KEY_MBS,
    KEY_ZERO,
    KEY_SHARDED,
    KEY_BYTES_PARAM,
    KEY_BYTES_GRAD,
    KEY_BYTES_OPTIM,
    KEY_EXPERT_TP,
    KEY_FLASH,
    KEY_FUSED_CE,
    KEY_LOSS_CHUNKS,
    KEY_SCHEDULE,
    KEY_LOW_MEM_VPP,
    KEY_DUMMY_WGRAD,
    KEY_DROPOUT,
    KEY_PRECISION,
    KEY_STACK,
    KEY_MODULES,
    KEY_FROZEN,
    KEY_LORA_RANK,
    KEY_LORA_MODULES,
    KEY_OFFLOAD_OPTIMIZER,
    KEY_OFFLOAD_ACTIVATIONS,
    KEY_OFFLOAD_CHECKPOINTS,
    KEY_OFFLOAD_PARAMETERS,
    KEY_NAME, // of the document
    N_KEYS
};

struct reading {
    struct training training;
    int64_t zero_level;
};

enum { MOST_SEQUENCES = 1 << 24 };

static const struct docfield fields[N_KEYS] = {
    [KEY_GBS] = {"gbs", DOCFIELD_WHOLE, 1, MOST_SEQUENCES, AT(gbs)},
    [KEY_MBS] = {"mbs_options", DOCFIELD_OWN, 0, 0, 0},
    [KEY_ZERO] = {"zero_level", DOCFIELD_WHOLE, 0, 3, offsetof(struct reading, zero_level)},
    [KEY_SHARDED] = {"use_distributed_optimizer", DOCFIELD_FLAG, 0, 1,
                     AT(distributed_optimizer)},
    [KEY_BYTES_PARAM] = {"bytes_param", DOCFIELD_ABOVE, 0, 64, AT(bytes_param)},
    [KEY_BYTES_GRAD] = {"bytes_grad", DOCFIELD_REAL, 0, 64, AT(bytes_grad)},
    [KEY_BYTES_OPTIM] = {"bytes_optim", DOCFIELD_REAL, 0, 64, AT(bytes_optim)},
    [KEY_EXPERT_TP] = {"expert_tensor_parallel", DOCFIELD_OWN, 0, 0, 0},
    [KEY_FLASH] = {"flash_attention", DOCFIELD_FLAG, 0, 1, AT(flash_attention)},
    [KEY_FUSED_CE] = {"fused_cross_entropy", DOCFIELD_FLAG, 0, 1, AT(fused_cross_entropy)},
    [KEY_LOSS_CHUNKS] = {"loss_chunks", DOCFIELD_WHOLE, 1, 1 << 20, AT(loss_chunks)},
    [KEY_SCHEDULE] = {"schedule", DOCFIELD_OWN, 0, 0, 0},
    [KEY_LOW_MEM_VPP] = {"low_mem_vpp", DOCFIELD_FLAG, 0, 1, AT(low_mem_vpp)},
    [KEY_DUMMY_WGRAD] = {"dummy_wgrad", DOCFIELD_FLAG, 0, 1, AT(dummy_wgrad)},
    [KEY_DROPOUT] = {"dropout", DOCFIELD_FLAG, 0, 1, AT(dropout)},
    [KEY_PRECISION] = {"precision", DOCFIELD_OWN, 0, 0, 0},
    [KEY_STACK] = {"stack", DOCFIELD_OWN, 0, 0, 0},
    [KEY_MODULES] = {"recompute_modules", DOCFIELD_OWN, 0, 0, 0},
    [KEY_FROZEN] = {"frozen", DOCFIELD_FLAG, 0, 1, AT(frozen)},
    [KEY_LORA_RANK] = {"lora_rank", DOCFIELD_WHOLE, 0, 1 << 16, AT(lora_rank)},
    [KEY_LORA_MODULES] = {"lora_modules", DOCFIELD_OWN, 0, 0, 0},
    [KEY_OFFLOAD_OPTIMIZER] = {"offload_optimizer", DOCFIELD_REAL, 0, 1, AT(offload_optimizer)},
    [KEY_OFFLOAD_ACTIVATIONS] = {"offload_activations", DOCFIELD_REAL, 0, 1,
                                 AT(offload_activations)},
    [KEY_OFFLOAD_CHECKPOINTS] = {"offload_checkpoints", DOCFIELD_REAL, 0, 1,
                                 AT(offload_checkpoints)},
    [KEY_OFFLOAD_PARAMETERS] = {"offload_parameters", DOCFIELD_FLAG, 0, 1,
                                AT(offload_parameters)},
    [KEY_NAME] = {"name", DOCFIELD_OWN, 0, 0, 0},
};

static const struct docalias aliases[] = {
    {"global_batch_size", "gbs"},
    {"mbs", "mbs_options"},
};

static const struct docfields table = {
    "training", fields, N_KEYS, aliases, COUNT_OF(aliases),
};

void training_default(struct training *training)
{
    *training = (struct training){
        .gbs = 1024,
        .mbs = {1, 2, 4},
        .n_mbs = 3,
        .zero_level = 1,
        .distributed_optimizer = true,
        .bytes_param = 2,
        .bytes_grad = 4,
        .bytes_optim = 12,
        .flash_attention = true,
        .fused_cross_entropy = true,
        .loss_chunks = 1,
    };
}

// Products of blocks of 32 numbers with one scale begin with the generation of B200.
const char *training_precision_lacks(enum training_precision precision,
                                     const struct hardware *hardware)
{
    if (precision == TRAINING_BF16)
        return NULL;
    if (hardware->peak_fp8 == 0)
        return "has no 8-bit products; set peak_fp8 in its record";
    if (precision == TRAINING_MXFP8 &&
        (strcmp(hardware->base, "H100") == 0 || strcmp(hardware->base, "A100") == 0))
        return "has no products of mxfp8, which begin with B200; write fp8";
    return NULL;
}

const struct stack *training_stack(const struct training *training)
{
    const bool sharded = training->distributed_optimizer && training->zero_level >= 2;
    if (training->stack.name[0] != '\0')
        return &training->stack;
    return stack_find(sharded ? "fsdp" : "megatron-tuned");
}

// ---- micro-batch sizes ----------------------------------------------------------------------

static bool add_mbs(struct training *training, const struct cJSON *item,
                    struct pps_fault *fault)
{
    const double x = item->valuedouble;
    if (!cJSON_IsNumber(item) || !(x >= 1 && x <= MOST_SEQUENCES) || x > (double)(int64_t)x)
        return pps_fault_set(fault, item, false, "mbs_options: expected whole numbers 1 ... %d",
                             MOST_SEQUENCES);
    for (int i = 0; i < training->n_mbs; i++)
        if (training->mbs[i] == (int64_t)x)
            return pps_fault_set(fault, item, false, "mbs_options: %.0f appears twice", x);
    if (training->n_mbs == TRAINING_MBS_MAX)
        return pps_fault_set(fault, item, false, "mbs_options: more than %d sizes",
                             TRAINING_MBS_MAX);
    training->mbs[training->n_mbs++] = (int64_t)x;
    return true;
}

static bool read_mbs(struct training *training, const struct cJSON *item,
                     struct pps_fault *fault)
{
    const struct cJSON *each = NULL;
    training->n_mbs = 0;
    if (!cJSON_IsArray(item))
        return add_mbs(training, item, fault);
    cJSON_ArrayForEach (each, item) {
        if (!add_mbs(training, each, fault))
            return false;
    }
    if (training->n_mbs == 0)
        return pps_fault_set(
            fault, item, false,
            "mbs_options: an empty list; write at least one size, as in [1, 2]");
    return true;
}

// ---- words ----------------------------------------------------------------------------------

static bool is_word(const struct cJSON *item, const char *word)
{
    return cJSON_IsString(item) && strcmp(item->valuestring, word) == 0;
}

static bool read_expert_tp(struct training *training, const struct cJSON *item,
                           struct pps_fault *fault)
{
    const bool one = cJSON_IsNumber(item) && item->valuedouble == 1;
    if (!one && !is_word(item, "1") && !is_word(item, "tp"))
        return pps_fault_set(fault, item, false,
                             "expert_tensor_parallel: expected 1 or \"tp\"");
    training->expert_tensor_parallel = is_word(item, "tp");
    return true;
}

static const char *const schedule_words[] = {
    [TRAINING_ANY_SCHEDULE] = "",     [TRAINING_1F1B] = "1f1b",
    [TRAINING_VPP] = "vpp",           [TRAINING_ZERO_BUBBLE] = "zero_bubble",
    [TRAINING_DUALPIPE] = "dualpipe",
};

const char *training_schedule_word(enum training_schedule schedule)
{
    return schedule_words[schedule];
}

static bool read_schedule(struct training *training, const struct cJSON *item,
                          struct pps_fault *fault)
{
    for (int i = TRAINING_1F1B; i < COUNT_OF(schedule_words); i++)
        if (is_word(item, schedule_words[i])) {
            training->schedule = (enum training_schedule)i;
            return true;
        }
    return pps_fault_set(
        fault, item, false,
        "schedule: expected \"1f1b\", \"vpp\", \"zero_bubble\" or \"dualpipe\"");
}

// Words of a list whose numbers are bits of a set.
struct words {
    const char *key, *example, *expected;
    const char *list[9]; // NULL behind the last
};

static const struct words modules = {
    "recompute_modules",
    "[\"layernorm\", \"moe_act\"]",
    "core_attn, layernorm, moe_act, mla_up_proj, mlp, moe or shared_experts",
    {"core_attn", "layernorm", "moe_act", "mla_up_proj", "mlp", "moe", "shared_experts"},
};

void training_module_words(unsigned set, char text[TRAINING_MODULE_WORDS])
{
    size_t n = 0;
    text[0] = '\0';
    for (int k = 0; modules.list[k] != NULL; k++)
        if ((set & 1U << k) != 0)
            n += (size_t)snprintf(text + n, TRAINING_MODULE_WORDS - n, "%s%s", n > 0 ? " " : "",
                                  modules.list[k]);
}

static const struct words adapters = {
    "lora_modules",
    "[\"linear_qkv\", \"linear_proj\"]",
    "linear_qkv, linear_proj, linear_fc1, linear_fc2, linear_q, linear_k, linear_v, "
    "linear_fc1_gate or linear_fc1_up",
    {"linear_qkv", "linear_proj", "linear_fc1", "linear_fc2", "linear_q", "linear_k",
     "linear_v", "linear_fc1_gate", "linear_fc1_up"},
};

static bool read_words(const struct words *words, const struct cJSON *item, unsigned *set,
                       struct pps_fault *fault)
{
    const struct cJSON *each = NULL;
    *set = 0;
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) == 0)
        return pps_fault_set(fault, item, false, "%s: expected a list, as in %s", words->key,
                             words->example);
    cJSON_ArrayForEach (each, item) {
        int k = 0;
        while (k < COUNT_OF(words->list) && words->list[k] != NULL &&
               !is_word(each, words->list[k]))
            k++;
        if (k == COUNT_OF(words->list) || words->list[k] == NULL)
            return pps_fault_set(fault, each, false, "%s: expected %s", words->key,
                                 words->expected);
        *set |= 1U << k;
    }
    return true;
}

static bool add_set(const struct words *words, unsigned set, struct cJSON *object)
{
    cJSON *list = set != 0 ? cJSON_AddArrayToObject(object, words->key) : NULL;
    bool ok = set == 0 || list != NULL;
    for (int k = 0; ok && k < COUNT_OF(words->list); k++)
        if (set & 1U << k)
            ok = cJSON_AddItemToArray(list, cJSON_CreateString(words->list[k]));
    return ok;
}

// Adapters alone are trained. Without a list, all matrices have them.
static bool read_adapters(struct training *training, const struct cJSON *item,
                          struct pps_fault *fault)
{
    if (item != NULL && !read_words(&adapters, item, &training->lora_modules, fault))
        return false;
    if (item != NULL && training->lora_rank == 0)
        return pps_fault_set(fault, item, false, "lora_modules: there is no lora_rank");
    if (training->lora_rank == 0)
        return true;
    training->frozen = true;
    if (training->lora_modules == 0)
        training->lora_modules = TRAINING_LINEAR_QKV | TRAINING_LINEAR_PROJ |
                                 TRAINING_LINEAR_FC1 | TRAINING_LINEAR_FC2;
    return true;
}

static const char *const precision_words[] = {"bf16", "fp8", "mxfp8"};

const char *training_precision_word(enum training_precision precision)
{
    return precision_words[precision];
}

static bool read_precision(struct training *training, const struct cJSON *item,
                           struct pps_fault *fault)
{
    for (int i = 0; i < COUNT_OF(precision_words); i++)
        if (is_word(item, precision_words[i])) {
            training->precision = (enum training_precision)i;
            return true;
        }
    return pps_fault_set(fault, item, false, "precision: expected bf16, fp8 or mxfp8");
}

// ---- whole documents ------------------------------------------------------------------------

bool training_read(struct training *training, const struct cJSON *document,
                   struct pps_fault *fault)
{
    struct docitems items;
    struct reading reading = {*training, training->zero_level};
    if (!docfields_find(&table, document, false, &items, fault) ||
        !docfields_store(&table, &items, &reading, fault))
        return false;
    if (items.item[KEY_MBS] != NULL && !read_mbs(&reading.training, items.item[KEY_MBS], fault))
        return false;
    if (items.item[KEY_EXPERT_TP] != NULL &&
        !read_expert_tp(&reading.training, items.item[KEY_EXPERT_TP], fault))
        return false;
    if (items.item[KEY_SCHEDULE] != NULL &&
        !read_schedule(&reading.training, items.item[KEY_SCHEDULE], fault))
        return false;
    if (items.item[KEY_PRECISION] != NULL &&
        !read_precision(&reading.training, items.item[KEY_PRECISION], fault))
        return false;
    if (items.item[KEY_MODULES] != NULL &&
        !read_words(&modules, items.item[KEY_MODULES], &reading.training.recompute_modules,
                    fault))
        return false;
    if (!read_adapters(&reading.training, items.item[KEY_LORA_MODULES], fault))
        return false;
    if (items.item[KEY_STACK] != NULL &&
        !stack_read(&reading.training.stack, items.item[KEY_STACK], fault))
        return false;
    reading.training.dropout_given |= items.item[KEY_DROPOUT] != NULL;
    training_set_flash(&reading.training, reading.training.flash_attention);
    reading.training.zero_level = (int)reading.zero_level;
    if (reading.training.offload_parameters && reading.zero_level < 3)
        return pps_fault_set(fault, items.item[KEY_OFFLOAD_PARAMETERS], false,
                             "offload_parameters: only level 3 of ZeRO shards parameters; set "
                             "zero_level 3");
    reading.training.zero_given |= items.item[KEY_ZERO] != NULL;
    *training = reading.training;
    return true;
}

// ---- writing --------------------------------------------------------------------------------

static bool add_lists(const struct training *training, struct cJSON *object)
{
    cJSON *sizes = cJSON_AddArrayToObject(object, "mbs_options");
    bool ok = sizes != NULL;
    for (int i = 0; ok && i < training->n_mbs; i++)
        ok = cJSON_AddItemToArray(sizes, cJSON_CreateNumber((double)training->mbs[i]));
    return ok && add_set(&modules, training->recompute_modules, object) &&
           add_set(&adapters, training->lora_modules, object);
}

static bool add_words(const struct training *training, struct cJSON *object)
{
    const char *schedule = training_schedule_word(training->schedule);
    struct cJSON *stack;
    if ((training->expert_tensor_parallel &&
         cJSON_AddStringToObject(object, "expert_tensor_parallel", "tp") == NULL) ||
        (schedule[0] != '\0' &&
         cJSON_AddStringToObject(object, "schedule", schedule) == NULL) ||
        cJSON_AddStringToObject(object, "precision",
                                training_precision_word(training->precision)) == NULL)
        return false;
    if (training->stack.name[0] == '\0')
        return true;
    stack = stack_document(&training->stack);
    return stack != NULL && cJSON_AddItemToObject(object, "stack", stack);
}

struct cJSON *training_document(const struct training *training)
{
    const struct reading reading = {*training, training->zero_level};
    struct reading other;
    training_default(&other.training);
    // Values whose absence has a meaning of its own are written in any case.
    other.zero_level = training->zero_given ? -1 : other.training.zero_level;
    const bool implied =
        !training->dropout_given && training->dropout == !training->flash_attention;
    other.training.dropout = implied ? training->dropout : !training->dropout;
    struct cJSON *object = cJSON_CreateObject();
    if (object == NULL || !docfields_add(&table, &reading, &other, object) ||
        !add_lists(training, object) || !add_words(training, object)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

const struct docfields *training_keys(void)
{
    return &table;
}
