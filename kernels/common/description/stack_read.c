// SPDX-License-Identifier: Apache-2.0
// Reads a software stack: its name, or an object whose fields replace those of a built-in record.
#include "base/document/fields.h"
#include "kernels/common/description/stack.h"

#include <cjson/cJSON.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))
#define AT(member)  offsetof(struct stack, member)

#define SHARE(key, member)                                                                     \
    {                                                                                          \
        key, DOCFIELD_REAL, 0, 1, AT(member)                                                   \
    }
#define FACTOR(key, member)                                                                    \
    {                                                                                          \
        key, DOCFIELD_REAL, 0.01, 10, AT(member)                                               \
    }
#define AMOUNT(key, member, most)                                                              \
    {                                                                                          \
        key, DOCFIELD_REAL, 0, most, AT(member)                                                \
    }

enum { KEY_NAME, KEY_BASE, KEY_SOURCE, KEY_ON, KEY_ASSUMED, N_OWN };

static const struct docfield fields[] = {
    [KEY_NAME] = {"name", DOCFIELD_OWN, 0, 0, 0},
    [KEY_BASE] = {"base", DOCFIELD_OWN, 0, 0, 0},
    [KEY_SOURCE] = {"source", DOCFIELD_OWN, 0, 0, 0},
    [KEY_ON] = {"on", DOCFIELD_OWN, 0, 0, 0},
    [KEY_ASSUMED] = {"assumed", DOCFIELD_FLAG, 0, 1, AT(assumed)},
    FACTOR("gemm", rates.gemm),
    FACTOR("attention", rates.attention),
    FACTOR("memory", rates.memory),
    FACTOR("link", rates.link),
    {"scale", DOCFIELD_REAL, 0.01, 100, AT(scale)},
    AMOUNT("attention_half", attention_half, 1e6),
    FACTOR("grouped", grouped),
    AMOUNT("grouped_half", grouped_half, 1e6),
    {"imbalance", DOCFIELD_REAL, 1, 100, AT(imbalance)},
    {"stream", DOCFIELD_REAL, 0.1, 100, AT(stream)},
    AMOUNT("gap", gap, 1),
    AMOUNT("launch", launch, 1),
    AMOUNT("launch_experts", launch_experts, 1),
    SHARE("tp_exposed", tp_exposed),
    SHARE("cp_exposed", cp_exposed),
    SHARE("ep_exposed", ep_exposed),
    {"shared_overlap", DOCFIELD_FLAG, 0, 1, AT(shared_overlap)},
    {"ep_dualpipe", DOCFIELD_FLAG, 0, 1, AT(ep_dualpipe)},
    SHARE("pp_exposed", pp_exposed),
    AMOUNT("dp_hidden", dp_hidden, 10),
    SHARE("dp_exposed", dp_exposed),
    SHARE("gather_exposed", gather_exposed),
    AMOUNT("zero_hidden", zero_hidden, 10),
    SHARE("zero_exposed", zero_exposed),
    AMOUNT("across", rates.across, 1e13),
    AMOUNT("hop", hop, 1),
    AMOUNT("bucket", bucket, 1e12),
    {"node_copies", DOCFIELD_FLAG, 0, 1, AT(node_copies)},
    AMOUNT("dispatch", dispatch, 8),
    AMOUNT("combine", combine, 8),
    AMOUNT("quantise", quantise, 64),
    AMOUNT("expert_outputs", expert_outputs, 4),
    AMOUNT("expert_hidden", expert_hidden, 4),
    {"fused_norms", DOCFIELD_FLAG, 0, 1, AT(fused_norms)},
    {"kept_8bit", DOCFIELD_FLAG, 0, 1, AT(kept_8bit)},
    SHARE("select_products", select_products),
    SHARE("select_again", select_again),
    {"early_stop", DOCFIELD_FLAG, 0, 1, AT(early_stop)},
    AMOUNT("logits", logits, 64),
    AMOUNT("scores", scores, 64),
    {"context_gathered", DOCFIELD_FLAG, 0, 1, AT(context_gathered)},
    AMOUNT("fragmentation", fragmentation, 10),
    {"whole_logits", DOCFIELD_FLAG, 0, 1, AT(whole_logits)},
    {"accumulation_whole", DOCFIELD_FLAG, 0, 1, AT(accumulation_whole)},
    {"pipeline_whole", DOCFIELD_FLAG, 0, 1, AT(pipeline_whole)},
};

