// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/files.h"

char folder[64];

void enter(void)
{
    strcpy(folder, "/tmp/pps-output-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    cr_assert_eq(chdir(folder), 0);
}

void leave(void)
{
    char command[128];
    cr_assert_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

char *slurp(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL, "%s", path);
    char *text = calloc(1, 1 << 22);
    *n = fread(text, 1, (1 << 22) - 1, file);
    fclose(file);
    return text;
}

void spill(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL);
    fputs(text, file);
    fclose(file);
}

void has_text(const char *path, const char *text)
{
    size_t n;
    char *found = slurp(path, &n);
    cr_assert_str_eq(found, text, "%s", path);
    free(found);
}

void spill_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL);
    cr_assert_eq(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

void same_files(const char *a, const char *b)
{
    size_t n_a, n_b;
    char *bytes_a = slurp(a, &n_a), *bytes_b = slurp(b, &n_b);
    cr_assert_eq(n_a, n_b, "%s has %zu bytes, %s %zu", a, n_a, b, n_b);
    cr_assert_eq(memcmp(bytes_a, bytes_b, n_a), 0, "%s and %s differ", a, b);
    free(bytes_a);
    free(bytes_b);
}
