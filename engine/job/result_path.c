// SPDX-License-Identifier: Apache-2.0
// Chooses the path of a result.
#include "engine/job/result_path.h"

#include "base/system/disk.h"
#include "base/text/characters.h"
#include "base/write/gate.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MORE_PATH = 64 }; // characters that may be added to a path: a shard suffix, .json.part

// A folder, or a path without an ending to which nothing leads yet: a folder to create.
static bool is_folder(const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode);
    return slash != NULL && strchr(slash + 1, '.') == NULL;
}

static enum pps_status default_name(const struct pps_experiment *experiment, const char *folder,
                                    struct pps_resultpath *out, struct pps_error *err)
{
    const char *ending = pps_codec_ending(out->codec.kind);
    const char *slash = pps_ends_with(folder, "/") || strcmp(folder, "/") == 0 ? "" : "/";
    const int n = snprintf(out->path, sizeof out->path, "%s%s%s-%08x%s", folder, slash,
                           experiment->name, (unsigned)(experiment->digest >> 32), ending);
    if (n < 0 || (size_t)n + MORE_PATH >= sizeof out->path)
        return pps_fail(err, PPS_E_INPUT, "-o %.60s...: the path is too long", folder);
    return PPS_OK;
}

// Returns the codec of a name where the user chose none.
static struct pps_codec_choice usual_codec(const char *path)
{
    if (strcmp(path, "-") == 0 || pps_ends_with(path, ".csv"))
        return (struct pps_codec_choice){PPS_CODEC_NONE, 0};
    return (struct pps_codec_choice){
        pps_ends_with(path, ".parquet") ? PPS_CODEC_PARQUET : PPS_CODEC_ZLIB, 1};
}

// A .csv file is not compressed, a .csv.gz file is compressed.
static enum pps_status fit_codec(const char *asked, const char *path,
                                 struct pps_resultpath *out, struct pps_error *err)
{
    const struct pps_codec_choice usual = usual_codec(path);
    if (asked == NULL)
        out->codec = usual;
    const char *ending = pps_codec_ending(out->codec.kind);
    if (strcmp(ending, pps_codec_ending(usual.kind)) == 0)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "-o %s does not match --compress %s: %s %s", path, asked,
                    out->codec.kind == PPS_CODEC_PARQUET ? "a Parquet result ends in"
                    : out->codec.kind == PPS_CODEC_NONE  ? "an uncompressed result ends in"
                                                         : "a compressed result ends in",
                    ending);
}

static enum pps_status choose(const char *output, const char *codec,
                              const struct pps_experiment *experiment,
                              struct pps_resultpath *out, struct pps_error *err)
{
    const char *path = output != NULL ? output : experiment->output;
    *out = (struct pps_resultpath){.codec = {PPS_CODEC_ZLIB, 1}};
    enum pps_status status = codec != NULL ? pps_codec_parse(codec, &out->codec, err) : PPS_OK;
    if (status != PPS_OK)
        return status;
    if (path == NULL)
        return default_name(experiment, PPS_DATA_FOLDER, out, err);
    if (strcmp(path, "-") != 0 && is_folder(path))
        return default_name(experiment, path, out, err);
    if (pps_ends_with(path, ".arrow") || pps_ends_with(path, ".npz"))
        return pps_fail(err, PPS_E_INPUT,
                        "-o %s: write NAME.parquet, then ppsweep convert NAME.parquet -o %s",
                        path, path);
    if (strcmp(path, "-") != 0 && !pps_ends_with(path, ".csv") &&
        !pps_ends_with(path, ".csv.gz") && !pps_ends_with(path, ".parquet"))
        return pps_fail(
            err, PPS_E_INPUT,
            "%s %s: end the name in .csv.gz, .csv or .parquet, or in / for a folder, "
            "or - for stdout",
            output != NULL ? "-o" : "output", path);
    if (strlen(path) + MORE_PATH >= sizeof out->path)
        return pps_fail(err, PPS_E_INPUT, "-o %.60s...: the path is too long", path);
    snprintf(out->path, sizeof out->path, "%s", path);
    return fit_codec(codec, path, out, err);
}

// Inserts the shard suffix before the ending.
static void name_shard(struct pps_resultpath *out, struct pps_shard shard)
{
    const char *ending = pps_codec_ending(out->codec.kind);
    const size_t n = strlen(out->path) - strlen(ending);
    snprintf(out->path + n, sizeof out->path - n, ".shard-%u-of-%u%s", (unsigned)shard.index,
             (unsigned)shard.count, ending);
}

enum pps_status pps_resultpath_fits(const char *path, struct pps_error *err)
{
    static const char ending[] = ".json.part";
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const size_t most = NAME_MAX - (sizeof ending - 1);
    return strlen(name) <= most
               ? PPS_OK
               : pps_fail(err, PPS_E_INPUT,
                          "%.60s...: the name of the result has %zu bytes; write at most %zu, "
                          "since names of related files are longer",
                          name, strlen(name), most);
}

// A file must not replace what the experiment reads: its points and its documents.
static enum pps_status check_read(const char *path, const struct pps_experiment *experiment,
                                  struct pps_error *err)
{
    const cJSON *points = pps_json_member(experiment->resolved, "points");
    const char *document;
    enum pps_status status =
        pps_gate_apart(path, points != NULL ? points->valuestring : NULL, err);
    for (int i = 0;
         status == PPS_OK && (document = pps_documents_path(experiment->inputs, i)) != NULL;
         i++)
        status = pps_gate_apart(path, document, err);
    return status;
}

// Neither the result nor a file beside it may be one that the run reads.
static enum pps_status check_all_read(const char *path, const struct pps_experiment *experiment,
                                      struct pps_error *err)
{
    static const char *const endings[] = {"",      ".idx",      ".json",
                                          ".part", ".idx.part", ".json.part"};
    char file[sizeof((struct pps_resultpath *)NULL)->path + sizeof ".json.part"];
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && status == PPS_OK; i++) {
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        status = check_read(file, experiment, err);
    }
    return status;
}

enum pps_status pps_resultpath_choose(const char *output, const char *codec,
                                      const struct pps_experiment *experiment,
                                      struct pps_shard shard, struct pps_resultpath *out,
                                      struct pps_error *err)
{
    enum pps_status status = choose(output, codec, experiment, out, err);
    if (status == PPS_OK && shard.count > 0 && strcmp(out->path, "-") != 0)
        name_shard(out, shard);
    if (status == PPS_OK)
        status = pps_resultpath_fits(out->path, err);
    return status == PPS_OK ? check_all_read(out->path, experiment, err) : status;
}

enum pps_status pps_resultpath_folder(const struct pps_resultpath *path, struct pps_error *err)
{
    char folder[sizeof path->path];
    const char *slash = strrchr(path->path, '/');
    if (slash == NULL || slash == path->path)
        return PPS_OK;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path->path), path->path);
    return pps_disk_make_folder(folder, err);
}

bool pps_resultpath_is_beside(const char *path)
{
    return pps_ends_with(path, ".idx") || pps_ends_with(path, ".json") ||
           pps_ends_with(path, ".idx.part") || pps_ends_with(path, ".json.part");
}

enum pps_status pps_resultpath_check(const char *path, struct pps_error *err)
{
    if (!pps_resultpath_is_beside(path))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "%s is not a result; name a .csv.gz or .csv", path);
}
