// SPDX-License-Identifier: Apache-2.0
// Reads typed rows and passes them to a sink.
#include "engine/convert/convert.h"

#include "base/columns/schema.h"
#include "base/document/json.h"
#include "base/text/characters.h"
#include "base/text/nearest.h"
#include "base/write/new_file.h"
#include "engine/convert/sink.h"
#include "engine/convert/typed_rows.h"
#include "engine/manifest/manifest_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GROUP_ROWS = 131072, GROUP_BYTES = 8 << 20 };

static const struct pps_format *const formats[] = PPS_CONVERT_LIST;
enum { N_FORMATS = sizeof formats / sizeof *formats };

// ---- metadata -----------------------------------------------------------------------------------

// Members that describe the file and not its rows.
static const char *const omitted[] = {"text_bytes", "data_bytes", "block_points",
                                      "codec",      "dtypes",     "manifest_digest"};

// Sets *text to JSON: the members of the manifest beside the result that describe its rows, without
// sizes and checksums of the file, and the kinds of the columns as "dtypes". "{...}" with the kinds
// alone if there is no manifest. The caller frees it.
static enum pps_status describe_rows(const char *path, const struct pps_schema *schema,
                                     char **text, struct pps_error *err)
{
    cJSON *root = NULL;
    *text = NULL;
    enum pps_status status = pps_manifest_known(path, &root, err);
    if (status != PPS_OK)
        return status;
    if (root == NULL)
        root = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof omitted / sizeof *omitted; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(root, omitted[i]);
    cJSON *dtypes = cJSON_AddObjectToObject(root, "dtypes");
    for (int c = 0; c < schema->n; c++)
        cJSON_AddStringToObject(dtypes, schema->names[c], pps_cell_kind_name(schema->kinds[c]));
    *text = pps_json_print_line(root);
    cJSON_Delete(root);
    return *text != NULL ? PPS_OK : pps_fail_memory(err, "the manifest of %s", path);
}

// ---- formats ----------------------------------------------------------------------------------

static bool has_ending(const struct pps_format *format, const char *path)
{
    for (int e = 0; format->endings[e] != NULL; e++)
        if (pps_ends_with(path, format->endings[e]))
            return true;
    return false;
}

static enum pps_status find_by_name(const char *name, const struct pps_format **format,
                                    struct pps_error *err)
{
    const char *names[N_FORMATS];
    for (int f = 0; f < N_FORMATS; f++) {
        names[f] = formats[f]->name;
        if (strcmp(name, names[f]) == 0) {
            *format = formats[f];
            return PPS_OK;
        }
    }
    if (strcmp(name, "npy") == 0)
        return pps_fail(
            err, PPS_E_INPUT,
            "--format npy: a .npy file holds one array; npz holds one .npy per column");
    const struct pps_hint hint = pps_did_you_mean(name, names, N_FORMATS);
    return pps_fail(err, PPS_E_INPUT, "--format %.40s: expected " PPS_CONVERT_FORMATS "%s",
                    name, hint.text);
}

static const struct pps_format *find_by_ending(const char *output)
{
    for (int f = 0; f < N_FORMATS; f++)
        if (has_ending(formats[f], output))
            return formats[f];
    return NULL;
}

static enum pps_status find_format(const struct pps_convert_ask *ask,
                                   const struct pps_format **format, struct pps_error *err)
{
    const bool to_stdout = strcmp(ask->output, "-") == 0;
    const struct pps_format *named = find_by_ending(ask->output);
    *format = to_stdout ? &pps_format_csv : named;
    if (ask->format != NULL) {
        const enum pps_status status = find_by_name(ask->format, format, err);
        if (status != PPS_OK)
            return status;
    }
    if (*format == NULL && pps_ends_with(ask->output, ".npy"))
        return pps_fail(err, PPS_E_INPUT,
                        "-o %s: a .npy file holds one array; end the name in .npz, which holds "
                        "one .npy per column",
                        ask->output);
    if (*format == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "-o %s: end the name in " PPS_CONVERT_ENDINGS ", or add --format",
                        ask->output);
    if (named != NULL && named != *format)
        return pps_fail(err, PPS_E_INPUT,
                        "-o %s does not match --format %s: end the name in %s", ask->output,
                        ask->format, (*format)->endings[0]);
    if (to_stdout && !(*format)->to_stdout)
        return pps_fail(err, PPS_E_INPUT, "-o -: %s cannot be written to stdout; name a file",
                        (*format)->name);
    return PPS_OK;
}

// ---- rows -------------------------------------------------------------------------------------

static enum pps_status copy_rows(const struct pps_format *format, void *sink,
                                 struct pps_typed_rows *rows, uint64_t group_rows,
                                 struct pps_error *err)
{
    struct text_buffer block = {.text = NULL};
    enum pps_status status;
    do {
        const uint64_t first = rows->n_rows + 1;
        status = pps_typed_rows_next(rows, group_rows, GROUP_BYTES, &block, err);
        if (status == PPS_OK && block.n > 0)
            status = format->block(sink, block.text, block.n, first, err);
        if (status == PPS_E_INPUT && err->file[0] == '\0')
            snprintf(err->file, sizeof err->file, "%s", rows->view.path);
    } while (status == PPS_OK && block.n > 0);
    text_buffer_free(&block);
    return status;
}

static enum pps_status write_to(const struct pps_format *format,
                                const struct pps_convert_ask *ask,
                                const struct pps_sink_target *target,
                                struct pps_typed_rows *rows, struct pps_error *err)
{
    void *sink;
    enum pps_status status = format->open(&sink, target, err);
    if (status != PPS_OK)
        return status;
    status =
        copy_rows(format, sink, rows, ask->group_rows > 0 ? ask->group_rows : GROUP_ROWS, err);
    if (status == PPS_OK)
        status = format->finish(sink, err);
    format->close(sink);
    return status;
}

static enum pps_status write_file(const struct pps_format *format,
                                  const struct pps_convert_ask *ask,
                                  struct pps_typed_rows *rows, struct pps_error *err)
{
    struct pps_new_file file;
    char creator[64], *metadata = NULL;
    snprintf(creator, sizeof creator, "ppsweep version %s", ask->version);
    enum pps_status status = pps_new_file_open(&file, ask->output, ask->gate, err);
    if (status != PPS_OK)
        return status;
    status = describe_rows(ask->view.path, &rows->schema, &metadata, err);
    if (status == PPS_OK) {
        const struct pps_sink_target target = {&rows->schema, metadata,  creator,
                                               file.out,      file.path, ask->view.watch.stop};
        status = write_to(format, ask, &target, rows, err);
    }
    free(metadata);
    return pps_new_file_end(&file, status, err);
}

enum pps_status pps_convert(const struct pps_convert_ask *ask, struct pps_converted *done,
                            struct pps_error *err)
{
    const struct pps_format *format;
    struct pps_typed_rows rows;
    struct stat info;
    *done = (struct pps_converted){.rows = 0};
    enum pps_status status = find_format(ask, &format, err);
    if (status == PPS_OK && strcmp(ask->output, "-") != 0)
        status = pps_gate_check(ask->gate, ask->output, err);
    if (status == PPS_OK)
        status = pps_typed_rows_open(&rows, &ask->view, ask->columns, err);
    if (status != PPS_OK)
        return status;
    status = write_file(format, ask, &rows, err);
    done->rows = rows.n_rows;
    done->columns = rows.schema.n;
    if (status == PPS_OK && strcmp(ask->output, "-") != 0 && stat(ask->output, &info) == 0)
        done->bytes = (uint64_t)info.st_size;
    pps_typed_rows_close(&rows);
    return status;
}
