// SPDX-License-Identifier: Apache-2.0
// Reads numbers in cells, and the manifest beside a result.
#include "engine/read/result.h"

#include "base/system/disk.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST_MAX ((off_t)64 << 20) // bytes
#define NUMBER_MAX   400               // characters; any double with 17 decimals is shorter

// ---- numbers --------------------------------------------------------------------------------

// Reads [-]digits[.digits] with at most 15 digits in all. Both the digits and the power of ten
// are exact, so one division rounds as strtod does. Returns false for any other text, even if
// it is a number.
static bool read_short(struct pps_cell cell, double *value)
{
    static const double scale[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    size_t i = cell.n > 0 && cell.text[0] == '-', first = i, point = cell.n;
    uint64_t digits = 0;
    if (cell.n - first > 16)
        return false;
    for (; i < cell.n; i++) {
        unsigned digit = (unsigned)((unsigned char)cell.text[i] - '0');
        if (digit <= 9)
            digits = digits * 10 + digit;
        else if (cell.text[i] == '.' && point == cell.n && i > first)
            point = i;
        else
            return false;
    }
    size_t decimals = point == cell.n ? 0 : cell.n - point - 1;
    size_t n_digits = cell.n - first - (point != cell.n);
    if (n_digits == 0 || n_digits > 15)
        return false;
    double magnitude = (double)digits / scale[decimals];
    *value = first == 1 ? -magnitude : magnitude;
    return true;
}

// strtod accepts more than this program writes: spaces, hexadecimal numbers, infinities.
static bool is_decimal(struct pps_cell cell)
{
    for (size_t i = 0; i < cell.n; i++)
        if (cell.text[i] == '\0' || strchr("0123456789+-.eE", cell.text[i]) == NULL)
            return false;
    return cell.n > 0;
}

int pps_cell_number(struct pps_cell cell, double *value)
{
    char text[NUMBER_MAX + 1];
    char *end;
    double number;
    if (read_short(cell, value))
        return true;
    if (cell.n > NUMBER_MAX || !is_decimal(cell))
        return false;
    memcpy(text, cell.text, cell.n);
    text[cell.n] = '\0';
    number = strtod(text, &end);
    if (end != text + cell.n || !isfinite(number))
        return false;
    *value = number;
    return true;
}

// ---- the manifest ---------------------------------------------------------------------------

static enum pps_status fail_read(const char *path, struct pps_error *err)
{
    return pps_disk_fail(err, "cannot read", path);
}

// Reads exactly n bytes.
static enum pps_status read_all(int fd,
                                const char *path,
                                char *text,
                                size_t n,
                                struct pps_error *err)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = read(fd, text + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_read(path, err);
        if (got == 0)
            return pps_fail_at(err, PPS_E_INPUT, path, 0, 0,
                               "became shorter while it was read");
        done += (size_t)got;
    }
    return PPS_OK;
}

static enum pps_status parse(int fd,
                             const char *path,
                             struct cJSON **manifest,
                             struct pps_error *err)
{
    struct stat at;
    if (fstat(fd, &at) != 0)
        return fail_read(path, err);
    if (!S_ISREG(at.st_mode) || at.st_size > MANIFEST_MAX)
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "is not a manifest");
    size_t n = (size_t)at.st_size;
    char *text = malloc(n + 1);
    if (text == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory to read %s", path);
    enum pps_status status = read_all(fd, path, text, n, err);
    text[n] = '\0';
    if (status == PPS_OK) {
        *manifest = cJSON_ParseWithLengthOpts(text, n + 1, NULL, true);
        if (!cJSON_IsObject(*manifest))
            status =
                pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "is damaged: expected a JSON object");
    }
    free(text);
    return status;
}

static bool has_manifest(const char *path)
{
    size_t n = strlen(path);
    return strcmp(path, "-") != 0 && !(n >= 5 && strcmp(path + n - 5, ".part") == 0);
}

enum pps_status pps_result_manifest_of(const char *path,
                                       const char *ending,
                                       struct cJSON **manifest,
                                       struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    *manifest = NULL;
    size_t n = strlen(path) + strlen(ending) + 1;
    char *name = malloc(n);
    if (name == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory for a path");
    snprintf(name, n, "%s%s", path, ending);
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        status = parse(fd, name, manifest, err);
    else if (errno != ENOENT)
        status = fail_read(name, err);
    if (status != PPS_OK) {
        cJSON_Delete(*manifest);
        *manifest = NULL;
    }
    if (fd >= 0)
        close(fd);
    free(name);
    return status;
}

enum pps_status pps_result_manifest(const char *path,
                                    struct cJSON **manifest,
                                    struct pps_error *err)
{
    *manifest = NULL;
    return has_manifest(path) ? pps_result_manifest_of(path, ".json", manifest, err) : PPS_OK;
}
