// SPDX-License-Identifier: Apache-2.0
// Units of time on pictures and of --from and --to.
#include "engine/timeline/time_unit.h"

#include <criterion/criterion.h>

static void expect_shown(const char *model_unit, double most, double time, const char *wanted)
{
    char text[64];
    const struct pps_time_unit unit = pps_time_unit_of(model_unit, most);
    pps_time_unit_text(&unit, time, 7, text, sizeof text);
    cr_expect_str_eq(text, wanted);
}

// Catches a step of four seconds that is shown as 4 104 748 us, and parts of a picture in other units.
Test(time_unit, times_have_one_unit_that_fits_the_longest)
{
    expect_shown("us", 4104748, 4104748, "4.104748 s");
    expect_shown("us", 4104748, 2000, "0.002 s");
    expect_shown("us", 999999, 999999, "999.999 ms");
    expect_shown("us", 999, 12.5, "12.5 us");
    expect_shown("us", 0.5, 0.5, "0.5 us");
    expect_shown("ms", 12000, 12000, "12 s");
    expect_shown("ms", 0.25, 0.25, "250 us");
    expect_shown("layer forwards", 123456, 123456, "123 456 layer forwards");
    expect_shown(NULL, 5e6, 5e6, "5 000 000");
}

Test(time_unit, times_are_read_with_and_without_a_unit)
{
    double time = 0;
    cr_expect(pps_time_unit_read("1200", "us", &time) && time == 1200);
    cr_expect(pps_time_unit_read("1.5s", "us", &time) && time == 1.5e6);
    cr_expect(pps_time_unit_read("20ms", "us", &time) && time == 20000);
    cr_expect(pps_time_unit_read("3us", "ms", &time) && time == 0.003);
    cr_expect(pps_time_unit_read("7", NULL, &time) && time == 7);
    static const char *const wrong[] = {"", "s", "-1", "1h", "1 s", "nan", "1.5ss", "inf"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(pps_time_unit_read(wrong[i], "us", &time), "%s", wrong[i]);
    cr_expect_not(pps_time_unit_read("3s", NULL, &time), "the model has no unit");
    cr_expect_not(pps_time_unit_read("3s", "layer forwards", &time));
}
