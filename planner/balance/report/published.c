// SPDX-License-Identifier: Apache-2.0
// Writes strategies and replays in the form of the published tool.
#include "planner/balance/report/published.h"

#include "kernels/balance/output/lists_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DASHES_12 "\u2014\u2014\u2014\u2014\u2014\u2014\u2014\u2014\u2014\u2014\u2014\u2014"

enum { COLUMN = 11, PARTS = 5 }; // characters between two signs

// ---- lists --------------------------------------------------------------------------------------

void published_lists(const struct balance_layers *layers,
                     const struct balance_strategy *strategy, struct text_buffer *text)
{
    text_buffer_add(text, "To put in yaml configuration:\n");
    for (int list = 0; list < BALANCE_LISTS; list++) {
        text_buffer_add(text, "\t%s: ", balance_list_names[list]);
        balance_list_text(layers, strategy, (enum balance_list)list, text);
        text_buffer_add(text, "\n");
    }
}

// ---- bubble and memory --------------------------------------------------------------------------

struct part {
    const char *name;
    double value;
};

// Returns the number of parts: recompute only if some layer is recomputed, comm only if messages take time.
static int parts_of(const struct balance_bubble *bubble, struct part parts[PARTS])
{
    parts[0] = (struct part){"real", bubble->real};
    parts[1] = (struct part){"ideal", bubble->ideal};
    parts[2] = (struct part){"imba", bubble->imbalance};
    int n = 3;
    if (bubble->recomputes)
        parts[n++] = (struct part){"recompute", bubble->recompute};
    if (bubble->transfer > 0)
        parts[n++] = (struct part){"comm", bubble->transfer};
    return n;
}

// No -0.0000.
static double shown(double value)
{
    return fabs(value) < 0.00005 ? 0 : value;
}

// Appends a word in the middle of a column. The last column has no blanks at its end.
static void add_centred(const char *word, bool is_last, struct text_buffer *text)
{
    const int n = (int)strlen(word), left = n < COLUMN ? (COLUMN - n) / 2 : 0,
              right = n < COLUMN && !is_last ? COLUMN - n - left : 0;
    text_buffer_add(text, "%*s%s%*s", left, "", word, right, "");
}

static void add_row(const struct part *parts, int n, bool names, struct text_buffer *text)
{
    char word[32];
    for (int i = 0; i < n; i++) {
        snprintf(word, sizeof word, "%.4f", shown(parts[i].value));
        text_buffer_add(text, "%s", i == 0 ? "" : i == 1 ? "=" : "+");
        add_centred(names ? parts[i].name : word, i == n - 1, text);
    }
    text_buffer_add(text, "\n");
}

void published_result(const struct balance_shape *shape, const struct balance_result *result,
                      struct text_buffer *text)
{
    struct part parts[PARTS];
    const int n = parts_of(&result->bubble, parts);
    text_buffer_add(text, DASHES_12 "\u2014 pp:%2d, vp:%2d, micro:%3d " DASHES_12 "\n",
                    shape->stages, shape->chunks, shape->micro_batches);
    text_buffer_add(text, "--------------------  bubble  --------------------\n");
    add_row(parts, n, true, text);
    add_row(parts, n, false, text);
    text_buffer_add(text, "--------------------  memory  --------------------\npeak memory: ");
    for (int32_t s = 0; s < shape->stages; s++)
        text_buffer_add(text, "%s%.2f", s == 0 ? "" : ", ", result->peak_mb[s]);
    text_buffer_add(text, "\n");
}

void published_bubble_line(const struct balance_bubble *bubble, struct text_buffer *text)
{
    struct part parts[PARTS];
    const int n = parts_of(bubble, parts);
    for (int i = 0; i < n; i++)
        text_buffer_add(text, "%s%s bubble: %.4f", i == 0 ? "" : ", ", parts[i].name,
                        shown(parts[i].value));
}
