// SPDX-License-Identifier: Apache-2.0
// Opens and reads the files of shards, and writes their names and commands.
#include "engine/check/shard_file.h"

#include "base/system/disk.h"
#include "base/text/characters.h"
#include "engine/manifest/manifest_file.h"
#include "engine/store/file_end.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const char *path, const char *ending)
{
    char *name = NULL;
    const bool there = asprintf(&name, "%s%s", path, ending) >= 0 && access(name, F_OK) == 0;
    free(name);
    return there;
}

static const char *command_of(const cJSON *manifest)
{
    const char *command =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(manifest, "command"));
    return command != NULL ? command : "";
}

// ---- opening ----------------------------------------------------------------------------------

// path is the path of the result, without .part.
static enum pps_status fail_part(const char *path, struct pps_error *err)
{
    struct pps_error unused;
    cJSON *manifest = NULL;
    (void)!pps_manifest_beside(path, ".json.part", &manifest, &unused);
    const char *command = command_of(manifest);
    const char *more = strstr(command, "--resume") != NULL ? "" : " --resume";
    enum pps_status status;
    if (command[0] != '\0')
        status = pps_fail(err, PPS_E_INPUT, "%s is not complete; to continue it: %s%s", path,
                          command, more);
    else
        status = pps_fail(err, PPS_E_INPUT,
                          "%s is not complete; to continue it, repeat its command with "
                          "--resume",
                          path);
    cJSON_Delete(manifest);
    return status;
}

static enum pps_status look_for_part(const char *path, struct pps_error *err)
{
    if (!pps_ends_with(path, ".part"))
        return is_there(path, ".part") && !is_there(path, "") ? fail_part(path, err) : PPS_OK;
    char *whole = strndup(path, strlen(path) - strlen(".part"));
    if (whole == NULL)
        return pps_fail_memory(err, "a path");
    enum pps_status status = fail_part(whole, err);
    free(whole);
    return status;
}

static enum pps_status open_index(struct pps_shardfile *file, struct pps_error *err)
{
    enum pps_index_reader_state state;
    enum pps_status status = pps_index_reader_open(&file->index, file->index_path, &state, err);
    if (status != PPS_OK)
        return status;
    if (state == PPS_INDEX_READER_MISSING)
        return pps_fail(err, PPS_E_INPUT, "%s is missing: %s cannot be merged without it",
                        file->index_path, file->path);
    if (state != PPS_INDEX_READER_WHOLE)
        return pps_fail_at(err, PPS_E_INPUT, file->index_path, 0, 0, "is damaged: no index");
    const struct pps_index_head *head = &file->index.head;
    if (head->n_shards == 0 || head->shard >= head->n_shards || head->block_points == 0)
        return pps_fail_at(err, PPS_E_INPUT, file->index_path, 0, 0, "is damaged: no index");
    const struct pps_shard shard = {head->shard, head->n_shards};
    const struct pps_blocks blocks = {head->n_points, head->block_points};
    const uint64_t expected = pps_shard_blocks(shard, blocks) + 1;
    if (file->index.n_records != expected || file->index.rest_bytes > 0)
        return pps_fail_at(err, PPS_E_INPUT, file->index_path, 0, 0,
                           "is damaged: it should have %llu records and has %llu",
                           (unsigned long long)expected,
                           (unsigned long long)file->index.n_records);
    return PPS_OK;
}

static enum pps_status open_manifest(struct pps_shardfile *file, struct pps_error *err)
{
    char *name = NULL;
    if (!is_there(file->path, ".json"))
        return pps_fail(err, PPS_E_INPUT, "%s.json is missing: %s cannot be merged without it",
                        file->path, file->path);
    if (asprintf(&name, "%s.json", file->path) < 0)
        return pps_fail_memory(err, "a path");
    enum pps_status status =
        pps_manifest_file_read(name, PPS_MANIFEST_SPELLED, &file->manifest, err);
    free(name);
    return status;
}

static enum pps_status check_begin(struct pps_shardfile *file, struct pps_error *err)
{
    const enum pps_codec_kind kind = (enum pps_codec_kind)file->index.head.codec_kind;
    bool ours;
    enum pps_status status = pps_file_start_check(kind, file->fd, file->path, &ours, err);
    if (status == PPS_OK && !ours)
        return pps_fail_at(err, PPS_E_INPUT, file->path, 0, 0,
                           "is damaged: its gzip header is invalid");
    file->seen.data_bytes = pps_file_start_bytes(kind);
    return status;
}

static enum pps_status open_parts(struct pps_shardfile *file, const char *path,
                                  struct pps_error *err)
{
    uint64_t bytes;
    file->path = strdup(path);
    if (file->path == NULL || asprintf(&file->index_path, "%s.idx", path) < 0) {
        file->index_path = NULL;
        return pps_fail_memory(err, "a path");
    }
    enum pps_status status = pps_disk_open_regular(path, &file->fd, &bytes, err);
    if (status == PPS_OK)
        status = open_index(file, err);
    if (status == PPS_OK)
        status = open_manifest(file, err);
    return status == PPS_OK ? check_begin(file, err) : status;
}

