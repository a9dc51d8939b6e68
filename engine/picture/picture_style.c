// SPDX-License-Identifier: Apache-2.0
// Checks the look of pictures and writes it as gnuplot statements.
#include "engine/picture/picture_style.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTOURS_MOST = 30 };

// The palettes of style.gp. From `blue-red` on they diverge from a middle.
static const char *const palettes[] = {"viridis",  "cividis",      "magma",       "gray",
                                       "blue-red", "purple-green", "blue-orange", NULL};

static bool is_palette(const char *name)
{
    const size_t n = strlen(name);
    const size_t bare = n > 2 && strcmp(name + n - 2, "-r") == 0 ? n - 2 : n;
    for (int i = 0; palettes[i] != NULL; i++)
        if (strlen(palettes[i]) == bare && strncmp(palettes[i], name, bare) == 0)
            return true;
    return false;
}

static bool has_control(const char *text)
{
    for (; *text != '\0'; text++)
        if (iscntrl((unsigned char)*text))
            return true;
    return false;
}

// Reads a number that ends at a comma or at the end of the text; moves *text behind it.
static bool next_number(const char **text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(*text, &end);
    const bool good = end != *text && errno == 0 && isfinite(*value) &&
                      !isspace((unsigned char)**text) && (*end == '\0' || *end == ',');
    *text = *end == ',' ? end + 1 : end;
    return good;
}

// ---- checks -------------------------------------------------------------------------------------

static enum pps_status check_font(const char *font, struct pps_error *err)
{
    const char *comma = strchr(font, ',');
    const char *size = comma == NULL ? NULL : comma + 1;
    double points = 8;
    if (font[0] == '\0' || has_control(font) ||
        (size != NULL && (!next_number(&size, &points) || *size != '\0')) || points < 4 ||
        points > 40)
        return pps_fail(err, PPS_E_INPUT,
                        "--font %s: write a name, a size of 4 to 40 points, or both, as "
                        "Helvetica,8",
                        font);
    return PPS_OK;
}

static enum pps_status check_contour(const char *contour, struct pps_error *err)
{
    const char *rest = contour;
    double value = 0;
    bool good = true;
    int n = 0;
    for (; good && (n == 0 || *rest != '\0'); n++)
        good = next_number(&rest, &value);
    good =
        good && n <= CONTOURS_MOST && contour[0] != '\0' && contour[strlen(contour) - 1] != ',';
    if (good && n == 1)
        good = value >= 1 && value <= CONTOURS_MOST && value == floor(value);
    if (good)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "--contour %s: write the number of lines (1 to %d), or their values, as "
                    "100,120,150",
                    contour, CONTOURS_MOST);
}

static enum pps_status check_label(const char *label, struct pps_error *err)
{
    const char *equals = strchr(label, '=');
    if (equals == NULL || equals == label || has_control(label))
        return pps_fail(err, PPS_E_INPUT,
                        "--label %s: write a column and its text, as total_time='time of a "
                        "step'",
                        label);
    return PPS_OK;
}

enum pps_status pps_picture_style_check(const struct pps_picture_style *style,
                                        struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (style->title != NULL && has_control(style->title))
        return pps_fail(err, PPS_E_INPUT, "--title: write one line without control characters");
    if (style->palette != NULL && !is_palette(style->palette))
        return pps_fail(err, PPS_E_INPUT,
                        "--palette %s: write viridis, cividis, magma, gray, blue-red, "
                        "purple-green or blue-orange; NAME-r reverses one",
                        style->palette);
    if (style->font != NULL)
        status = check_font(style->font, err);
    if (status == PPS_OK && style->contour != NULL)
        status = check_contour(style->contour, err);
    for (int i = 0; i < style->n_labels && status == PPS_OK; i++)
        status = check_label(style->labels[i], err);
    return status;
}

// ---- statements ---------------------------------------------------------------------------------

// Writes a text in single quotes, in which gnuplot doubles a quote and knows no other escape.
static void put_text(FILE *out, const char *text, size_t n)
{
    fputc('\'', out);
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\'')
            fputc('\'', out);
        fputc(text[i], out);
    }
    fputc('\'', out);
}

static void put_variable(FILE *out, const char *name, const char *text, size_t n)
{
    fprintf(out, "%s=", name);
    put_text(out, text, n);
    fputs("; ", out);
}

// gnuplot copies the name of a font to an attribute of SVG as it is.
static void put_attribute(FILE *out, const char *text, size_t n)
{
    fputs("style_font='", out);
    for (size_t i = 0; i < n; i++) {
        if (strchr("<>&\"'", text[i]) != NULL)
            fprintf(out, "&#%d;", text[i]);
        else
            fputc(text[i], out);
    }
    fputs("'; ", out);
}

static void put_font(FILE *out, const char *font, bool for_svg)
{
    const size_t n = strcspn(font, ",");
    if (n > 0 && for_svg)
        put_attribute(out, font, n);
    else if (n > 0)
        put_variable(out, "style_font", font, n);
    if (font[n] == ',')
        fprintf(out, "style_points=%g; ", strtod(font + n + 1, NULL));
}

static void put_contour(FILE *out, const char *contour)
{
    double value;
    if (strchr(contour, ',') == NULL) {
        fprintf(out, "style_contours=%.0f; ", strtod(contour, NULL));
        return;
    }
    // gnuplot needs a decimal point in each.
    fputs("style_levels='", out);
    for (const char *rest = contour; *rest != '\0';) {
        fputs(rest == contour ? "" : ",", out);
        (void)next_number(&rest, &value);
        fprintf(out, "%#.17g", value);
    }
    fputs("'; ", out);
}

// Writes a function of nested conditions: the text of a name.
static void put_labels(FILE *out, const struct pps_picture_style *style)
{
    fputs("style_labels=1; style_label(s)=", out);
    for (int i = 0; i < style->n_labels; i++) {
        const char *label = style->labels[i];
        const size_t n = strcspn(label, "=");
        fputs("s eq ", out);
        put_text(out, label, n);
        fputs(" ? ", out);
        put_text(out, label + n + 1, strlen(label + n + 1));
        fputs(" : ", out);
    }
    fputs("s; ", out);
}

char *pps_picture_style_settings(const struct pps_picture_style *style, bool for_svg)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (out == NULL)
        return NULL;
    fputs("style=1; ", out);
    if (style->title != NULL)
        put_variable(out, "style_title", style->title, strlen(style->title));
    if (style->font != NULL)
        put_font(out, style->font, for_svg);
    if (style->palette != NULL)
        put_variable(out, "style_palette", style->palette, strlen(style->palette));
    if (style->width_mm > 0)
        fprintf(out, "style_width=%.10g; ", style->width_mm);
    if (style->has_center)
        fprintf(out, "style_center=%.17g; ", style->center);
    if (style->contour != NULL)
        put_contour(out, style->contour);
    if (style->no_notes)
        fputs("style_no_notes=1; ", out);
    if (style->triangle)
        fputs("style_triangle=1; ", out);
    if (style->n_labels > 0)
        put_labels(out, style);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
