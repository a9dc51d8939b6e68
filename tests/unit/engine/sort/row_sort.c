// SPDX-License-Identifier: Apache-2.0
// Sorting beyond memory.
#include "engine/sort/row_sort.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void enter_to_sort(void)
{
    enter();
    setenv("TMPDIR", folder, 1);
}

TestSuite(row_sort, .init = enter_to_sort, .fini = leave);

struct item {
    double value;
    uint64_t index;
};

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (isnan(x->value) != isnan(y->value))
        return isnan(x->value) ? 1 : -1;
    if (!isnan(x->value) && x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

enum { N_ROWS = 20000 };

// Catches a merge that loses, repeats or misplaces rows, rows that straddle a read buffer, a row
// larger than all memory, and a temporary file that stays behind.
Test(row_sort, spills_and_merges)
{
    static struct item items[N_ROWS];
    static char long_text[200000];
    struct pps_row_sort *sort;
    struct pps_error err;
    memset(long_text, 'x', sizeof long_text);
    cr_assert_eq(pps_row_sort_open(&sort, 1, false, folder, &err), PPS_OK);
    for (uint64_t i = 0; i < N_ROWS; i++) {
        items[i] = (struct item){i % 97 == 0 ? (double)NAN : (double)(i * 7919 % 1000), i};
        const size_t n = i == 777 ? sizeof long_text : i % 300;
        const struct pps_sort_row row = {items[i].value, i, long_text, n};
        cr_assert_eq(pps_row_sort_add(sort, &row, &err), PPS_OK);
    }
    qsort(items, N_ROWS, sizeof *items, compare_items);
    struct pps_sort_row row;
    for (size_t i = 0; i < N_ROWS; i++) {
        cr_assert_eq(pps_row_sort_next(sort, &row, &err), PPS_OK);
        cr_assert(row.text != NULL, "row %zu is missing", i);
        cr_assert_eq(row.index, items[i].index, "row %zu", i);
        cr_assert_eq(row.n, row.index == 777 ? sizeof long_text : row.index % 300);
        cr_assert_eq(memcmp(row.text, long_text, row.n), 0);
    }
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(pps_row_sort_next(sort, &row, &err), PPS_OK);
        cr_assert(row.text == NULL);
    }
    pps_row_sort_close(sort);
    DIR *left = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(left)) != NULL;)
        cr_assert_eq(entry->d_name[0], '.', "%s stayed behind", entry->d_name);
    closedir(left);
}

// Catches an unwritable temporary folder that goes unnoticed until rows are missing.
Test(row_sort, without_a_folder_says_so)
{
    struct pps_row_sort *sort;
    struct pps_error err;
    enum pps_status status = PPS_OK;
    setenv("TMPDIR", "/nonexistent-folder", 1);
    cr_assert_eq(pps_row_sort_open(&sort, 1, true, folder, &err), PPS_OK);
    for (uint64_t i = 0; i < N_ROWS && status == PPS_OK; i++)
        status = pps_row_sort_add(sort, &(struct pps_sort_row){1, i, "text", 4}, &err);
    cr_assert_eq(status, PPS_E_MACHINE);
    cr_assert(strstr(err.text, "/nonexistent-folder") != NULL, "%s", err.text);
    pps_row_sort_close(sort);
}
