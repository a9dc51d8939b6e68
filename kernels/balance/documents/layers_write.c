// SPDX-License-Identifier: Apache-2.0
// Writes the layers of a model.
#include "kernels/balance/documents/layers_write.h"

#include <math.h>

static const char *const memory_keys[BALANCE_KINDS] = {
    "memory_activation", "memory_select_rec", "memory_select_comm", "memory_both_comm_select",
    "memory_recompute"};
static const char *const time_keys[BALANCE_KINDS] = {"backward_time", "select_rec_time",
                                                     "select_comm_time",
                                                     "both_comm_select_time", "recompute_time"};

static void add_number(struct text_buffer *text, const char *key, double value)
{
    text_buffer_add(text, ", \"%s\": ", key);
    text_buffer_add_number(text, value);
}

// Without `backward`, NAN, readers take the usual one.
static void add_entry(struct text_buffer *text, const char *type, double time, double backward,
                      int32_t layers, double parameter_mb)
{
    text_buffer_add(text, "    {\"name\": \"%s\", \"type\": \"%s\", \"nb_layer\": %d", type,
                    type, layers);
    add_number(text, "time", time);
    if (backward > 0 && backward != 2 * time)
        add_number(text, "backward_time", backward);
    add_number(text, "memory_parameter", parameter_mb);
}

static void add_memory(struct text_buffer *text, const char *key, double mb)
{
    if (mb > 0)
        add_number(text, key, mb);
}

// Appends the characters of a name that need no escape.
static void add_name(struct text_buffer *text, const char *name)
{
    for (; *name != '\0'; name++)
        if (*name != '"' && *name != '\\' && (unsigned char)*name >= ' ')
            text_buffer_add_bytes(text, name, 1);
}

// Appends the memory of all kinds, and the times that readers do not derive.
static void add_kinds(const struct balance_layers *layers, struct text_buffer *text)
{
    double plain = 0; // b[none] as far as it is written
    for (int k = 0; k < BALANCE_KINDS; k++) {
        if (!layers->has[k])
            continue;
        add_number(text, memory_keys[k], layers->activation_mb[k]);
        if (layers->backward[k] == balance_backward_of(layers->forward, plain,
                                                       balance_usual_coefs,
                                                       (enum balance_kind)k))
            continue;
        add_number(text, time_keys[k], layers->backward[k]);
        if (k == BALANCE_NONE)
            plain = layers->backward[k];
    }
}

void balance_layers_write(const struct balance_layers *layers, struct text_buffer *text)
{
    text_buffer_add(text, "{\"name\": \"");
    add_name(text, layers->name);
    if (layers->devices[0] != '\0') {
        text_buffer_add(text, "\", \"devices\": \"");
        add_name(text, layers->devices);
    }
    text_buffer_add(text, "\"");
    add_number(text, "stage_const_mem", layers->constant_mb);
    if (layers->transfer > 0)
        add_number(text, "transfer_time", layers->transfer);
    text_buffer_add(text, ",\n  \"layers_description\": [\n");
    add_entry(text, "HEAD", layers->head, layers->head_backward, 1, layers->head_mb);
    add_memory(text, "memory_kept", layers->head_activation_mb);
    add_memory(text, "memory_working", layers->head_working_mb);
    text_buffer_add(text, "},\n");
    add_entry(text, "BODY", layers->forward, (double)NAN, layers->layers, layers->parameter_mb);
    add_kinds(layers, text);
    add_memory(text, "memory_working", layers->working_mb);
    text_buffer_add(text, "},\n");
    add_entry(text, "TAIL", layers->tail, layers->tail_backward, 1, layers->tail_mb);
    text_buffer_add(text, "}]}\n");
}
