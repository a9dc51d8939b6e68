// SPDX-License-Identifier: Apache-2.0
// Prints what was found as one JSON object.
#include "planner/tune/tuning.h"

#include "base/edit/json_write.h"
#include "planner/check/checked.h"

#include <stdio.h>

struct checked tune_checked_mine(const struct tuning *t)
{
    return (struct checked){.run = t->input.job.run,
                            .plan = t->mine.plan,
                            .step = t->mine.step,
                            .group = t->group};
}

struct checked tune_checked(const struct tuning *t, const struct tune_answer *answer)
{
    return (struct checked){.run = answer->written.run,
                            .plan = answer->written.mine.plan,
                            .step = answer->written.mine.step,
                            .group = t->group};
}

static void add_answer(struct text_buffer *out, const struct tuning *t,
                       const struct tune_answer *answer)
{
    const struct checked checked = tune_checked(t, answer);
    text_buffer_add(out, "{\"link\": \"%s\", \"change\": ", tune_link_names[answer->link]);
    json_write_text(out, answer->change);
    text_buffer_add(out, ", \"bound_seconds\": ");
    if (answer->bound > 0)
        json_write_number(out, answer->bound);
    else
        text_buffer_add(out, "null");
    text_buffer_add(out, ", \"path\": ");
    if (answer->path != NULL)
        json_write_text(out, answer->path);
    else
        text_buffer_add(out, "null");
    text_buffer_add(out, ",\n ");
    checked_json_members(&checked, out);
    text_buffer_add(out, "}");
}

static void add_what_if(struct text_buffer *out, const char *name,
                        const struct tune_what_if *what)
{
    text_buffer_add(out, ",\n\"%s\": ", name);
    if (what->row < 0) {
        text_buffer_add(out, "null");
        return;
    }
    text_buffer_add(out, "{\"answer\": %d, \"step_seconds\": ", what->row + 1);
    json_write_number(out, what->seconds);
    text_buffer_add(out, "}");
}

static void add_links(struct text_buffer *out, const struct tuning *t)
{
    int n = 0;
    text_buffer_add(out, ",\n\"links\": [");
    for (int link = 0; link < TUNE_LINKS; link++) {
        const struct tune_result *result = &t->results[link];
        const struct tune_answer *best = tune_answer_of(t, result->best);
        if (!result->run)
            continue;
        text_buffer_add(out, "%s{\"link\": \"%s\", \"tried\": %d, \"ended_early\": %s, ",
                        n++ > 0 ? ", " : "", tune_link_names[link], result->tried,
                        result->ended ? "true" : "false");
        text_buffer_add(out, "\"step_seconds\": ");
        if (best != NULL)
            json_write_number(out, best->seconds);
        else
            text_buffer_add(out, "null");
        text_buffer_add(out, "}");
    }
    text_buffer_add(out, "]");
    add_what_if(out, "network_doubled", &t->network);
    add_what_if(out, "noise", &t->noise);
    text_buffer_add(out, ",\n\"one_gib_more\": ");
    if (t->more_memory > 0) {
        text_buffer_add(out, "{\"answer\": 1, \"step_seconds\": ");
        json_write_number(out, t->more_memory);
        text_buffer_add(out, "}}\n");
    } else
        text_buffer_add(out, "null}\n");
}

enum pps_status tune_print_json(const struct tuning *t, struct pps_error *err)
{
    struct text_buffer out = {.text = NULL};
    text_buffer_add(&out, "{\"mine\": ");
    if (t->mine.has) {
        const struct checked mine = tune_checked_mine(t);
        text_buffer_add(&out, "{");
        checked_json_members(&mine, &out);
        text_buffer_add(&out, "}");
    } else
        text_buffer_add(&out, "null");
    text_buffer_add(&out, ",\n\"answers\": [");
    for (int k = 0; k < t->n; k++) {
        text_buffer_add(&out, k > 0 ? ",\n" : "\n");
        add_answer(&out, t, &t->answers[k]);
    }
    text_buffer_add(&out, "]");
    add_links(&out, t);
    const bool failed = out.failed;
    if (!failed)
        fwrite(out.text, 1, out.n, stdout);
    text_buffer_free(&out);
    return failed ? pps_fail_memory(err, "the report") : PPS_OK;
}
