// SPDX-License-Identifier: Apache-2.0
// Layouts of Megatron-LM: the grammar, its faults, and layouts that are written and read back.
#include "kernels/common/plan/layout_text.h"

#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST = 64 };

static size_t read(const char *text, int64_t *layers, int64_t *mtp)
{
    const char *why;
    const size_t n = layout_text_read(text, layers, mtp, MOST, &why);
    cr_assert(n > 0, "%s: %s", text, why);
    return n;
}

static void check(const char *text, size_t n, const int64_t *wanted)
{
    int64_t layers[MOST], mtp[MOST];
    cr_assert(read(text, layers, mtp) == n, "%s", text);
    cr_assert(memcmp(layers, wanted, n * sizeof *wanted) == 0, "%s", text);
}

// The published example: 3 layers, 29 stages of 2, one m, the loss.
Test(layout_text, published_example)
{
    int64_t layers[MOST], mtp[MOST];
    const char *why;
    cr_assert(read("Et*3|(tt|)*29,m|L", layers, mtp) == 32);
    cr_assert(layers[0] == 3 && layers[1] == 2 && layers[29] == 2 && layers[30] == 0);
    cr_assert(mtp[30] == 1 && mtp[31] == 0 && layers[31] == 0);
    cr_assert(layout_text_fits(mtp, 32, 16, &why));
    cr_assert_not(layout_text_fits(mtp, 32, 5, &why));
    cr_assert(strstr(why, "multiple") != NULL);
}

Test(layout_text, grammar)
{
    check("EttL", 1, (int64_t[]){2});
    check("E|t|L", 3, (int64_t[]){0, 1, 0});
    check("E||tL", 3, (int64_t[]){0, 0, 1});
    check("Et|*3L", 4, (int64_t[]){1, 0, 0, 0});
    check("E(t|t)*2tL", 3, (int64_t[]){1, 2, 2});
    // Commas are removed before repetitions are read: would catch commas before * and in numbers.
    check("E,t,*,3|L", 2, (int64_t[]){3, 0});
    check("E(t,t|),*2L", 3, (int64_t[]){2, 2, 0});
    // x*n inside a group is unrolled after the group.
    check("E(t*2|)*2t*4L", 3, (int64_t[]){2, 2, 4});
    check("Et*0|t*1L", 2, (int64_t[]){0, 1});
}

Test(layout_text, faults)
{
    static const char *const texts[][2] = {
        {"", "expected E"},
        {"ttL", "expected E"},
        {"|EtL", "expected E"},
        {"EtEL", "expected E"},
        {"Ett", "expected L"},
        {"EtLt", "expected L"},
        {"EtL|", "expected L"},
        {"EtLL", "expected L"},
        {"EtmtL", "follows a layer m"},
        {"Etq|L", "letters"},
        {"E((t)*2|)*2L", "letters"},
        {"E(tt|)L", "letters"},
        {"E*tL", "letters"},
        {"E tL", "letters"},
        {"Et*999999999999L", "too long"},
        {"E(t*9999|)*9999999L", "too long"},
        {"E|*64L", "too many stages"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t layers[MOST], mtp[MOST];
        const char *why = NULL;
        cr_assert(layout_text_read(texts[i][0], layers, mtp, MOST, &why) == 0, "%s",
                  texts[i][0]);
        cr_assert_not_null(strstr(why, texts[i][1]), "%s: %s", texts[i][0], why);
    }
}

Test(layout_text, places_of_mtp_layers)
{
    int64_t layers[MOST], mtp[MOST];
    const char *why;
    cr_assert(read("Et|t|tm|L", layers, mtp) == 4);
    cr_assert(layout_text_fits(mtp, 4, 2, &why));
    cr_assert(read("Et|tm||L", layers, mtp) == 4);
    cr_assert_not(layout_text_fits(mtp, 4, 2, &why), "stage 1 is chunk 0 of its device");
    cr_assert(read("Et|t|m|mL", layers, mtp) == 4);
    cr_assert_not(layout_text_fits(mtp, 4, 2, &why), "two stages with m");
}

static void writes(const char *wanted, size_t n, const int32_t *layers)
{
    struct text_buffer text = {0};
    layout_text_write(layers, n, &text);
    cr_assert_str_eq(text.text, wanted);
    text_buffer_free(&text);
}

Test(layout_text, shortest_forms)
{
    writes("Et*4L", 1, (int32_t[]){4});
    writes("EL", 1, (int32_t[]){0});
    writes("Et*3|tL", 2, (int32_t[]){3, 1});
    writes("Et*3|(tt|)*3L", 5, (int32_t[]){3, 2, 2, 2, 0});
    writes("Ett|tt|ttL", 3, (int32_t[]){2, 2, 2});
    writes("E|(|)*2t*5|t|L", 6, (int32_t[]){0, 0, 0, 5, 1, 0});
}

// Whatever is written reads back as the same numbers.
Test(layout_text, layouts_read_back)
{
    struct random r = {15};
    for (int i = 0; i < 5000; i++) {
        int32_t wanted[MOST];
        int64_t layers[MOST], mtp[MOST];
        const size_t n = 1 + (size_t)random_below(&r, MOST);
        const int64_t kinds = 1 + random_below(&r, 5);
        struct text_buffer text = {0};
        for (size_t k = 0; k < n; k++)
            wanted[k] = (int32_t)random_below(&r, kinds);
        layout_text_write(wanted, n, &text);
        cr_assert(read(text.text, layers, mtp) == n, "%s", text.text);
        for (size_t k = 0; k < n; k++)
            cr_assert(layers[k] == wanted[k] && mtp[k] == 0, "%s", text.text);
        text_buffer_free(&text);
    }
}
