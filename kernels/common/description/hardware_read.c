// SPDX-License-Identifier: Apache-2.0
// Reads a device: its name, or an object whose fields replace the fields of a built-in record.
#include "base/document/fields.h"
#include "kernels/common/description/hardware.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))
#define AT(member)  offsetof(struct hardware, member)

#define PCIE_SHARED 0.65

enum field {
    KEY_NAME,
    KEY_BASE,
    KEY_PEAK,
    KEY_PEAK_FP8,
    KEY_HBM,
    KEY_INTRA,
    KEY_INTER,
    KEY_NODE,
    KEY_ALPHA,
    KEY_MEMORY,
    KEY_POWER,
    KEY_GEMM_EFF,
    KEY_ATTENTION_EFF,
    KEY_MEMORY_EFF,
    KEY_LINK_EFF,
    KEY_FP8_EFF,
    KEY_TILE_M,
    KEY_TILE_N,
    KEY_PROCESSORS,
    KEY_WAVE,
    KEY_HALF_K,
    KEY_HALF_LENGTH,
    KEY_HALF_SIZE,
    KEY_BACKWARD,
    KEY_KERNEL,
    KEY_LAUNCH,
    KEY_SHARED,
    KEY_ACROSS,
    KEY_LEVELS,
    KEY_FUSED_CE,
    KEY_CALIBRATED,
    KEY_HOST,
    N_KEYS
};

static const struct docfield fields[N_KEYS] = {
    [KEY_NAME] = {"name", DOCFIELD_OWN, 0, 0, 0},
    [KEY_BASE] = {"base", DOCFIELD_OWN, 0, 0, 0},
    [KEY_PEAK] = {"peak", DOCFIELD_REAL, 1e6, 1e21, AT(peak)},
    [KEY_PEAK_FP8] = {"peak_fp8", DOCFIELD_REAL, 0, 1e21, AT(peak_fp8)},
    [KEY_HBM] = {"hbm", DOCFIELD_REAL, 1e3, 1e18, AT(hbm)},
    [KEY_INTRA] = {"intra", DOCFIELD_REAL, 1e3, 1e18, AT(intra)},
    [KEY_INTER] = {"inter", DOCFIELD_REAL, 1e3, 1e18, AT(inter)},
    [KEY_NODE] = {"node", DOCFIELD_WHOLE, 1, 1 << 20, AT(node)},
    [KEY_ALPHA] = {"alpha", DOCFIELD_REAL, 0, 1, AT(alpha)},
    [KEY_MEMORY] = {"memory", DOCFIELD_GIB, 0, 0, AT(memory)},
    [KEY_POWER] = {"power", DOCFIELD_REAL, 1, 1e6, AT(power)},
    [KEY_GEMM_EFF] = {"eg", DOCFIELD_REAL, 1e-6, 1, AT(gemm_eff)},
    [KEY_ATTENTION_EFF] = {"ea", DOCFIELD_REAL, 1e-6, 1, AT(attention_eff)},
    [KEY_MEMORY_EFF] = {"em", DOCFIELD_REAL, 1e-6, 1, AT(memory_eff)},
    [KEY_LINK_EFF] = {"el", DOCFIELD_OWN, 0, 0, 0},
    [KEY_TILE_M] = {"tile_m", DOCFIELD_REAL, 1, 4096, AT(shapes.tile_m)},
    [KEY_TILE_N] = {"tile_n", DOCFIELD_REAL, 1, 4096, AT(shapes.tile_n)},
    [KEY_PROCESSORS] = {"processors", DOCFIELD_REAL, 1, 1000000.0, AT(shapes.processors)},
    [KEY_WAVE] = {"wave", DOCFIELD_REAL, 0, 1, AT(shapes.wave)},
    [KEY_HALF_K] = {"half_k", DOCFIELD_REAL, 0, 100000.0, AT(shapes.half_k)},
    [KEY_HALF_LENGTH] = {"half_length", DOCFIELD_REAL, 0, 1000000.0, AT(shapes.half_length)},
    [KEY_HALF_SIZE] = {"half_size", DOCFIELD_REAL, 0, 10000.0, AT(shapes.half_size)},
    [KEY_BACKWARD] = {"ea_backward", DOCFIELD_REAL, 0.05, 4, AT(shapes.backward)},
    [KEY_KERNEL] = {"kernel_start", DOCFIELD_REAL, 0, 0.01, AT(shapes.kernel)},
    [KEY_LAUNCH] = {"launch", DOCFIELD_REAL, 0, 0.01, AT(shapes.launch)},
    [KEY_SHARED] = {"el_shared", DOCFIELD_REAL, 0, 16, AT(shared_path)},
    [KEY_ACROSS] = {"el_nodes", DOCFIELD_OWN, 0, 0, 0},
    [KEY_LEVELS] = {"levels", DOCFIELD_OWN, 0, 0, 0},
    [KEY_FP8_EFF] = {"eg8", DOCFIELD_REAL, 1e-6, 1, AT(fp8_eff)},
    [KEY_FUSED_CE] = {"fused_ce", DOCFIELD_FLAG, 0, 1, AT(fused_ce)},
    [KEY_CALIBRATED] = {"calibrated", DOCFIELD_FLAG, 0, 1, AT(calibrated)},
    [KEY_HOST] = {"host", DOCFIELD_REAL, 1e3, 1e18, AT(host)},
};

