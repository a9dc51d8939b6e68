// SPDX-License-Identifier: Apache-2.0
// Kernel tables: the built-in kernels are valid, and each mistake is found. A check that accepts
// everything fails here.
#include "engine/kernels/kernel_list.h"
#include "engine/space/value.h"
#include "kernels/registry.h"

#include <criterion/criterion.h>
#include <string.h>

Test(kernel_table, built_in_kernels_are_valid)
{
    char fault[256] = "";
    cr_assert_neq(pps_kernels[0], NULL);
    for (int k = 0; pps_kernels[k] != NULL; k++)
        cr_expect(pps_kernel_table_valid(pps_kernels[k], fault, sizeof fault), "%s: %s",
                  pps_kernels[k]->name, fault);
}

// Catches a timeline whose end has the name of no column, and loads without their tracks.
Test(kernel_table, mistakes_of_timelines_are_found)
{
    static const char *const faults[] = {"no column", "load_of", "load_of"};
    const struct pps_kernel *good = pps_kernels_find(pps_kernels, "contention");
    struct pps_trace_names names[3];
    for (int i = 0; i < 3; i++) {
        struct pps_kernel bad = *good;
        char fault[256] = "";
        names[i] = *good->trace_names;
        names[i].end = i == 0 ? "nothing" : names[i].end;
        names[i].loads = i == 1 ? NULL : names[i].loads;
        names[i].load_of = i == 2 ? NULL : names[i].load_of;
        bad.trace_names = &names[i];
        cr_expect(!pps_kernel_table_valid(&bad, fault, sizeof fault), "%d", i);
        cr_expect_neq(strstr(fault, faults[i]), NULL, "%d: %s", i, fault);
    }
}

Test(kernel_table, mistakes_are_found)
{
    const struct pps_kernel *good = pps_kernels_find(pps_kernels, "contention");
    struct pps_column text_first[64], twin[64];
    struct pps_param far[64], seeds[64];
    memcpy(text_first, good->columns, (size_t)good->n_columns * sizeof *text_first);
    memcpy(twin, good->columns, (size_t)good->n_columns * sizeof *twin);
    memcpy(far, good->params, (size_t)good->n_params * sizeof *far);
    text_first[0].kind = PPS_COLUMN_TEXT;
    text_first[0].text_max = 8;
    twin[1].name = good->params[0].name;
    far[0].fallback = -5;
    struct pps_kernel bad[12];
    for (int i = 0; i < 12; i++)
        bad[i] = *good;
    bad[0].name = "No";
    bad[1].version = "";
    bad[2].n_params = 0;
    bad[3].columns = text_first;
    bad[4].columns = twin;
    bad[5].params = far;
    bad[6].heatmap.x = "nothing";
    bad[7].run = NULL;
    bad[8].tolerance = -1;
    static const struct pps_artifact wrong_ending[] = {{"order", "", "csv"},
                                                       {NULL, NULL, NULL}};
    memcpy(seeds, good->params, (size_t)good->n_params * sizeof *seeds);
    seeds[1].name = "seed";
    seeds[1].kind = PPS_REAL;
    bad[9].artifacts = wrong_ending;
    bad[10].artifacts = &wrong_ending[1];
    bad[11].params = seeds;
    static const char *const faults[] = {
        "its name", "version",  "parameters", "first column", "two parameters", "default",
        "nothing",  "required", "tolerance",  "ending",       "needs artifact", "seed"};
    for (int i = 0; i < 12; i++) {
        char fault[256] = "";
        cr_expect(!pps_kernel_table_valid(&bad[i], fault, sizeof fault), "%d", i);
        cr_expect_neq(strstr(fault, faults[i]), NULL, "%d: %s", i, fault);
    }
}
