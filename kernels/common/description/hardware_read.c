// SPDX-License-Identifier: Apache-2.0
// Reads a device: its name, or an object whose fields replace the fields of a built-in record.
#include "base/document/fields.h"
#include "kernels/common/description/hardware.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))
#define AT(member)  offsetof(struct hardware, member)

enum field {
    KEY_NAME,
    KEY_BASE,
    KEY_PEAK,
    KEY_HBM,
    KEY_INTRA,
    KEY_INTER,
    KEY_NODE,
    KEY_ALPHA,
    KEY_MEMORY,
    KEY_GEMM_EFF,
    KEY_ATTENTION_EFF,
    KEY_MEMORY_EFF,
    KEY_LINK_EFF,
    KEY_FUSED_CE,
    KEY_CALIBRATED,
    N_KEYS
};

static const struct docfield fields[N_KEYS] = {
    [KEY_NAME] = {"name", DOCFIELD_OWN, 0, 0, 0},
    [KEY_BASE] = {"base", DOCFIELD_OWN, 0, 0, 0},
    [KEY_PEAK] = {"peak", DOCFIELD_REAL, 1e6, 1e21, AT(peak)},
    [KEY_HBM] = {"hbm", DOCFIELD_REAL, 1e3, 1e18, AT(hbm)},
    [KEY_INTRA] = {"intra", DOCFIELD_REAL, 1e3, 1e18, AT(intra)},
    [KEY_INTER] = {"inter", DOCFIELD_REAL, 1e3, 1e18, AT(inter)},
    [KEY_NODE] = {"node", DOCFIELD_WHOLE, 1, 1 << 20, AT(node)},
    [KEY_ALPHA] = {"alpha", DOCFIELD_REAL, 0, 1, AT(alpha)},
    [KEY_MEMORY] = {"memory", DOCFIELD_GIB, 0, 0, AT(memory)},
    [KEY_GEMM_EFF] = {"eg", DOCFIELD_REAL, 1e-6, 1, AT(gemm_eff)},
    [KEY_ATTENTION_EFF] = {"ea", DOCFIELD_REAL, 1e-6, 1, AT(attention_eff)},
    [KEY_MEMORY_EFF] = {"em", DOCFIELD_REAL, 1e-6, 1, AT(memory_eff)},
    [KEY_LINK_EFF] = {"el", DOCFIELD_REAL, 1e-6, 1, AT(link_eff)},
    [KEY_FUSED_CE] = {"fused_ce", DOCFIELD_FLAG, 0, 1, AT(fused_ce)},
    [KEY_CALIBRATED] = {"calibrated", DOCFIELD_FLAG, 0, 1, AT(calibrated)},
};

static const struct docalias aliases[] = {
    {"npus_per_node", "node"}, {"gemm_eff", "eg"}, {"attention_eff", "ea"},
    {"memory_eff", "em"},      {"link_eff", "el"},
};

static const struct docfields table = {
    "a device", fields, N_KEYS, aliases, COUNT_OF(aliases),
};

static void list_names(char *text, size_t n)
{
    int n_records;
    const struct hardware *records = hardware_all(&n_records);
    *text = '\0';
    for (int i = 0; i < n_records; i++)
        snprintf(text + strlen(text), n - strlen(text), "%s%s", i > 0 ? ", " : "",
                 records[i].name);
}

static bool by_name(struct hardware *hardware,
                    const struct cJSON *item,
                    struct pps_fault *fault)
{
    const struct hardware *record = hardware_find(item->valuestring);
    char names[128];
    if (record != NULL) {
        *hardware = *record;
        return true;
    }
    list_names(names, sizeof names);
    return pps_fault_set(
        fault, item, false,
        "%s: no device called \"%.40s\" is known; expected %s, or an object that "
        "describes it",
        docfields_name(item), item->valuestring, names);
}

// ---- an object ------------------------------------------------------------------------------

static bool read_text_name(struct hardware *hardware,
                           const struct cJSON *item,
                           struct pps_fault *fault)
{
    const size_t most = sizeof hardware->name - 1;
    if (!cJSON_IsString(item) || *item->valuestring == '\0' || strlen(item->valuestring) > most)
        return pps_fault_set(fault, item, false, "name: expected text of 1 ... %zu bytes",
                             most);
    memcpy(hardware->name, item->valuestring, strlen(item->valuestring) + 1);
    return true;
}

// Checks that a device without a base has all required keys; H100 provides the other values.
static bool require_all(const struct cJSON *object,
                        const struct docitems *items,
                        struct pps_fault *fault)
{
    static const enum field needed[] = {KEY_PEAK, KEY_HBM, KEY_INTRA, KEY_INTER};
    for (int i = 0; i < COUNT_OF(needed); i++)
        if (items->item[needed[i]] == NULL)
            return pps_fault_set(fault, object, false,
                                 "%s: missing; say it, or name a known device as \"base\"",
                                 fields[needed[i]].key);
    return true;
}

static bool take_base(struct hardware *hardware,
                      const struct cJSON *object,
                      const struct docitems *items,
                      struct pps_fault *fault)
{
    const struct cJSON *base = items->item[KEY_BASE], *name = items->item[KEY_NAME];
    const struct hardware *record = NULL;
    if (base != NULL && !cJSON_IsString(base))
        return pps_fault_set(fault, base, false, "base: expected the name of a known device");
    if (base != NULL)
        return by_name(hardware, base, fault);
    if (cJSON_IsString(name))
        record = hardware_find(name->valuestring);
    if (record == NULL && !require_all(object, items, fault))
        return false;
    *hardware = record != NULL ? *record : *hardware_find("H100");
    if (record == NULL) {
        hardware->memory = 0;
        hardware->fused_ce = false;
        memcpy(hardware->name, "custom", sizeof "custom");
    }
    return true;
}

// Efficiencies are calibrated for the rates they were fitted with.
static bool is_changed(const struct docitems *items)
{
    for (int i = KEY_PEAK; i <= KEY_LINK_EFF; i++)
        if (i != KEY_MEMORY && items->item[i] != NULL)
            return true;
    return false;
}

static bool by_object(struct hardware *hardware,
                      const struct cJSON *object,
                      struct pps_fault *fault)
{
    struct docitems items;
    if (!docfields_find(&table, object, false, &items, fault) ||
        !take_base(hardware, object, &items, fault))
        return false;
    if (is_changed(&items))
        hardware->calibrated = false;
    if (items.item[KEY_NAME] != NULL && !read_text_name(hardware, items.item[KEY_NAME], fault))
        return false;
    return docfields_store(&table, &items, hardware, fault);
}

bool hardware_read(struct hardware *hardware, const struct cJSON *item, struct pps_fault *fault)
{
    struct hardware read;
    bool ok;
    if (cJSON_IsString(item))
        ok = by_name(&read, item, fault);
    else if (cJSON_IsObject(item))
        ok = by_object(&read, item, fault);
    else
        ok = pps_fault_set(
            fault, item, false,
            "hardware: expected the name of a device, or an object that describes one");
    if (ok)
        *hardware = read;
    return ok;
}
