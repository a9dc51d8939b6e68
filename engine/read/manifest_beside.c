// SPDX-License-Identifier: Apache-2.0
// Reads numbers in cells, and the manifest beside a result.
#include "engine/read/result.h"

#include "base/system/whole_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANIFEST_MAX ((size_t)64 << 20) // bytes
#define NUMBER_MAX   400                // characters; any double with 17 decimals is shorter

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

static enum pps_status parse(const char *path, struct cJSON **manifest, struct pps_error *err)
{
    char *text;
    size_t n;
    enum pps_status status = pps_whole_file_read_regular(path, MANIFEST_MAX, &text, &n, err);
    if (status != PPS_OK)
        return status;
    *manifest = cJSON_ParseWithLengthOpts(text, n + 1, NULL, true);
    free(text);
    if (cJSON_IsObject(*manifest))
        return PPS_OK;
    cJSON_Delete(*manifest);
    *manifest = NULL;
    return pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "is damaged: expected a JSON object");
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
    if (access(name, F_OK) == 0 || errno != ENOENT)
        status = parse(name, manifest, err);
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
