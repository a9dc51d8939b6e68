// SPDX-License-Identifier: Apache-2.0
// Reads the options of `plot` for the look of pictures, for their files, and the origin that is
// written into them.
#pragma once

#include "engine/command/command.h"
#include "engine/picture/pictures.h"

// Entries of an option table: the look.
#define PPS_STYLE_OPTIONS                                                                      \
    {"title", 0, "TEXT", "title, or none (the values that tell the picture apart)"},           \
        {"label", 0, "NAME=TEXT",                                                              \
         "text of a column or of a name, with unit; may be repeated"},                         \
        {"font", 0, "NAME,POINTS",                                                             \
         "font and size of names, such as Helvetica,8; or one of them"},                       \
        {"width", 0, "MM", "width on paper: 84 for one column (as wide as the data need)"},    \
        {"palette", 0, "NAME",                                                                 \
         "viridis, cividis, magma, gray, blue-red, purple-green, blue-orange; NAME-r: "        \
         "reversed"},                                                                          \
        {"center", 0, "VALUE",                                                                 \
         "value of the middle of the colours (no difference, of comparisons)"},                \
    {                                                                                          \
        "contour", 0, "N|VALUES", "contour lines: their number, or values such as 100,120"     \
    }

// Entries of an option table: the files.
#define PPS_FILE_OPTIONS                                                                       \
    {"format", 0, "LIST", "png, svg and pdf, separated by commas (png,svg)"},                  \
    {                                                                                          \
        "output", 'o', "PATH",                                                                 \
            "a folder; or one picture: NAME.png, .svg, .pdf (outputs/plots)"                   \
    }

enum { PPS_STYLE_LABELS = 64 };

// Memory for the values of these options.
struct pps_style_words {
    const char *labels[PPS_STYLE_LABELS];
    char *folder, *name; // of --output
    char *command, *digest;
};

// Fills style, folder, name, formats and about. `options` is the table of the command; the
// first word is the result. The caller calls pps_style_free in every case, after the last use of
// *pictures.
PPS_MUST_CHECK enum pps_status pps_style_options(const struct pps_args *args,
                                                 const struct pps_opt *options,
                                                 struct pps_style_words *words,
                                                 struct pps_picture_ask *pictures,
                                                 struct pps_error *err);
void pps_style_free(struct pps_style_words *words); // a zeroed one is fine

// Fills about for a picture of a result that `ppsweep plot RESULT` draws again.
PPS_MUST_CHECK enum pps_status pps_style_about(const char *result,
                                               struct pps_style_words *words,
                                               struct pps_picture_ask *pictures,
                                               struct pps_error *err);