enum pps_status pps_shardfile_open(struct pps_shardfile *file, const char *path,
                                   struct pps_error *err)
{
    *file = (struct pps_shardfile){.fd = -1, .index.fd = -1};
    pps_whole_prefix_begin(&file->seen);
    enum pps_status status = look_for_part(path, err);
    if (status == PPS_OK)
        status = open_parts(file, path, err);
    if (status != PPS_OK)
        pps_shardfile_close(file);
    return status;
}

void pps_shardfile_close(struct pps_shardfile *file)
{
    pps_index_reader_close(&file->index);
    if (file->fd >= 0)
        close(file->fd);
    cJSON_Delete(file->manifest);
    free(file->path);
    free(file->index_path);
    *file = (struct pps_shardfile){.fd = -1, .index.fd = -1};
}

// ---- reading ----------------------------------------------------------------------------------

enum pps_status pps_shardfile_next(struct pps_shardfile *file, struct pps_index_record *record,
                                   uint64_t left_out[PPS_MAX_REASONS], struct pps_error *err)
{
    const uint64_t i = file->seen.n_records;
    const uint64_t block = i == 0 ? UINT64_MAX : pps_whole_prefix_block(&file->index.head, i);
    bool valid;
    enum pps_status status =
        pps_index_reader_read(&file->index, i, record, left_out, &valid, err);
    if (status != PPS_OK)
        return status;
    if (!valid || record->index != block || record->offset != file->seen.data_bytes)
        return pps_fail_at(err, PPS_E_INPUT, file->index_path, 0, 0,
                           i == 0 ? "is damaged: the record of the header line is wrong"
                                  : "is damaged: the record of block %llu is wrong",
                           (unsigned long long)block);
    pps_whole_prefix_add(&file->seen, record, left_out);
    return PPS_OK;
}

enum pps_status pps_shardfile_end(const struct pps_shardfile *file, struct pps_error *err)
{
    const struct pps_file_end end = {.kind = (enum pps_codec_kind)file->index.head.codec_kind,
                                     .fd = file->fd,
                                     .path = file->path,
                                     .data_bytes = file->seen.data_bytes,
                                     .text_bytes = file->seen.text_bytes,
                                     .text_crc = file->seen.text_crc};
    bool matches;
    uint64_t wanted, bytes;
    enum pps_status status = pps_file_end_check(&end, &matches, &wanted, err);
    if (status == PPS_OK)
        status = pps_disk_size(file->fd, file->path, &bytes, err);
    if (status == PPS_OK && (!matches || bytes != wanted))
        return pps_fail_at(err, PPS_E_INPUT, file->path, 0, 0,
                           "is damaged: it does not end after its last block");
    return status;
}

// ---- names and commands -----------------------------------------------------------------------

// Returns the length of an option " --shard K/N" or " --shard=K/N" at `at`, abbreviations
// included; otherwise 0.
static size_t shard_words(const char *at)
{
    static const char name[] = " --shard";
    size_t n = 0;
    while (n < sizeof name - 1 && at[n] == name[n])
        n++;
    if (n < strlen(" --sh") || (at[n] != ' ' && at[n] != '='))
        return 0;
    return n + 1 + strcspn(at + n + 1, " ");
}

char *pps_shardfile_command(const struct pps_shardfile *file, struct pps_shard shard)
{
    const char *line = command_of(file->manifest);
    char *command = NULL, option[48] = "";
    if (shard.count > 0)
        snprintf(option, sizeof option, " --shard %u/%u", (unsigned)shard.index,
                 (unsigned)shard.count);
    const char *at = strstr(line, " --sh");
    while (at != NULL && shard_words(at) == 0)
        at = strstr(at + 1, " --sh");
    const size_t before = at != NULL ? (size_t)(at - line) : strlen(line);
    const char *after = at != NULL ? at + shard_words(at) : "";
    if (asprintf(&command, "%.*s%s%s", (int)before, line, option, after) < 0)
        return NULL;
    return command;
}

char *pps_shardfile_sibling(const struct pps_shardfile *file, struct pps_shard shard)
{
    const struct pps_index_head *head = &file->index.head;
    const char *ending = pps_codec_ending((enum pps_codec_kind)file->index.head.codec_kind);
    char own[64], other[64] = "", *name = NULL;
    snprintf(own, sizeof own, ".shard-%u-of-%u%s", (unsigned)head->shard,
             (unsigned)head->n_shards, ending);
    if (!pps_ends_with(file->path, own))
        return NULL;
    if (shard.count > 0)
        snprintf(other, sizeof other, ".shard-%u-of-%u", (unsigned)shard.index,
                 (unsigned)shard.count);
    const size_t stem = strlen(file->path) - strlen(own);
    if (asprintf(&name, "%.*s%s%s", (int)stem, file->path, other, ending) < 0)
        return NULL;
    return name;
}
