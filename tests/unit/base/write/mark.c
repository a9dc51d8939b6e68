// SPDX-License-Identifier: Apache-2.0
// Marks on file systems with extended attributes and without. This file replaces the functions of
// attributes with its own, which can fail like those of a file system without attributes.
#include "base/write/mark.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool lacks_attributes;

int lsetxattr(const char *path, const char *name, const void *value, size_t size, int flags)
{
    errno = ENOTSUP;
    return lacks_attributes ? -1 : (int)syscall(SYS_lsetxattr, path, name, value, size, flags);
}

ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
    errno = ENOTSUP;
    return lacks_attributes ? -1 : (ssize_t)syscall(SYS_lgetxattr, path, name, value, size);
}

TestSuite(mark, .init = enter, .fini = leave);

static const struct pps_maker first = {"top", 1}, second = {"top", 2}, other = {"slice", 2},
                              none = {NULL, 2};

static void marks(const char *path)
{
    cr_assert_eq(pps_mark_look(path, &second), PPS_MARK_NONE);
    pps_mark_set(path, path, &none);
    cr_assert_eq(pps_mark_look(path, &second), PPS_MARK_NONE);
    pps_mark_set(path, path, &first);
    cr_assert_eq(pps_mark_look(path, &first), PPS_MARK_NOW);
    cr_assert_eq(pps_mark_look(path, &second), PPS_MARK_VALID);
    cr_assert_eq(pps_mark_look(path, &other), PPS_MARK_NONE);
    cr_assert_eq(pps_mark_look(path, &none), PPS_MARK_NONE);
    cr_assert_eq(truncate(path, 3), 0);
    cr_assert_eq(pps_mark_look(path, &second), PPS_MARK_EDITED);
    pps_mark_set(path, path, &second);
    cr_assert_eq(pps_mark_look(path, &first), PPS_MARK_VALID);
}

Test(mark, with_attributes)
{
    spill("a.csv", "n,t\n");
    marks("a.csv");
    cr_assert(!is_there(".a.csv.ppsweep"));
}

Test(mark, without_attributes)
{
    lacks_attributes = true;
    cr_assert_eq(mkdir("b", 0777), 0);
    spill("a.csv", "n,t\n");
    spill("b/a.csv", "n,t\n");
    marks("a.csv");
    marks("b/a.csv");
    cr_assert(is_there(".a.csv.ppsweep"));
    cr_assert(is_there("b/.a.csv.ppsweep"));
}

// A mark beside is a file of this program only: a link there leads nowhere.
Test(mark, a_link_in_place_of_a_mark)
{
    lacks_attributes = true;
    spill("a", "1");
    spill("mine", "mine");
    cr_assert_eq(symlink("mine", ".a.ppsweep"), 0);
    pps_mark_set("a", "a", &first);
    cr_assert_eq(pps_mark_look("a", &second), PPS_MARK_NONE);
    has_text("mine", "mine");
}
