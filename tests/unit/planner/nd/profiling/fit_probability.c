// SPDX-License-Identifier: Apache-2.0
// The probability that a training fits, from published facts of memory.
#include "planner/nd/profiling/fit_probability.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(nd_fit_probability, follows_the_distribution)
{
    const struct nd_memory_group group = {"", 10, log(1.1), 0.1};
    cr_assert_float_eq(nd_fit_probability(&group, 100, 110), 0.5, 1e-12);
    cr_assert_float_eq(nd_fit_probability(&group, 100, 110 * exp(0.1 * log(9))), 0.9, 1e-12);
    cr_assert_float_eq(nd_fit_probability(&group, 100, 110 * exp(-0.1 * log(9))), 0.1, 1e-12);
    for (double limit = 20; limit < 1000; limit *= 1.5)
        cr_assert(nd_fit_probability(&group, 100, limit) <
                  nd_fit_probability(&group, 100, 1.1 * limit));
}

Test(nd_fit_probability, limit_has_the_probability)
{
    const struct nd_memory_group group = {"", 10, log(1.1), 0.1},
                                 small = {"", 10, log(0.5), 0.1};
    for (double p = 0.05; p < 1; p += 0.05) {
        const double predicted = nd_fit_limit(&group, p, 200);
        cr_assert(predicted < 200 || p < 0.3);
        cr_assert(nd_fit_probability(&group, predicted, 200) >= p);
        if (predicted < 200)
            cr_assert_float_eq(nd_fit_probability(&group, predicted, 200), p, 1e-9);
    }
    cr_assert_float_eq(nd_fit_limit(&group, 0, 200), 200, 0);
    cr_assert_float_eq(nd_fit_limit(&small, 0.9, 200), 200, 0, "never above the limit");
}

Test(nd_fit_probability, a_stack_with_few_facts_takes_all_facts)
{
    struct training training;
    int n;
    const struct nd_memory_group *groups = nd_memory_groups(&n);
    training_default(&training);
    training.stack = *stack_find("megatron");
    cr_assert_str_eq(nd_memory_group(&training)->stack, "megatron");
    training.stack = *stack_find("deepseek");
    cr_assert_eq(nd_memory_group(&training), &groups[n - 1]);
    cr_assert_str_eq(groups[n - 1].stack, "");
    for (int i = 0; i < n - 1; i++)
        cr_assert(groups[i].facts < groups[n - 1].facts && groups[i].scale > 0);
}

Test(nd_fit_probability, text_says_percent_and_facts)
{
    struct training training;
    char text[ND_FIT_TEXT], percent[ND_PERCENT_TEXT];
    training_default(&training);
    training.stack = *stack_find("megatron");
    cr_assert_str_eq(nd_fit_percent(&training, 1e9, 1e11, percent), "above 99 %");
    cr_assert_str_eq(nd_fit_percent(&training, 1e11, 1e9, percent), "below 1 %");
    nd_fit_text(&training, 1e11, 1.05e11, text);
    cr_assert(strstr(text, "probability of fitting ") == text &&
                  strstr(text, "of stack megatron)"),
              "%s", text);
}
