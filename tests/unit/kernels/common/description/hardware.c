// SPDX-License-Identifier: Apache-2.0
// Devices and clusters: the built-in records, objects that change them, and faults.
#include "tests/unit/support/documents.h"

#include "base/math/units.h"
#include "kernels/common/description/hardware.h"
#include "kernels/common/pipeline/collectives.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static struct hardware device_of(const char *text)
{
    struct pps_json json = document_of(text);
    struct hardware hardware;
    struct pps_fault fault;
    cr_assert(hardware_read(&hardware, pps_json_member(json.root, "hardware"), &fault),
              "%s: %s", text, fault.text);
    pps_json_free(&json);
    return hardware;
}

static struct cluster cluster_of(const char *text)
{
    struct pps_json json = document_of(text);
    struct cluster cluster;
    struct pps_fault fault;
    cr_assert(cluster_read(&cluster, json.root, &fault), "%s: %s", text, fault.text);
    pps_json_free(&json);
    return cluster;
}

Test(hardware, names)
{
    static const char *const rows[][2] = {
        {"A100", "A100"},
        {"a100", "A100"},
        {"A100-80", "A100"},
        {"a100 80gb", "A100"},
        {"h100", "H100"},
        {"H100-80GB", "H100"},
        {"h200", "H200"},
        {"b200", "B200"},
        {"910B", "Ascend910B"},
        {"Ascend 910B", "Ascend910B"},
        {"ascend-910b", "Ascend910B"},
    };
    static const char *const none[] = {"", "-", "A10", "A1000", "H", "910"};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct hardware *found = hardware_find(rows[i][0]);
        cr_assert(found != NULL && strcmp(found->name, rows[i][1]) == 0, "%s", rows[i][0]);
    }
    for (size_t i = 0; i < COUNT_OF(none); i++)
        cr_assert_null(hardware_find(none[i]), "%s", none[i]);
}

// Figures of the table that the published step times were fitted with.
Test(hardware, records)
{
    const struct hardware *a100 = hardware_find("A100"), *h100 = hardware_find("H100"),
                          *b200 = hardware_find("B200");
    cr_assert(a100->peak == 312e12 && a100->hbm == 2.039e12 && a100->intra == 300e9);
    cr_assert(a100->gemm_eff == 0.78 && a100->attention_eff == 0.55 && !a100->fused_ce);
    cr_assert(h100->peak == 989e12 && h100->hbm == 3.35e12 && h100->inter == 50e9);
    cr_assert(h100->gemm_eff == 0.62 && h100->attention_eff == 0.43 && !h100->fused_ce);
    cr_assert(b200->peak == 2250e12 && b200->intra == 900e9 && b200->memory_eff == 0.61);
    cr_assert(b200->fused_ce && b200->calibrated && a100->calibrated && h100->calibrated);
    cr_assert(!hardware_find("H200")->calibrated && hardware_find("910B")->calibrated);
    int n;
    const struct hardware *all = hardware_all(&n);
    cr_assert_eq(n, 16);
    for (int i = 0; i < n; i++) {
        cr_assert_not_null(hardware_find(all[i].base));
        cr_assert(all[i].node >= 8 && all[i].alpha == 8e-6);
        cr_assert(all[i].link_eff == (strstr(all[i].name, "Ascend") != NULL ? 0.55 : 0.8));
        cr_assert(all[i].memory >= 40 * UNITS_GIB && all[i].hbm > all[i].intra);
        cr_assert_eq(hardware_find(all[i].name), &all[i]);
    }
}

Test(hardware, objects)
{
    struct hardware hw = device_of("{'hardware':'a100-80'}");
    cr_assert_str_eq(hw.name, "A100");
    hw = device_of("{'hardware':{'base':'A100','hbm':1.5e12,'memory':'40GB'}}");
    cr_assert(hw.hbm == 1.5e12 && hw.peak == 312e12 && hw.memory == 40 * UNITS_GIB);
    cr_assert_not(hw.calibrated); // fitted with another rate
    cr_assert_not(device_of("{'hardware':{'base':'A100','el_shared':0.5}}").calibrated);
    cr_assert_not(device_of("{'hardware':{'base':'A100','el_nodes':[[2,0.5]]}}").calibrated);
    cr_assert_not(device_of("{'hardware':{'base':'A100','levels':[[64,0.5]]}}").calibrated);
    hw = device_of("{'hardware':{'base':'A100','memory':40}}");
    cr_assert(hw.calibrated && hw.memory == 40 * UNITS_GIB);
    hw = device_of("{'hardware':{'name':'h100','eg':0.7,'calibrated':true}}");
    cr_assert(hw.gemm_eff == 0.7 && hw.attention_eff == 0.43 && hw.calibrated);
    cr_assert_str_eq(hw.name, "h100");
    hw =
        device_of("{'hardware':{'name':'mine','peak':1e15,'hbm':1e12,'intra':2e11,'inter':1e10,"
                  "'node':4,'alpha':1e-6,'ea':0.3,'em':0.5,'el':0.6,'fused_ce':1}}");
    cr_assert(hw.peak == 1e15 && hw.node == 4 && hw.alpha == 1e-6 && hw.gemm_eff == 0.62);
    cr_assert(hw.attention_eff == 0.3 && hw.memory_eff == 0.5 && hw.link_eff == 0.6);
    cr_assert(hw.fused_ce && hw.memory == 0 && !hw.calibrated);
    hw = device_of("{'hardware':{'peak':1e15,'hbm':1e12,'intra':2e11,'inter':1e10}}");
    cr_assert_str_eq(hw.name, "custom");
}

