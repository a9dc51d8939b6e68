// SPDX-License-Identifier: Apache-2.0
// Lists of groups: what they mean, and what is refused.
#include "engine/timeline/part.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text, *meant; // NULL: refused
} cases[] = {
    {"0", "0"},
    {"0,3,8-11", "0, 3, 8-11"},
    {"8-11,3,0", "0, 3, 8-11"}, // in any order
    {"1,2,3", "1-3"},           // neighbours are joined
    {"4-9,2-5,5", "2-9"},       // overlaps, too
    {"7,7", "7"},
    {"3-3", "3"},
    {"", NULL},
    {",1", NULL},
    {"1,", NULL},
    {"1,,2", NULL},
    {"a", NULL},
    {"-1", NULL},
    {"1-", NULL},
    {"5-3", NULL},
    {"1-2-3", NULL},
    {"1 2", NULL},
    {"1.5", NULL},
    {"9999999999", NULL},
};

Test(group_list, texts)
{
    static struct pps_group_list list;
    struct pps_error err;
    char text[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const enum pps_status status =
            pps_group_list_read(&list, "--gpus", cases[i].text, &err);
        cr_assert_eq(status, cases[i].meant != NULL ? PPS_OK : PPS_E_INPUT, "%s",
                     cases[i].text);
        if (cases[i].meant == NULL)
            continue;
        pps_group_list_text(&list, text, sizeof text);
        cr_assert_str_eq(text, cases[i].meant);
    }
}

// Catches ranges without their ends.
Test(group_list, members)
{
    static struct pps_group_list list;
    struct pps_error err;
    cr_assert_eq(pps_group_list_read(&list, "--gpus", "0,3,8-11", &err), PPS_OK);
    for (int g = 0; g < 14; g++)
        cr_assert_eq(pps_group_list_has(&list, g), g == 0 || g == 3 || (g >= 8 && g <= 11),
                     "%d", g);
    cr_assert_eq(pps_group_list_last(&list), 11);
}

// Catches a write behind the end of a short text, and of the list.
Test(group_list, long_lists)
{
    static struct pps_group_list list;
    struct pps_error err;
    char text[2000] = "", brief[16];
    for (int i = 0; i < 2 * PPS_GROUP_RANGES; i += 2)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i > 0 ? "," : "", i);
    cr_assert_eq(pps_group_list_read(&list, "--gpus", text, &err), PPS_OK);
    pps_group_list_text(&list, brief, sizeof brief);
    cr_assert_str_eq(brief, "0, 2, 4, 6 ...");
    strcat(text, ",999999");
    cr_assert_eq(pps_group_list_read(&list, "--gpus", text, &err), PPS_E_INPUT);
}
