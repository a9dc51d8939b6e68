// SPDX-License-Identifier: Apache-2.0
// Words of options: read from the argument or from the help, and never from an ordinary sentence.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "engine/command/option_table.h"

static const struct {
    struct pps_opt option;
    const char *words;
} rows[] = {
    {{"goal", 0, "lower|higher", "which values are better"}, "lower higher"},
    {{"exec", 0, "0|1", "0: print the layers and stop (1)"}, "0 1"},
    {{"stack", 0, "NAME|FILE", "software stack"}, ""},
    {{"devices", 0, "N|LIST", "devices of this machine, as in 8 or 0-3,6"}, ""},
    {{"progress", 0, "HOW", "auto, line or never (auto)"}, "auto line never"},
    {{"trainer", 0, "NAME", "rollouts, ppo, or es: evolution"}, "rollouts ppo es"},
    {{"view", 0, "NAME", "the lanes: dual or single for contention"}, "dual single"},
    {{"palette", 0, "NAME", "gray, blue-red, magma; NAME-r: reversed"}, "gray blue-red magma"},
    {{"recompute", 0, "KINDS", "kinds: select, both, full, separated by commas"},
     "select both full"},
    {{"format", 0, "LIST", "png, svg and pdf, separated by commas (png,svg)"}, "png svg pdf"},
    {{"method", 0, "NAME", "fifo or 1F1B (the best of all)"}, "fifo 1F1B"},
    // Sentences and lists that are not complete.
    {{"fit", 0, "LIST", "factors to fit: eg, ea, tp_exposed ... (eg)"}, ""},
    {{"family", 0, "NAME", "a family, its class, all, or best: the best order"}, ""},
    {{"order", 0, "NAME", "chunks: big, which holds more, or less (big)"}, ""},
    {{"ranks", 0, "LIST", "ranks: stages, largest, none or 0,8,... (all)"}, ""},
    {{"compat", 0, "NAME", "orig: the published experiment (none)"}, ""},
    {{"output", 0, "FILE", "one, two or three"}, ""},
    {{"force", 0, NULL, "one, two or three"}, ""},
    {{"old", 0, "NAME", NULL}, ""},
};

Test(option_values, words_are_those_of_the_table)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct pps_opt_values values;
        char all[256] = "";
        pps_opt_values_read(&rows[r].option, &values);
        for (size_t v = 0; v < values.n; v++)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", v > 0 ? " " : "",
                     values.word[v]);
        cr_expect_str_eq(all, rows[r].words, "--%s: \"%s\", expected \"%s\"",
                         rows[r].option.name, all, rows[r].words);
    }
}
