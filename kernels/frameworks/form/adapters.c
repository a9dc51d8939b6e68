// SPDX-License-Identifier: Apache-2.0
// Reads which matrices have adapters, under the names that frameworks give them.
#include "kernels/frameworks/form/form.h"

#include <stdio.h>
#include <string.h>

// As the run document names them.
static const char *const words[] = {"linear_qkv", "linear_proj",     "linear_fc1",
                                    "linear_fc2", "linear_q",        "linear_k",
                                    "linear_v",   "linear_fc1_gate", "linear_fc1_up"};
enum { QKV, PROJ, FC1, FC2, Q, K, V, GATE, UP, N_WORDS };

// Older names of Megatron-LM, those of Hugging Face and those of Llama.
static const struct {
    const char *name;
    int word;
} aliases[] = {
    {"query_key_value", QKV},
    {"dense", PROJ},
    {"dense_h_to_4h", FC1},
    {"dense_4h_to_h", FC2},
    {"q_proj", Q},
    {"k_proj", K},
    {"v_proj", V},
    {"o_proj", PROJ},
    {"gate_proj", GATE},
    {"up_proj", UP},
    {"down_proj", FC2},
    {"wq", Q},
    {"wk", K},
    {"wv", V},
    {"wo", PROJ},
    {"w1", GATE},
    {"w3", UP},
    {"w2", FC2},
    {"w_qkv", QKV},
    {"w_gate_hidden", FC1},
    {"linear_q_proj", Q},
};

static int word_of(const char *name, size_t n)
{
    for (int k = 0; k < N_WORDS; k++)
        if (strlen(words[k]) == n && memcmp(words[k], name, n) == 0)
            return k;
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
        if (strlen(aliases[k].name) == n && memcmp(aliases[k].name, name, n) == 0)
            return aliases[k].word;
    return -1;
}

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

bool framework_take_adapters(struct framework_reader *r, const char *text, size_t n, size_t at,
                             unsigned *set)
{
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && is_of_name(text[end]))
            end++;
        const int word = word_of(text + i, end - i);
        if (end > i && word < 0)
            return framework_fail(r, at, "%.*s: adapters of this module are not known here",
                                  (int)(end - i < 60 ? end - i : 60), text + i);
        if (end > i)
            *set |= 1U << word;
        i = end > i ? end : i + 1;
    }
    return true;
}

bool framework_put_adapters(struct framework_reader *r, int64_t rank, unsigned set, size_t at)
{
    cJSON *list = cJSON_CreateArray();
    for (int k = 0; list != NULL && k < N_WORDS; k++)
        if (set & 1U << k)
            cJSON_AddItemToArray(list, cJSON_CreateString(words[k]));
    return framework_put_number(r, FRAMEWORK_TRAINING, "lora_rank", (double)rank, at) &&
           framework_put(r, FRAMEWORK_TRAINING, "lora_modules", list, at);
}
