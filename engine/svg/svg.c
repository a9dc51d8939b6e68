// SPDX-License-Identifier: Apache-2.0
// Writes SVG elements.
#include "engine/svg/svg.h"

#include <math.h>
#include <string.h>

// Writes text escaped for use between tags and in quotes.
static void escape(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '&')
            fputs("&amp;", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else
            fputc(c < ' ' ? ' ' : c, out);
    }
}

void pps_svg_begin(FILE *out, double w, double h)
{
    pps_svg_begin_scaled(out, round(w), round(h), 1, "");
}

void pps_svg_begin_scaled(FILE *out, double w, double h, double scale, const char *unit)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.7g%s\" height=\"%.7g%s\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"11\">\n",
            w * scale, unit, h * scale, unit, w, h);
    pps_svg_rect(out, (struct pps_svg_box){0, 0, w, h}, "#ffffff", NULL);
}

void pps_svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

static void put_box(FILE *out, struct pps_svg_box box)
{
    fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", box.x, box.y,
            box.w, box.h);
}

// Ends an element, with a hint or without.
static void put_end(FILE *out, const char *element, const char *hint)
{
    if (hint == NULL) {
        fputs("/>\n", out);
        return;
    }
    fputs("><title>", out);
    escape(out, hint);
    fprintf(out, "</title></%s>\n", element);
}

void pps_svg_rect(FILE *out, struct pps_svg_box box, const char *fill, const char *hint)
{
    put_box(out, box);
    fprintf(out, " fill=\"%s\"", fill);
    put_end(out, "rect", hint);
}

void pps_svg_edged(FILE *out,
                   struct pps_svg_box box,
                   const char *fill,
                   const char *stroke,
                   double width,
                   const char *hint)
{
    put_box(out, box);
    fprintf(out, " fill=\"%s\" stroke=\"%s\" stroke-width=\"%.2f\"", fill, stroke, width);
    put_end(out, "rect", hint);
}

void pps_svg_path_begin(FILE *out, const char *fill)
{
    fprintf(out, "<path shape-rendering=\"crispEdges\" fill=\"%s\" d=\"", fill);
}

void pps_svg_path_box(FILE *out, struct pps_svg_box box)
{
    fprintf(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", box.x, box.y, box.w, box.h, -box.w);
}

void pps_svg_path_end(FILE *out)
{
    fputs("\"/>\n", out);
}

void pps_svg_frame(FILE *out, struct pps_svg_box box, const char *stroke, double width)
{
    put_box(out, box);
    fprintf(out, " fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\"/>\n", stroke, width);
}

void pps_svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *stroke)
{
    fprintf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\"/>\n", x1,
            y1, x2, y2, stroke);
}

void pps_svg_dashed(FILE *out,
                    double x1,
                    double y1,
                    double x2,
                    double y2,
                    const char *stroke,
                    double width)
{
    fprintf(out,
            "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" "
            "stroke-width=\"%.2f\" stroke-dasharray=\"6 4\"/>\n",
            x1, y1, x2, y2, stroke, width);
}

void pps_svg_polyline(FILE *out,
                      const double *xy,
                      size_t n,
                      const char *stroke,
                      double width,
                      const char *hint)
{
    fputs("<polyline points=\"", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%.2f,%.2f", i == 0 ? "" : " ", xy[2 * i], xy[2 * i + 1]);
    fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\"", stroke, width);
    put_end(out, "polyline", hint);
}

void pps_svg_text(FILE *out,
                  double x,
                  double y,
                  enum pps_svg_anchor anchor,
                  int size,
                  const char *fill,
                  const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    // The middle of digits and capitals is about a third of the size above the baseline. Text
    // ignores pointer events, which not every viewer does by itself.
    fprintf(out,
            "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\" "
            "pointer-events=\"none\">",
            x, y + 0.35 * size, anchors[anchor], size, fill);
    escape(out, text);
    fputs("</text>\n", out);
}

// Returns the length of the next word, or of as much of it as fits in a line.
static size_t word_length(const char *word, size_t chars)
{
    size_t n = strcspn(word, " ");
    const size_t most = chars < 8 ? 8 : chars > 500 ? 500 : chars;
    if (n <= most)
        return n;
    for (n = most; n > most - 4 && ((unsigned char)word[n] & 0xC0) == 0x80;)
        n--; // not within a character
    return n;
}

int pps_svg_lines(FILE *out,
                  double x,
                  double y,
                  double step,
                  size_t chars,
                  int size,
                  const char *fill,
                  const char *text)
{
    char line[512] = "";
    int n = 0;
    for (const char *word = text; *word != '\0' || line[0] != '\0';) {
        const size_t length = word_length(word, chars), used = strlen(line);
        if (used > 0 && (*word == '\0' || used + 1 + length > chars)) {
            if (out != NULL)
                pps_svg_text(out, x, y + n * step, PPS_SVG_START, size, fill, line);
            line[0] = '\0';
            n++;
            continue;
        }
        snprintf(line + used, sizeof line - used, "%s%.*s", used > 0 ? " " : "", (int)length,
                 word);
        word += length + (word[length] == ' ');
    }
    return n;
}

void pps_svg_hatch(FILE *out, const char *id, const char *stroke)
{
    fprintf(out,
            "<defs><pattern id=\"%s\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" "
            "stroke=\"%s\" stroke-width=\"1.6\"/></pattern></defs>\n",
            id, stroke);
}
