// SPDX-License-Identifier: Apache-2.0
// Writes SVG elements.
#include "engine/svg/svg.h"

#include "base/system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- svg to png ---------------------------------------------------------------------------------

enum { PATH_BYTES = 4096 };

enum file { SVG, PNG, LOG, N_FILES };

struct work {
    char *folder;
    char path[N_FILES][PATH_BYTES];
};

static enum pps_status open_work(struct work *work, struct pps_error *err)
{
    static const char *const names[N_FILES] = {"trace.svg", "trace.png", "log"};
    const char *temp = getenv("TMPDIR");
    temp = temp != NULL && temp[0] != '\0' ? temp : "/tmp";
    if (asprintf(&work->folder, "%s/ppsweep-XXXXXX", temp) < 0)
        return pps_fail_memory(err, "the picture");
    if (mkdtemp(work->folder) == NULL ||
        strlen(work->folder) + sizeof "/trace.svg" > PATH_BYTES) {
        free(work->folder);
        return pps_fail(err, PPS_E_MACHINE,
                        "cannot create a folder in %s: %s; set TMPDIR to another folder", temp,
                        strerror(errno));
    }
    for (int f = 0; f < N_FILES; f++)
        snprintf(work->path[f], sizeof work->path[f], "%s/%s", work->folder, names[f]);
    return PPS_OK;
}

static void close_work(struct work *work)
{
    for (int f = 0; f < N_FILES; f++)
        unlink(work->path[f]);
    rmdir(work->folder);
    free(work->folder);
}

static enum pps_status write_svg(const struct work *work, const char *svg, size_t n,
                                 struct pps_error *err)
{
    FILE *file = fopen(work->path[SVG], "w");
    if (file == NULL)
        return pps_fail_errno(err, "cannot create", work->path[SVG]);
    const bool written = fwrite(svg, 1, n, file) == n;
    if (fclose(file) == 0 && written)
        return PPS_OK;
    return pps_fail_errno(err, "cannot write", work->path[SVG]);
}

static enum pps_status explain(const struct work *work, struct pps_error *err)
{
    char line[256], last[256] = "no output";
    FILE *log = fopen(work->path[LOG], "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0')
            memcpy(last, line, sizeof last);
    }
    if (log != NULL)
        fclose(log);
    return pps_fail(err, PPS_E_MACHINE, "rsvg-convert failed: %s", last);
}

static enum pps_status convert(struct work *work, struct pps_error *err)
{
    char program[] = "rsvg-convert", option[] = "-o";
    char *const args[] = {program, option, work->path[PNG], work->path[SVG], NULL};
    struct pps_process process;
    struct pps_process_end end;
    const int output = open(work->path[LOG], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (output < 0)
        return pps_fail_errno(err, "cannot create", work->path[LOG]);
    const struct pps_process_start start = {.args = args, .output = output};
    enum pps_status status = pps_process_start(&process, &start, err);
    const int why = errno;
    close(output);
    if (status != PPS_OK && why == ENOENT)
        return pps_fail(err, PPS_E_MACHINE,
                        "a PNG needs rsvg-convert: apt install librsvg2-bin, or write an SVG");
    if (status != PPS_OK)
        return status;
    pps_process_wait(&process, &end);
    return end.signal == 0 && end.exit_status == 0 ? PPS_OK : explain(work, err);
}

static enum pps_status copy_png(const struct work *work, FILE *out, struct pps_error *err)
{
    char bytes[1 << 14];
    FILE *file = fopen(work->path[PNG], "r");
    if (file == NULL)
        return pps_fail_errno(err, "cannot read", work->path[PNG]);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        fwrite(bytes, 1, n, out);
    fclose(file);
    return PPS_OK;
}

// Writes the PNG of an SVG text of n bytes. Temporary files lie in $TMPDIR, else /tmp. Returns
// PPS_E_MACHINE if rsvg-convert is missing, with the package to install, or if it fails, with its
// last line.
static enum pps_status svg_to_png(const char *svg, size_t n, FILE *out, struct pps_error *err)
{
    struct work work;
    enum pps_status status = open_work(&work, err);
    if (status != PPS_OK)
        return status;
    status = write_svg(&work, svg, n, err);
    if (status == PPS_OK)
        status = convert(&work, err);
    if (status == PPS_OK)
        status = copy_png(&work, out, err);
    close_work(&work);
    return status;
}

enum pps_status pps_svg_draw_png(enum pps_status (*draw)(void *self, FILE *out,
                                                         struct pps_error *err),
                                 void *self, FILE *out, struct pps_error *err)
{
    char *svg = NULL;
    size_t n = 0;
    FILE *memory = open_memstream(&svg, &n);
    if (memory == NULL)
        return pps_fail_memory(err, "the picture");
    enum pps_status status = draw(self, memory, err);
    if (fclose(memory) != 0 && status == PPS_OK)
        status = pps_fail_memory(err, "the picture");
    if (status == PPS_OK)
        status = svg_to_png(svg, n, out, err);
    free(svg);
    return status;
}

// ---- svg ----------------------------------------------------------------------------------------

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

double pps_svg_round_step(double least)
{
    if (!(least > 0) || !isfinite(least))
        return 1;
    const double power = pow(10, floor(log10(least)));
    return least <= power       ? power
           : least <= 2 * power ? 2 * power
           : least <= 5 * power ? 5 * power
                                : 10 * power;
}

void pps_svg_rect(FILE *out, struct pps_svg_box box, const char *fill, const char *hint)
{
    put_box(out, box);
    fprintf(out, " fill=\"%s\"", fill);
    put_end(out, "rect", hint);
}

void pps_svg_edged(FILE *out, struct pps_svg_box box, const char *fill, const char *stroke,
                   double width, const char *hint)
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

void pps_svg_dashed(FILE *out, double x1, double y1, double x2, double y2, const char *stroke,
                    double width)
{
    fprintf(out,
            "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" "
            "stroke-width=\"%.2f\" stroke-dasharray=\"6 4\"/>\n",
            x1, y1, x2, y2, stroke, width);
}

void pps_svg_polyline(FILE *out, const double *xy, size_t n, const char *stroke, double width,
                      const char *hint)
{
    fputs("<polyline points=\"", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%.2f,%.2f", i == 0 ? "" : " ", xy[2 * i], xy[2 * i + 1]);
    fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\"", stroke, width);
    put_end(out, "polyline", hint);
}

void pps_svg_text(FILE *out, double x, double y, enum pps_svg_anchor anchor, int size,
                  const char *fill, const char *text)
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

int pps_svg_lines(FILE *out, double x, double y, double step, size_t chars, int size,
                  const char *fill, const char *text)
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
