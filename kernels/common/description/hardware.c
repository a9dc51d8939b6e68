// SPDX-License-Identifier: Apache-2.0
// Built-in records of devices. Peaks, memory and links are the makers' published figures; the
// efficiencies of A100, H100, B200, GB200 and Ascend 910B are fitted on published step times
// (docs/ndsearch-measurements.md) as those of a well-tuned software stack; other devices have the
// efficiencies of the nearest of these devices, and `calibrated` is false.
#include "kernels/common/description/hardware.h"

#include "base/math/units.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

// Efficiencies of a generation of devices: docs/ndsearch-measurements.md has the fit.
#define HOPPER                                                                                 \
    .gemm_eff = 0.62, .fp8_eff = 0.58, .attention_eff = 0.43, .memory_eff = 0.78,              \
    .link_eff = 0.80
// Products of B200 and GB200 are slowed down by power: both reach the same share of their peaks, at about 0.9 W for each
// TFLOP/s that they reach. What has more power for the same peak reaches more of it.
#define BLACKWELL(power)                                                                       \
    .gemm_eff = 0.52 * (power), .fp8_eff = 0.58 * (power), .attention_eff = 0.44 * (power),    \
    .memory_eff = 0.61, .link_eff = 0.80

#define ASCEND .gemm_eff = 0.59, .attention_eff = 0.38, .memory_eff = 0.38, .link_eff = 0.55
#define AMPERE .gemm_eff = 0.78, .attention_eff = 0.55, .memory_eff = 0.80, .link_eff = 0.80