static bool same_sizes(const struct hardware_sizes *a, const struct hardware_sizes *b)
{
    return a->n == b->n && memcmp(a->at, b->at, (size_t)a->n * sizeof *a->at) == 0;
}

static void expect_same(const struct hardware *a, const struct hardware *b, const char *text)
{
    cr_expect_str_eq(a->name, b->name, "%s", text);
    cr_expect_str_eq(a->base, b->base, "%s", text);
    cr_expect(a->peak == b->peak && a->peak_fp8 == b->peak_fp8 && a->hbm == b->hbm &&
                  a->intra == b->intra && a->inter == b->inter && a->node == b->node &&
                  a->alpha == b->alpha && a->power == b->power && a->memory == b->memory,
              "%s", text);
    cr_expect(a->gemm_eff == b->gemm_eff && a->memory_eff == b->memory_eff &&
                  a->link_eff == b->link_eff && a->fp8_eff == b->fp8_eff &&
                  a->shared_path == b->shared_path,
              "%s", text);
    cr_expect_float_eq(a->attention_eff, b->attention_eff, 1e-12, "%s", text);
    cr_expect(same_sizes(&a->within, &b->within) && same_sizes(&a->across, &b->across) &&
                  same_sizes(&a->levels, &b->levels),
              "%s", text);
    cr_expect(a->fp8 == b->fp8 && a->fused_ce == b->fused_ce && a->calibrated == b->calibrated,
              "%s", text);
}

// Catches a written record that cannot be read back, or that loses figures.
Test(hardware, documents_are_read_back)
{
    static const char *const texts[] = {
        "'A100'",
        "'H200'",
        "{'name':'my h100','base':'H100','hbm':2.4e12,'intra':2e11,'eg':0.7}",
        "{'base':'A100','intra':2.5e10,'calibrated':true}",
        "{'base':'A100','intra':2.5e10,'el':[[2,0.7],[8,0.4]],'el_nodes':[[2,0.6]]}",
        "{'base':'H200','levels':[[256,0.5]],'el':0.7,'node':4,'memory':'100GB'}",
        "{'base':'H100','peak':1979e12,'ea':0.3}",
        "{'name':'mine','peak':1e15,'hbm':1e12,'intra':2e11,'inter':1e10,'node':4,'alpha':0}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[256];
        snprintf(text, sizeof text, "{'hardware':%s}", texts[i]);
        const struct hardware hw = device_of(text);
        struct hardware again;
        struct pps_fault fault = {.text = ""};
        cJSON *document = hardware_document(&hw);
        cr_assert_not_null(document);
        cr_assert(hardware_read(&again, document, &fault), "%s: %s", texts[i], fault.text);
        cJSON_Delete(document);
        expect_same(&hw, &again, texts[i]);
    }
}

Test(hardware, clusters)
{
    struct cluster c = cluster_of("{'world_size':12}");
    cr_assert(c.world_size == 12 && c.node_devices == 8 && c.hardware.node == 8);
    cr_assert(c.memory_limit == 58 * UNITS_GIB && c.reserve == 0);
    cr_assert_str_eq(c.hardware.name, "H100");
    c = cluster_of("{'nnodes':3}");
    cr_assert_eq(c.world_size, 24);
    c = cluster_of("{'npus_per_node':4}");
    cr_assert(c.world_size == 4 && c.node_devices == 4 && c.hardware.node == 4);
    c = cluster_of("{'nnodes':3,'gpus_per_node':4,'world_size':12,'hardware':'B200'}");
    cr_assert(c.world_size == 12 && c.node_devices == 4 && c.hardware.peak == 2250e12);
    c = cluster_of("{'world_size':144,'hardware':{'base':'B200','node':72}}");
    cr_assert(c.node_devices == 72 && c.hardware.node == 72);
    c = cluster_of("{'world_size':8,'max_device_memory':'55GB','memory_reserve_mb':2048}");
    cr_assert(c.memory_limit == 55 * UNITS_GIB && c.reserve == 2 * UNITS_GIB);
}

