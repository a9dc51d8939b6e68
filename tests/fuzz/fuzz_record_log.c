// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the file from which interrupted work resumes. Whatever the file holds, the records that are kept are those of a
// second reading, and a record that is added stays behind them. Of a damaged file, the first records are kept.
#include "base/resume/record_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 4096 };

static const char added[] = "added";

static void require(int condition)
{
    if (!condition)
        abort();
}

// The number of the records, and their bytes one after the other.
struct records {
    size_t n, bytes;
    char text[MOST];
};

static bool read_all(struct pps_record_log *log, const char *path, struct records *records)
{
    const struct pps_record_log_ask ask = {.path = path,
                                           .identity = "work 7",
                                           .work = "work",
                                           .other = "other work",
                                           .resume = true};
    struct pps_error err;
    const char *data;
    size_t n;
    *records = (struct records){.n = 0};
    if (pps_record_log_open(log, &ask, &err) != PPS_OK) {
        require(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
        return false;
    }
    for (; pps_record_log_next(log, &data, &n); records->n++, records->bytes += n)
        if (records->bytes + n <= MOST)
            memcpy(records->text + records->bytes, data, n);
    return true;
}

// Adds a record to the valid ones, and reads all again.
static void check(const char *path)
{
    static struct records before, after;
    struct pps_record_log log;
    struct pps_error err;
    if (!read_all(&log, path, &before)) {
        pps_record_log_close(&log);
        return;
    }
    pps_record_log_add(&log, added, sizeof added);
    require(pps_record_log_sync(&log, &err) == PPS_OK);
    pps_record_log_close(&log);
    require(read_all(&log, path, &after));
    pps_record_log_close(&log);
    require(after.n == before.n + 1 && after.bytes == before.bytes + sizeof added);
    if (after.bytes <= MOST) {
        require(memcmp(after.text, before.text, before.bytes) == 0);
        require(memcmp(after.text + before.bytes, added, sizeof added) == 0);
    }
}

// Writes records of the bytes: a length, then so many bytes.
static void write_records(const char *path, const uint8_t *data, size_t n,
                          struct records *written)
{
    struct pps_record_log log;
    struct pps_error err;
    require(read_all(&log, path, written));
    for (size_t i = 0, each; i < n && written->bytes + 256 <= MOST; i += 1 + each) {
        each = data[i] < n - i - 1 ? data[i] : n - i - 1;
        pps_record_log_add(&log, data + i + 1, each);
        memcpy(written->text + written->bytes, data + i + 1, each);
        written->bytes += each;
        written->n++;
    }
    require(pps_record_log_sync(&log, &err) == PPS_OK);
    pps_record_log_close(&log);
}

// Damages the file: another byte, or an earlier end. What is kept is the beginning of what was written.
static void damage(const char *path, uint8_t how, size_t at, const struct records *written)
{
    static struct records kept;
    struct pps_record_log log;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    const size_t bytes = (size_t)lseek(fd, 0, SEEK_END);
    uint8_t byte;
    require(fd >= 0 && bytes > 0);
    at %= bytes;
    require(pread(fd, &byte, 1, (off_t)at) == 1);
    byte ^= how;
    require(how == 0 ? ftruncate(fd, (off_t)at) == 0 : pwrite(fd, &byte, 1, (off_t)at) == 1);
    close(fd);
    if (read_all(&log, path, &kept)) {
        require(kept.n <= written->n && kept.bytes <= written->bytes);
        require(memcmp(kept.text, written->text, kept.bytes) == 0);
    }
    pps_record_log_close(&log);
}

// The first byte chooses: the rest is the file, or the rest is records that are damaged.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct records written;
    char path[] = "/dev/shm/fuzz-log-XXXXXX";
    if (n < 4)
        return 0;
    const bool whole = data[0] % 2 == 0;
    const int fd = mkstemp(path);
    require(fd >= 0 && (!whole || write(fd, data + 1, n - 1) == (ssize_t)(n - 1)));
    close(fd);
    if (!whole) {
        write_records(path, data + 4, n - 4, &written);
        damage(path, data[1], (size_t)data[2] << 8 | data[3], &written);
    }
    check(path);
    unlink(path);
    return 0;
}