// Memory is nominal: what the maker calls GB, as GiB. Hosts are at the end of 16 lanes of PCIe: 32 GB/s of the fourth
// generation, 64 of the fifth; a Grace has NVLink of 900 GB/s both ways to two devices.
static const struct hardware records[] = {
    // NVIDIA A100 80GB SXM datasheet: 312 TFLOPS, 2,039 GB/s, NVLink 600 GB/s both ways; one
    // 200 Gb/s adapter a device.
    {"A100", .base = "A100", .design_power = 400, .peak = 312e12, .hbm = 2.039e12,
     .intra = 300e9, .inter = 25e9, .node = 8, .alpha = 8e-6, .host = 32e9,
     .memory = 80 * UNITS_GIB, AMPERE, .calibrated = true},
    // Huawei Ascend 910B: Atlas 800T A2 white paper, 376 TFLOPS in half precision (a smaller
    // variant has 313), 64 GB at 1.6 TB/s, seven HCCS links of 56 GB/s both ways within a node, one
    // 200 Gb/s adapter a device. Efficiencies fitted to the table of MindSpeed-LLM.
    {"Ascend910B", .base = "Ascend910B", .peak = 376e12, .hbm = 1.6e12, .intra = 196e9,
     .inter = 25e9, .node = 8, .alpha = 8e-6, .host = 32e9, .memory = 64 * UNITS_GIB, ASCEND,
     .calibrated = true},
    // NVIDIA H100 SXM datasheet: 989 TFLOPS dense, 3.35 TB/s, NVLink 900 GB/s both ways; one
    // 400 Gb/s adapter a device.
    {"H100", .base = "H100", .design_power = 700, .peak = 989e12, .hbm = 3.35e12,
     .intra = 450e9, .inter = 50e9, .node = 8, .alpha = 8e-6, .host = 64e9,
     .memory = 80 * UNITS_GIB, .peak_fp8 = 1979e12, HOPPER, .calibrated = true},
    // NVIDIA H800: H100 with NVLink of 400 GB/s both ways (DeepSeek-AI, "DeepSeek-V3", 2024, 3.1).
    // Efficiencies inherited from H100.
    {"H800", .base = "H100", .design_power = 700, .peak = 989e12, .hbm = 3.35e12,
     .intra = 200e9, .inter = 50e9, .node = 8, .alpha = 8e-6, .host = 64e9,
     .memory = 80 * UNITS_GIB, .peak_fp8 = 1979e12, HOPPER},
    // NVIDIA H200 SXM datasheet: H100 with 141 GB at 4.8 TB/s. Efficiencies inherited from H100.
    {"H200", .base = "H100", .design_power = 700, .peak = 989e12, .hbm = 4.8e12, .intra = 450e9,
     .inter = 50e9, .node = 8, .alpha = 8e-6, .host = 64e9, .memory = 141 * UNITS_GIB,
     .peak_fp8 = 1979e12, HOPPER},
    // NVIDIA DGX B200 datasheet: 18 PFLOPS dense, 1,440 GB at 64 TB/s, NVLink 14.4 TB/s both ways,
    // eight devices; one 400 Gb/s adapter a device.
    {"B200", .base = "B200", .design_power = 1000, .peak = 2250e12, .hbm = 8e12, .intra = 900e9,
     .inter = 50e9, .node = 8, .alpha = 8e-6, .host = 64e9, .memory = 180 * UNITS_GIB,
     .peak_fp8 = 4500e12, BLACKWELL(1.0), .fused_ce = true, .calibrated = true},
    // NVIDIA GB200 NVL72 datasheet: 360 PFLOPS of FP8 without sparsity and 576 TB/s on 72 devices, one
    // NVLink domain; clocks are higher than those of B200. Allocations are of 64 devices.
    {"GB200", .base = "B200", .design_power = 1200, .peak = 2500e12, .peak_fp8 = 5000e12,
     .hbm = 8e12, .intra = 900e9, .inter = 50e9, .node = 64, .alpha = 8e-6, .host = 225e9,
     .memory = 186 * UNITS_GIB, BLACKWELL(1.0), .fused_ce = true, .calibrated = true},
    // NVIDIA DGX B300 datasheet: 288 GB at 8 TB/s a device; 16-bit rates of B200, one 800 Gb/s
    // adapter a device.
    {"B300", .base = "B200", .design_power = 1100, .peak = 2250e12, .peak_fp8 = 4500e12,
     .hbm = 8e12, .intra = 900e9, .inter = 100e9, .node = 8, .alpha = 8e-6, .host = 64e9,
     .memory = 288 * UNITS_GIB, BLACKWELL(1.1), .fused_ce = true},
    // NVIDIA GB300 NVL72 datasheet: GB200 with 288 GB a device and 800 Gb/s adapters.
    {"GB300", .base = "B200", .design_power = 1400, .peak = 2500e12, .peak_fp8 = 5000e12,
     .hbm = 8e12, .intra = 900e9, .inter = 100e9, .node = 64, .alpha = 8e-6, .host = 225e9,
     .memory = 288 * UNITS_GIB, BLACKWELL(1400.0 / 1200), .fused_ce = true},
    // NVIDIA A100 40GB SXM datasheet: A100 with 40 GB at 1,555 GB/s.
    {"A100-40", .base = "A100", .design_power = 400, .peak = 312e12, .hbm = 1.555e12,
     .intra = 300e9, .inter = 25e9, .node = 8, .alpha = 8e-6, .host = 32e9,
     .memory = 40 * UNITS_GIB, AMPERE},
    // NVIDIA A800 80GB: A100 with NVLink of 400 GB/s both ways.
    {"A800", .base = "A100", .design_power = 400, .peak = 312e12, .hbm = 2.039e12,
     .intra = 200e9, .inter = 25e9, .node = 8, .alpha = 8e-6, .host = 32e9,
     .memory = 80 * UNITS_GIB, AMPERE},
    // NVIDIA H20: 148 TFLOPS dense, 296 in 8 bits, 96 GB at 4.0 TB/s, NVLink 900 GB/s both ways.
    {"H20", .base = "H100", .peak = 148e12, .hbm = 4e12, .intra = 450e9, .inter = 50e9,
     .node = 8, .alpha = 8e-6, .host = 64e9, .memory = 96 * UNITS_GIB, HOPPER,
     .peak_fp8 = 296e12},
    // AMD Instinct MI300X data sheet: 1,307.4 TFLOPS dense, 2,614.9 in 8 bits, 192 GB at 5.3 TB/s,
    // seven Infinity Fabric links of 128 GB/s both ways; one 400 Gb/s adapter a device.
    {"MI300X", .base = "H100", .peak = 1307.4e12, .hbm = 5.3e12, .intra = 448e9, .inter = 50e9,
     .node = 8, .alpha = 8e-6, .host = 64e9, .memory = 192 * UNITS_GIB, HOPPER,
     .peak_fp8 = 2614.9e12},
    // AMD Instinct MI325X data sheet: MI300X with 256 GB at 6 TB/s.
    {"MI325X", .base = "H100", .peak = 1307.4e12, .hbm = 6e12, .intra = 448e9, .inter = 50e9,
     .node = 8, .alpha = 8e-6, .host = 64e9, .memory = 256 * UNITS_GIB, HOPPER,
     .peak_fp8 = 2614.9e12},
    // AMD Instinct MI355X data sheet: 2.5 PFLOPS dense, 5 in 8 bits, 288 GB at 8 TB/s, seven Infinity
    // Fabric links of 153.6 GB/s both ways; one 400 Gb/s adapter a device.
    {"MI355X", .base = "B200", .peak = 2516e12, .peak_fp8 = 5033e12, .hbm = 8e12,
     .intra = 537.6e9, .inter = 50e9, .node = 8, .alpha = 8e-6, .host = 64e9,
     .memory = 288 * UNITS_GIB, BLACKWELL(1.0)},
    // Huawei Ascend 910C in CloudMatrix384 (Zuo et al., "Serving Large Language Models on Huawei
    // CloudMatrix384", 2025, section 3): two dies, 752 TFLOPS, 128 GB at 3.2 TB/s, 392 GB/s to all of 384
    // devices, 400 Gb/s beyond.
    {"Ascend910C", .base = "Ascend910B", .peak = 752e12, .hbm = 3.2e12, .intra = 392e9,
     .inter = 50e9, .node = 384, .alpha = 8e-6, .host = 64e9, .memory = 128 * UNITS_GIB,
     ASCEND},
};