static const struct docfields table = {"a stack", fields, COUNT_OF(fields), NULL, 0};

#define RATE(key, member)                                                                      \
    {                                                                                          \
        key, DOCFIELD_REAL, 0.01, 10, offsetof(struct stack_rates, member)                     \
    }
static const struct docfield rate_fields[] = {
    RATE("gemm", gemm),
    RATE("attention", attention),
    RATE("memory", memory),
    RATE("link", link),
    {"across", DOCFIELD_REAL, 0, 1e13, offsetof(struct stack_rates, across)},
};
static const struct docfields rate_table = {"the factors of a device", rate_fields,
                                            COUNT_OF(rate_fields), NULL, 0};

static bool by_name(struct stack *stack, const struct cJSON *item, struct pps_fault *fault)
{
    const struct stack *record = stack_find(item->valuestring);
    char names[256];
    if (record != NULL) {
        *stack = *record;
        return true;
    }
    return pps_fault_set(
        fault, item, false,
        "%s: no stack called \"%.40s\" is known; expected %s, or an object that "
        "describes it",
        docfields_name(item), item->valuestring, stack_names(names, sizeof names));
}

static bool read_name(char *name, size_t size, const struct cJSON *item,
                      struct pps_fault *fault)
{
    if (!cJSON_IsString(item) || *item->valuestring == '\0' ||
        strlen(item->valuestring) >= size)
        return pps_fault_set(fault, item, false, "%s: expected text of 1 ... %zu bytes",
                             docfields_name(item), size - 1);
    memcpy(name, item->valuestring, strlen(item->valuestring) + 1);
    return true;
}

// One member for each device: {"B200": {"memory": 0.3}}.
static bool read_on(struct stack *stack, const struct cJSON *item, struct pps_fault *fault)
{
    const struct cJSON *each;
    if (!cJSON_IsObject(item))
        return pps_fault_set(fault, item, false,
                             "on: expected an object, as in {\"B200\": {\"gemm\": 0.9}}");
    stack->n_on = 0;
    cJSON_ArrayForEach (each, item) {
        const struct hardware *device = hardware_find(each->string);
        struct docitems items;
        if (device == NULL)
            return pps_fault_set(fault, each, true, "on: no device called \"%.40s\" is known",
                                 each->string);
        if (stack->n_on == STACK_DEVICES)
            return pps_fault_set(fault, each, true, "on: more than %d devices", STACK_DEVICES);
        memcpy(stack->on[stack->n_on].device, device->base, sizeof device->base);
        stack->on[stack->n_on].rates = stack->rates;
        if (!docfields_find(&rate_table, each, false, &items, fault) ||
            !docfields_store(&rate_table, &items, &stack->on[stack->n_on].rates, fault))
            return false;
        stack->n_on++;
    }
    return true;
}

static bool same_rates(const struct stack_rates *a, const struct stack_rates *b)
{
    return a->gemm == b->gemm && a->attention == b->attention && a->memory == b->memory &&
           a->link == b->link && a->across == b->across;
}

static bool same_devices(const struct stack *a, const struct stack *b)
{
    for (int i = 0; i < a->n_on && a->n_on == b->n_on; i++)
        if (strcmp(a->on[i].device, b->on[i].device) != 0 ||
            !same_rates(&a->on[i].rates, &b->on[i].rates))
            return false;
    return a->n_on == b->n_on;
}

static size_t size_of(const struct docfield *field)
{
    return field->kind == DOCFIELD_FLAG ? sizeof(bool) : sizeof(double);
}

static bool same_figure(const struct docfield *field, const struct stack *a,
                        const struct stack *b)
{
    return memcmp((const char *)a + field->offset, (const char *)b + field->offset,
                  size_of(field)) == 0;
}