Test(hardware, memory)
{
    static const struct {
        const char *text;
        double gib;
    } rows[] = {{"55", 55},       {"'55GB'", 55},       {"'55'", 55},
                {"'55 GiB'", 55}, {"'55g'", 55},        {"55.5", 55.5},
                {"'.5gb'", 0.5},  {"'55.25Gb'", 55.25}, {"'1048576GB'", 1048576}};
    static const char *const bad[] = {"0",
                                      "-1",
                                      "1e9",
                                      "''",
                                      "'GB'",
                                      "'55MB'",
                                      "'55TB'",
                                      "'5.5.5GB'",
                                      "'-5GB'",
                                      "'5e1'",
                                      "'55GB '",
                                      "' 55GB'",
                                      "'0GB'",
                                      "true",
                                      "[55]",
                                      "'1048577GB'",
                                      "'1234567890123456789GB'",
                                      "'55GGGGGGGGGGB'",
                                      "'.'"};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[128];
        snprintf(text, sizeof text, "{'world_size':8,'max_device_memory':%s}", rows[i].text);
        cr_assert_eq(cluster_of(text).memory_limit, rows[i].gib * UNITS_GIB, "%s", text);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        char text[128];
        struct cluster cluster;
        struct pps_fault fault;
        snprintf(text, sizeof text, "{'world_size':8,'max_device_memory':%s}", bad[i]);
        struct pps_json json = document_of(text);
        cr_assert_not(cluster_read(&cluster, json.root, &fault), "%s", text);
        cr_assert_str_eq(fault.text,
                         "max_device_memory: expected a number of GiB above 0, or the "
                         "same as in \"55GB\"");
        cr_assert_eq(fault.item, pps_json_member(json.root, "max_device_memory"));
        pps_json_free(&json);
    }
}