static const struct docalias aliases[] = {
    {"npus_per_node", "node"}, {"gemm_eff", "eg"}, {"attention_eff", "ea"},
    {"memory_eff", "em"},      {"link_eff", "el"}, {"fp8_eff", "eg8"},
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

static bool by_name(struct hardware *hardware, const struct cJSON *item,
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

static bool read_text_name(struct hardware *hardware, const struct cJSON *item,
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
static bool require_all(const struct cJSON *object, const struct docitems *items,
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

static bool take_base(struct hardware *hardware, const struct cJSON *object,
                      const struct docitems *items, struct pps_fault *fault)
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
        hardware->peak_fp8 = 0;
        hardware->design_power = 0;
        hardware->base[0] = '\0';
        memcpy(hardware->name, "custom", sizeof "custom");
    }
    return true;
}

// Efficiencies are calibrated for the rates they were fitted with.
static bool is_changed(const struct docitems *items)
{
    for (int i = KEY_PEAK; i <= KEY_LEVELS; i++)
        if (i != KEY_MEMORY && items->item[i] != NULL)
            return true;
    return false;
}

static bool same_sizes(const struct hardware_sizes *a, const struct hardware_sizes *b)
{
    for (int i = 0; i < a->n && a->n == b->n; i++)
        if (a->at[i].size != b->at[i].size || a->at[i].value != b->at[i].value)
            return false;
    return a->n == b->n;
}

// Whether all rates and efficiencies are those of the record: what a step time depends on, besides
// the number of devices a node.
static bool same_rates(const struct hardware *a, const struct hardware *b)
{
    static const enum field rates[] = {
        KEY_PEAK,  KEY_PEAK_FP8, KEY_HBM,           KEY_INTRA,      KEY_INTER,   KEY_ALPHA,
        KEY_POWER, KEY_GEMM_EFF, KEY_ATTENTION_EFF, KEY_MEMORY_EFF, KEY_FP8_EFF, KEY_SHARED};
    for (int i = 0; i < COUNT_OF(rates); i++) {
        const size_t offset = fields[rates[i]].offset;
        if (memcmp((const char *)a + offset, (const char *)b + offset, sizeof(double)) != 0)
            return false;
    }
    if (memcmp(&a->shapes, &b->shapes, sizeof a->shapes) != 0)
        return false;
    return a->link_eff == b->link_eff && a->fp8 == b->fp8 &&
           same_sizes(&a->within, &b->within) && same_sizes(&a->across, &b->across) &&
           same_sizes(&a->levels, &b->levels);
}

// ---- values by size -------------------------------------------------------------------------

static bool is_pair(const struct cJSON *pair)
{
    const struct cJSON *size = pair->child, *value = size != NULL ? size->next : NULL;
    return cJSON_IsArray(pair) && cJSON_GetArraySize(pair) == 2 && cJSON_IsNumber(size) &&
           cJSON_IsNumber(value) && size->valuedouble >= 1 && size->valuedouble <= 1 << 20 &&
           size->valuedouble == (double)(int64_t)size->valuedouble && value->valuedouble > 0 &&
           value->valuedouble <= 1;
}

// A list of pairs, as in [[2, 0.7], [8, 0.4]].
static bool read_sizes(struct hardware_sizes *sizes, const struct cJSON *item,
                       struct pps_fault *fault)
{
    const struct cJSON *pair;
    sizes->n = 0;
    if (!cJSON_IsArray(item) || item->child == NULL)
        return pps_fault_set(fault, item, false,
                             "%s: expected a list of pairs, as in [[2, 0.7], [8, 0.4]]",
                             docfields_name(item));
    cJSON_ArrayForEach (pair, item) {
        const int64_t size = is_pair(pair) ? (int64_t)pair->child->valuedouble : 0;
        if (size == 0)
            return pps_fault_set(
                fault, pair, false,
                "%s: expected a pair of a whole size and a share of at most 1, as in [8, 0.4]",
                docfields_name(item));
        if (sizes->n == HARDWARE_SIZES)
            return pps_fault_set(fault, pair, false, "%s: more than %d pairs",
                                 docfields_name(item), HARDWARE_SIZES);
        if (sizes->n > 0 && sizes->at[sizes->n - 1].size >= size)
            return pps_fault_set(fault, pair, false, "%s: expected sizes in ascending order",
                                 docfields_name(item));
        sizes->at[sizes->n].size = size;
        sizes->at[sizes->n++].value = pair->child->next->valuedouble;
    }
    return true;
}

static bool read_link(struct hardware *hardware, const struct cJSON *item,
                      struct pps_fault *fault)
{
    const bool number = cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble <= 1;
    if (!number && !cJSON_IsArray(item))
        return pps_fault_set(fault, item, false,
                             "%s: expected a number above 0 and at most 1, or a list of pairs",
                             docfields_name(item));
    if (number) {
        hardware->link_eff = item->valuedouble;
        hardware->within.n = 0;
        return true;
    }
    return read_sizes(&hardware->within, item, fault);
}

// PCI Express up to generation 4: exchanges of NCCL within a node reach these shares of the rate of
// the slot (measured by MooreThreads, SimuMax, on A100 without NVLink). The share of all groups
// together fits the steps of the same machine with two and with four groups that span the node.
static void take_pcie(struct hardware *hardware, const struct docitems *items)
{
    if (items->item[KEY_INTRA] == NULL || items->item[KEY_LINK_EFF] != NULL ||
        hardware->intra > 32e9)
        return;
    hardware->within = (struct hardware_sizes){{{1, 0.69}, {8, 0.41}}, 2};
    if (items->item[KEY_SHARED] == NULL)
        hardware->shared_path = PCIE_SHARED;
}

static bool read_links(struct hardware *hardware, const struct docitems *items,
                       struct pps_fault *fault)
{
    const struct cJSON *link = items->item[KEY_LINK_EFF], *across = items->item[KEY_ACROSS];
    const struct cJSON *levels = items->item[KEY_LEVELS];
    take_pcie(hardware, items);
    return (link == NULL || read_link(hardware, link, fault)) &&
           (across == NULL || read_sizes(&hardware->across, across, fault)) &&
           (levels == NULL || read_sizes(&hardware->levels, levels, fault));
}

// A peak that is the peak of 8-bit products of the base stands for a training with these products;
// the efficiency of attention then is a share of this peak, too.
static void take_fp8_peak(struct hardware *hardware, const struct docitems *items)
{
    const struct hardware *base = hardware_find(hardware->base);
    if (base == NULL || items->item[KEY_PEAK] == NULL || base->peak_fp8 == 0 ||
        hardware->peak < 0.95 * base->peak_fp8)
        return;
    if (items->item[KEY_ATTENTION_EFF] != NULL)
        hardware->attention_eff *= hardware->peak / base->peak;
    if (items->item[KEY_PEAK_FP8] == NULL)
        hardware->peak_fp8 = hardware->peak;
    hardware->peak = base->peak;
    hardware->fp8 = true;
}

static bool by_object(struct hardware *hardware, const struct cJSON *object,
                      struct pps_fault *fault)
{
    struct docitems items;
    if (!docfields_find(&table, object, false, &items, fault) ||
        !take_base(hardware, object, &items, fault))
        return false;
    const struct hardware record = *hardware;
    if (items.item[KEY_POWER] != NULL && record.design_power == 0)
        return pps_fault_set(fault, items.item[KEY_POWER], true,
                             "power: the designed power of %s is unknown, so a limit says "
                             "nothing; give lower efficiencies",
                             record.name);
    if (is_changed(&items))
        hardware->calibrated = false;
    if (items.item[KEY_NAME] != NULL && !read_text_name(hardware, items.item[KEY_NAME], fault))
        return false;
    if (!docfields_store(&table, &items, hardware, fault) ||
        !read_links(hardware, &items, fault))
        return false;
    take_fp8_peak(hardware, &items);
    hardware->changed = !same_rates(hardware, &record);
    return true;
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

// ---- a record as an object ------------------------------------------------------------------

static bool add_sizes(cJSON *object, const char *key, const struct hardware_sizes *sizes)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (int i = 0; i < sizes->n && list != NULL; i++) {
        const double pair[] = {(double)sizes->at[i].size, sizes->at[i].value};
        cJSON *item = cJSON_CreateDoubleArray(pair, 2);
        if (item == NULL || !cJSON_AddItemToArray(list, item))
            return false;
    }
    return list != NULL;
}

// With a table of efficiencies within nodes, those across nodes need one, too, if they differ from
// those of the base.
static bool add_links(cJSON *object, const struct hardware *hardware,
                      const struct hardware *base)
{
    const bool within = hardware->within.n > 0;
    struct hardware_sizes across = hardware->across;
    if (within && across.n == 0 && (base == NULL || hardware->link_eff != base->link_eff))
        across = (struct hardware_sizes){{{1, hardware->link_eff}}, 1};
    if (within ? !add_sizes(object, "el", &hardware->within)
               : cJSON_AddNumberToObject(object, "el", hardware->link_eff) == NULL)
        return false;
    return (across.n == 0 || add_sizes(object, "el_nodes", &across)) &&
           (hardware->levels.n == 0 || add_sizes(object, "levels", &hardware->levels));
}

static const struct hardware *base_of(const struct hardware *hardware)
{
    const struct hardware *record = hardware_find(hardware->name);
    return record != NULL ? record : hardware_find(hardware->base);
}

struct cJSON *hardware_document(const struct hardware *hardware)
{
    const struct hardware *base = base_of(hardware);
    struct hardware copy = *hardware,
                    other = {.alpha = -1}; // without a base 0 need not be said
    if (copy.fp8) {                        // undoes take_fp8_peak
        copy.attention_eff *= copy.peak / copy.peak_fp8;
        copy.peak = copy.peak_fp8;
    }
    if (base != NULL)
        other = *base;
    other.calibrated = !copy.calibrated; // is said always: changed figures set it to false
    cJSON *object = cJSON_CreateObject();
    if (object == NULL || cJSON_AddStringToObject(object, "name", copy.name) == NULL ||
        (base != NULL && cJSON_AddStringToObject(object, "base", base->name) == NULL) ||
        !docfields_add(&table, &copy, &other, object) || !add_links(object, &copy, base)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}