static bool same_figures(const struct stack *a, const struct stack *b)
{
    for (int i = N_OWN; i < COUNT_OF(fields); i++)
        if (!same_figure(&fields[i], a, b))
            return false;
    return same_devices(a, b);
}

// A stack that differs from a built-in record does not have its name.
static void tell_apart(struct stack *stack, const struct stack *record)
{
    static const char changed[] = ", changed";
    const size_t n = strlen(stack->name);
    if (strcmp(stack->name, record->name) == 0 && same_figures(stack, record))
        return;
    memcpy(stack->base, record->name, sizeof stack->base);
    if (stack_find(stack->name) != NULL && n + sizeof changed <= sizeof stack->name)
        memcpy(stack->name + n, changed, sizeof changed);
}

static bool by_object(struct stack *stack, const struct cJSON *object, struct pps_fault *fault)
{
    struct docitems items;
    int n;
    if (!docfields_find(&table, object, false, &items, fault))
        return false;
    const struct cJSON *base = items.item[KEY_BASE], *name = items.item[KEY_NAME];
    const struct stack *record = stack_all(&n);
    if (cJSON_IsString(name) && stack_find(name->valuestring) != NULL)
        record = stack_find(name->valuestring);
    *stack = *record;
    if (base != NULL && !cJSON_IsString(base))
        return pps_fault_set(fault, base, false, "base: expected the name of a known stack");
    if (base != NULL && !by_name(stack, base, fault))
        return false;
    record = stack_find(stack->name);
    if (name == NULL && base == NULL)
        memcpy(stack->name, "custom", sizeof "custom");
    if (name != NULL && !read_name(stack->name, sizeof stack->name, name, fault))
        return false;
    if (!docfields_store(&table, &items, stack, fault) ||
        (items.item[KEY_ON] != NULL && !read_on(stack, items.item[KEY_ON], fault)))
        return false;
    tell_apart(stack, record);
    return true;
}

bool stack_read(struct stack *stack, const struct cJSON *item, struct pps_fault *fault)
{
    struct stack read;
    bool ok;
    memset(&read, 0, sizeof read);
    if (cJSON_IsString(item))
        ok = by_name(&read, item, fault);
    else if (cJSON_IsObject(item))
        ok = by_object(&read, item, fault);
    else
        ok = pps_fault_set(
            fault, item, false,
            "stack: expected the name of a software stack, or an object that describes one");
    if (ok)
        *stack = read;
    return ok;
}

// ---- the stack of a device ---

void stack_settle(struct stack *stack, const struct hardware *hardware)
{
    const struct stack *record = stack_find(stack_base(stack)),
                       *measured = stack->assumed ? stack_of_device(hardware) : NULL;
    stack->assumed = false;
    if (measured == NULL || record == NULL)
        return;
    struct stack settled = *measured;
    for (int i = N_OWN; i < COUNT_OF(fields); i++)
        if (!same_figure(&fields[i], stack, record))
            memcpy((char *)&settled + fields[i].offset, (const char *)stack + fields[i].offset,
                   size_of(&fields[i]));
    tell_apart(&settled, measured);
    *stack = settled;
}

// ---- a stack as an object -------------------------------------------------------------------

static bool add_devices(cJSON *object, const struct stack *stack)
{
    cJSON *on = cJSON_AddObjectToObject(object, "on");
    for (int i = 0; i < stack->n_on && on != NULL; i++) {
        cJSON *device = cJSON_AddObjectToObject(on, stack->on[i].device);
        if (device == NULL || !docfields_add(&rate_table, &stack->on[i].rates, NULL, device))
            return false;
    }
    return on != NULL;
}

struct cJSON *stack_document(const struct stack *stack)
{
    const struct stack *base = stack_find(stack_base(stack));
    cJSON *object = cJSON_CreateObject();
    if (object == NULL || cJSON_AddStringToObject(object, "name", stack->name) == NULL ||
        (base != NULL && cJSON_AddStringToObject(object, "base", base->name) == NULL) ||
        !docfields_add(&table, stack, base, object) ||
        ((base == NULL || !same_devices(stack, base)) && !add_devices(object, stack))) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}