Test(hardware, faults)
{
    static const char *const rows[][2] = {
        {"{}", "world_size: missing; give the number of devices"},
        {"{'max_device_memory':'55GB'}", "world_size: missing; give the number of devices"},
        {"{'world_size':0}", "world_size: expected a whole number 1 ... 1048576"},
        {"{'world_size':'8'}", "world_size: expected a whole number 1 ... 1048576"},
        {"{'world_size':8,'nnodes':2}", "world_size: 2 nodes of 8 devices are 16 devices"},
        {"{'nnodes':1048576}", "nnodes: 8388608 devices are more than 1048576"},
        {"{'world_size':8,'memory_reserve_mb':-1}",
         "memory_reserve_mb: expected a number 0 ... 1e+09"},
        {"{'world_size':8,'memory_reserve_mb':59392}",
         "memory_reserve_mb: leaves nothing of max_device_memory, 59392 MiB"},
        {"{'word_size':8}",
         "word_size: there is no such key in a cluster; did you mean world_size?"},
        {"{'world_size':8,'hardware':3}",
         "hardware: expected the name of a device, or an object that describes one"},
        {"{'world_size':8,'hardware':'V100'}",
         "hardware: no device called \"V100\" is known; "
         "expected A100, Ascend910B, H100, H800, H200, "
         "B200, GB200, B300, GB300, A100-40, A800, H20, MI300X, MI325X, MI355X, Ascend910C, "
         "or an object that describes it"},
        {"{'world_size':8,'hardware':{'base':'V100'}}",
         "base: no device called \"V100\" is known; expected A100, Ascend910B, H100, H800, "
         "H200, B200, GB200, B300, GB300, A100-40, A800, H20, MI300X, MI325X, MI355X, "
         "Ascend910C, or "
         "an object that describes it"},
        {"{'world_size':8,'hardware':{'base':1}}", "base: expected the name of a known device"},
        {"{'world_size':8,'hardware':{'peak':1e15,'hbm':1e12,'inter':1e9}}",
         "intra: missing; say it, or name a known device as \"base\""},
        {"{'world_size':8,'hardware':{'base':'H100','peak':0}}",
         "peak: expected a number 1e+06 ... 1e+21"},
        {"{'world_size':8,'hardware':{'base':'H100','eg':1.1}}",
         "eg: expected a number 1e-06 ... 1"},
        {"{'world_size':8,'hardware':{'base':'H100','el':0}}",
         "el: expected a number above 0 and at most 1, or a list of pairs"},
        {"{'world_size':8,'hardware':{'base':'H100','node':0}}",
         "node: expected a whole number 1 ... 1048576"},
        {"{'world_size':8,'hardware':{'base':'H100','name':''}}",
         "name: expected text of 1 ... 31 bytes"},
        {"{'world_size':8,'hardware':{'base':'H100','peek':1}}",
         "peek: there is no such key in a device; did you mean peak?"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pps_json json = document_of(rows[i][0]);
        struct cluster cluster;
        struct pps_fault fault;
        cr_assert_not(cluster_read(&cluster, json.root, &fault), "%s", rows[i][0]);
        cr_assert_str_eq(fault.text, rows[i][1], "%s: %s", rows[i][0], fault.text);
        pps_json_free(&json);
    }
}

// Links by the size of a group, levels of the network, and the peak of 8-bit products.
Test(hardware, tables_of_links)
{
    struct hardware hw = device_of("{'hardware':{'base':'H100','el':[[2,0.7],[8,0.4]],"
                                   "'el_nodes':[[2,0.9],[16,0.5]],'levels':[[512,0.25]]}}");
    cr_assert_float_eq(hardware_link_rate(&hw, 4, 1), 450e9 * 0.7, 1);
    cr_assert_float_eq(hardware_link_rate(&hw, 8, 1), 450e9 * 0.4, 1);
    cr_assert_float_eq(hardware_link_rate(&hw, 2, 4), 450e9 * 0.4, 1); // spans the node
    cr_assert_float_eq(hardware_link_rate(&hw, 2, 8), 50e9 * 0.9, 1);
    cr_assert_float_eq(hardware_link_rate(&hw, 16, 8), 50e9 * 0.5, 1);
    cr_assert_float_eq(hardware_link_rate(&hw, 64, 8), 50e9 * 0.5 * 0.25, 1);
    hw = device_of("{'hardware':{'base':'A100','intra':25e9}}"); // PCI Express
    cr_assert_float_eq(hardware_link_rate(&hw, 2, 1), 25e9 * 0.69, 1);
    cr_assert_float_eq(hardware_link_rate(&hw, 8, 1), 25e9 * 0.41, 1);
    // Two and four groups that span the node share the path between its halves.
    cr_assert_float_eq(hardware_link_rate(&hw, 4, 2), 25e9 * 0.65 / 2, 1);
    cr_assert_float_eq(hardware_link_rate(&hw, 2, 4), 25e9 * 0.65 / 4, 1);
    cr_assert_float_eq(hardware_link_rate(&hw, 2, 2), 25e9 * 0.69, 1); // spans half of the node
    hw = device_of("{'hardware':{'base':'A100','intra':25e9,'el_shared':1}}");
    cr_assert_float_eq(hardware_link_rate(&hw, 2, 4), 25e9 / 4, 1);
    hw = device_of("{'hardware':{'base':'A100','intra':25e9,'el':0.8}}");
    cr_assert_float_eq(hardware_link_rate(&hw, 8, 1), 25e9 * 0.8, 1);
    hw = device_of("{'hardware':{'base':'H100','peak':1979e12,'ea':0.2}}");
    cr_assert(hw.fp8 && hw.peak == 989e12 && hw.peak_fp8 == 1979e12);
    cr_assert_float_eq(hw.attention_eff, 0.2 * 1979 / 989, 1e-12);
    hw = device_of("{'hardware':{'base':'H100','power':350}}");
    cr_assert_float_eq(hardware_power_share(&hw), 0.5, 1e-12);
    cr_assert_float_eq(hardware_power_share(hardware_find("H100")), 1, 0);
}

Test(hardware, faults_of_tables)
{
    static const char *const rows[][2] = {
        {"{'world_size':8,'hardware':{'base':'910B','power':100}}",
         "power: the designed power of Ascend910B is unknown"},
        {"{'world_size':8,'hardware':{'peak':1e15,'hbm':1e12,'intra':2e11,'inter':1e10,"
         "'power':350}}",
         "power: the designed power of custom is unknown"},
        {"{'world_size':8,'hardware':{'base':'H100','el':[]}}", "el: expected a list of pairs"},
        {"{'world_size':8,'hardware':{'base':'H100','levels':[[1.5,0.5]]}}",
         "levels: expected a pair of a whole size"},
        {"{'world_size':8,'hardware':{'base':'H100','el':[2,0.7]}}", "el: expected a pair"},
        {"{'world_size':8,'hardware':{'base':'H100','el':[[8,0.7],[2,0.5]]}}",
         "el: expected sizes in ascending order"},
        {"{'world_size':8,'hardware':{'base':'H100','levels':0.5}}",
         "levels: expected a list of pairs"},
        {"{'world_size':8,'hardware':{'base':'H100','el_nodes':[[2,1.5]]}}",
         "el_nodes: expected a pair"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pps_json json = document_of(rows[i][0]);
        struct cluster cluster;
        struct pps_fault fault;
        cr_assert_not(cluster_read(&cluster, json.root, &fault), "%s", rows[i][0]);
        cr_assert(strstr(fault.text, rows[i][1]) != NULL, "%s: %s", rows[i][0], fault.text);
        pps_json_free(&json);
    }
}