enum { N_RECORDS = sizeof records / sizeof *records };

const struct hardware *hardware_all(int *n)
{
    *n = N_RECORDS;
    return records;
}

double hardware_power_share(const struct hardware *hardware)
{
    const double power = hardware->power, design = hardware->design_power;
    return power > 0 && power < design ? power / design : 1;
}

// ---- by name --------------------------------------------------------------------------------

static const struct {
    const char *alias, *name;
} aliases[] = {
    {"A100-80", "A100"},           {"A100-80GB", "A100"},      {"A100-SXM", "A100"},
    {"A100-SXM4-80GB", "A100"},    {"H100-80", "H100"},        {"H100-80GB", "H100"},
    {"H100-SXM", "H100"},          {"H100-SXM5-80GB", "H100"}, {"H200-141", "H200"},
    {"H200-SXM", "H200"},          {"B200-180", "B200"},       {"B200-SXM", "B200"},
    {"GB200-NVL72", "GB200"},      {"GB300-NVL72", "GB300"},   {"B300-288", "B300"},
    {"910B", "Ascend910B"},        {"910C", "Ascend910C"},     {"A100-40GB", "A100-40"},
    {"A100-SXM4-40GB", "A100-40"}, {"A800-80GB", "A800"},      {"H20-96GB", "H20"},
    {"Ascend-910B", "Ascend910B"},
};

// The next letter or digit in small letters; 0 at the end.
static int next_sign(const char **text)
{
    while (**text != '\0' && !isalnum((unsigned char)**text))
        (*text)++;
    return **text == '\0' ? 0 : tolower((unsigned char)*(*text)++);
}

// Case, spaces, dashes and the like count nothing.
static bool same_device(const char *a, const char *b)
{
    for (;;) {
        const int x = next_sign(&a), y = next_sign(&b);
        if (x != y)
            return false;
        if (x == 0)
            return true;
    }
}

static const struct hardware *record_of(const char *name)
{
    for (int i = 0; i < N_RECORDS; i++)
        if (same_device(records[i].name, name))
            return &records[i];
    return NULL;
}

const struct hardware *hardware_find(const char *name)
{
    const struct hardware *found = record_of(name);
    for (size_t a = 0; found == NULL && a < sizeof aliases / sizeof *aliases; a++)
        if (same_device(aliases[a].alias, name))
            found = record_of(aliases[a].name);
    return found;
}
