// SPDX-License-Identifier: Apache-2.0
// An allocation that fails is noted wherever it happens, and then nothing incomplete is passed on.
#include "base/document/json.h"
#include "base/write/new_file.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef PPS_SANITIZED // a sanitizer ends the program instead
static volatile size_t too_much = (size_t)PTRDIFF_MAX - 4096;

// Would catch a linker that does not redirect calls.
Test(allocations, every_failure_is_noted)
{
    void *kept[] = {malloc(too_much), calloc(too_much, 1), realloc(NULL, too_much),
                    aligned_alloc(64, too_much)};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        cr_assert_null(kept[i]);
        free(kept[i]);
    }
    cr_assert_eq(pps_memory_failures(), 4);
    cr_assert(pps_memory_failed());
    pps_memory_begin();
    cr_assert_not(pps_memory_failed());
}
#endif

// Would catch a manifest without the member for which there was no memory.
Test(allocations, no_tree_is_printed_after_a_failure)
{
    cJSON *tree = cJSON_CreateObject();
    cJSON_AddNumberToObject(tree, "rows", 3);
    pps_memory_note();
    cr_assert_null(pps_json_print(tree));
    cr_assert_null(pps_json_print_line(tree));
    pps_memory_begin();
    char *text = pps_json_print_line(tree);
    cr_assert_str_eq(text, "{\"rows\":3}");
    cJSON_free(text);
    cJSON_Delete(tree);
}

// Would catch a file whose text lost a part on the way.
Test(allocations, no_file_gets_its_name_after_a_failure)
{
    struct pps_new_file file;
    struct pps_error err;
    char name[] = "/tmp/ppsweep-XXXXXX";
    cr_assert_not_null(mkdtemp(name));
    char path[64];
    snprintf(path, sizeof path, "%s/a.txt", name);
    cr_assert_eq(pps_new_file_open(&file, path, &pps_gate_open, &err), PPS_OK);
    fputs("half of a text", file.out);
    pps_memory_note();
    cr_assert_eq(pps_new_file_close(&file, &err), PPS_E_MACHINE);
    cr_assert_neq(access(path, F_OK), 0);
    pps_memory_begin();
    cr_assert_eq(pps_new_file_open(&file, path, &pps_gate_open, &err), PPS_OK);
    cr_assert_eq(pps_new_file_close(&file, &err), PPS_OK);
    unlink(path);
    rmdir(name);
}
