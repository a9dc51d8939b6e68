// SPDX-License-Identifier: Apache-2.0
// Reads the look of pictures and the names of their files.
#include "engine/cli/options/style_options.h"

#include "base/text/characters.h"
#include "base/text/say.h"
#include "engine/manifest/manifest_file.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_LEAST = 40, WIDTH_MOST = 1000 }; // millimetres

// ---- files --------------------------------------------------------------------------------------

// Sets the format of a name of n letters; returns false for another name.
static bool set_format(const char *name, size_t n, struct pps_picture_ask *pictures)
{
    bool *const formats[] = {&pictures->png, &pictures->svg, &pictures->pdf};
    static const char *const names[] = {"png", "svg", "pdf"};
    for (int i = 0; i < 3; i++)
        if (n == 3 && strncmp(name, names[i], 3) == 0) {
            *formats[i] = true;
            return true;
        }
    return false;
}

static enum pps_status read_formats(const char *list, struct pps_picture_ask *pictures,
                                    struct pps_error *err)
{
    for (const char *word = list;; word++) {
        const size_t n = strcspn(word, ",");
        if (!set_format(word, n, pictures))
            return pps_fail(err, PPS_E_INPUT,
                            "--format %s: write png, svg, pdf or several, as png,pdf", list);
        word += n;
        if (*word == '\0')
            return PPS_OK;
    }
}

// Splits FOLDER/NAME.png. Any other path is a folder.
static enum pps_status read_output(const char *path, const char *format,
                                   struct pps_style_words *words,
                                   struct pps_picture_ask *pictures, struct pps_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');
    pictures->folder = path;
    if (dot == NULL || dot == name || !set_format(dot + 1, strlen(dot + 1), pictures))
        return read_formats(format != NULL ? format : "png,svg", pictures, err);
    if (format != NULL && strcmp(format, dot + 1) != 0)
        return pps_fail(
            err, PPS_E_INPUT,
            "--format %s: the output %s is a %s; remove --format, or write a folder", format,
            path, dot + 1);
    words->folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    words->name = strndup(name, (size_t)(dot - name));
    pictures->folder = words->folder;
    pictures->name = words->name;
    return words->folder == NULL || words->name == NULL ? pps_fail_memory(err, "--output")
                                                        : PPS_OK;
}

// ---- origin -------------------------------------------------------------------------------------

// Options that do not change a picture.
static bool is_of_picture(const char *option)
{
    return !pps_has_word("output threads force quiet progress no-show", option);
}

static void put_option(const struct pps_args *args, const struct pps_opt *option, FILE *out)
{
    const char *value;
    for (int i = 0; (value = pps_arg_nth(args, option->name, i)) != NULL; i++) {
        fprintf(out, " --%s", option->name);
        if (option->arg == NULL)
            return;
        fputc(option->arg[0] == '[' ? '=' : ' ', out);
        pps_say_word(out, value, SIZE_MAX);
    }
}

static char *command_of(const struct pps_args *args, const struct pps_opt *options)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (out == NULL)
        return NULL;
    fprintf(out, "ppsweep %s", pps_arg_command(args));
    for (int i = 0; i < pps_arg_words(args); i++) {
        fputc(' ', out);
        pps_say_word(out, pps_arg_word(args, i), SIZE_MAX);
    }
    for (; options->name != NULL; options++)
        if (is_of_picture(options->name))
            put_option(args, options, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

// Reads the digest of the experiment from the manifest beside the result, if it has one.
static enum pps_status read_digest(const char *result, char **digest, struct pps_error *err)
{
    cJSON *manifest = NULL;
    const enum pps_status status = pps_manifest_of_result(result, &manifest, err);
    const char *text =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(manifest, "digest"));
    *digest = text == NULL ? NULL : strdup(text);
    cJSON_Delete(manifest);
    return status;
}

static enum pps_status fill_about(const char *result, struct pps_style_words *words,
                                  struct pps_picture_ask *pictures, struct pps_error *err)
{
    if (words->command == NULL)
        return pps_fail_memory(err, "the command line");
    const enum pps_status status = read_digest(result, &words->digest, err);
    pictures->about = (struct pps_picture_about){.command = words->command,
                                                 .version = PPS_VERSION,
                                                 .digest = words->digest};
    return status;
}

enum pps_status pps_style_about(const char *result, struct pps_style_words *words,
                                struct pps_picture_ask *pictures, struct pps_error *err)
{
    size_t n;
    *words = (struct pps_style_words){0};
    FILE *out = open_memstream(&words->command, &n);
    if (out != NULL) {
        fputs("ppsweep plot ", out);
        pps_say_word(out, result, SIZE_MAX);
        fclose(out);
    }
    return fill_about(result, words, pictures, err);
}

// ---- the look -----------------------------------------------------------------------------------

static enum pps_status read_labels(const struct pps_args *args, struct pps_style_words *words,
                                   struct pps_picture_style *style, struct pps_error *err)
{
    const char *label;
    for (int i = 0; (label = pps_arg_nth(args, "label", i)) != NULL; i++) {
        if (i == PPS_STYLE_LABELS)
            return pps_fail(err, PPS_E_INPUT, "--label: more than %d labels", PPS_STYLE_LABELS);
        words->labels[i] = label;
        style->n_labels = i + 1;
    }
    style->labels = words->labels;
    return PPS_OK;
}

static enum pps_status read_style(const struct pps_args *args, struct pps_style_words *words,
                                  struct pps_picture_style *style, struct pps_error *err)
{
    style->title = pps_arg(args, "title");
    style->font = pps_arg(args, "font");
    style->palette = pps_arg(args, "palette");
    style->contour = pps_arg(args, "contour");
    style->no_notes = pps_arg(args, "no-notes") != NULL;
    style->triangle = pps_arg(args, "triangle") != NULL;
    style->has_center = pps_arg(args, "center") != NULL;
    enum pps_status status =
        pps_arg_number(args, "width", WIDTH_LEAST, WIDTH_MOST, &style->width_mm, err);
    if (status == PPS_OK)
        status = pps_arg_number(args, "center", -DBL_MAX, DBL_MAX, &style->center, err);
    if (status == PPS_OK)
        status = read_labels(args, words, style, err);
    return status == PPS_OK ? pps_picture_style_check(style, err) : status;
}

enum pps_status pps_style_options(const struct pps_args *args, const struct pps_opt *options,
                                  struct pps_style_words *words,
                                  struct pps_picture_ask *pictures, struct pps_error *err)
{
    const char *output = pps_arg(args, "output"), *format = pps_arg(args, "format");
    *words = (struct pps_style_words){0};
    enum pps_status status = read_style(args, words, &pictures->style, err);
    if (status == PPS_OK && output != NULL)
        status = read_output(output, format, words, pictures, err);
    else if (status == PPS_OK)
        status = read_formats(format != NULL ? format : "png,svg", pictures, err);
    if (status != PPS_OK)
        return status;
    words->command = command_of(args, options);
    return fill_about(pps_arg_word(args, 0), words, pictures, err);
}

void pps_style_free(struct pps_style_words *words)
{
    free(words->folder);
    free(words->name);
    free(words->command);
    free(words->digest);
}
