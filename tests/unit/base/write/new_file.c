// SPDX-License-Identifier: Apache-2.0
// Files that appear when they are complete.
#include "base/write/new_file.h"
#include "tests/unit/support/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

TestSuite(new_file, .init = enter, .fini = leave);

static int entries(const char *path)
{
    DIR *list = opendir(path);
    int n = -2; // . and ..
    while (readdir(list) != NULL)
        n++;
    closedir(list);
    return n;
}

// Dies while it writes, or before the file is closed.
static void die_writing(const char *path)
{
    const pid_t child = fork();
    struct pps_new_file file;
    struct pps_error err;
    if (child == 0) {
        if (pps_new_file_open(&file, path, &pps_gate_open, &err) == PPS_OK)
            fputs("half", file.out);
        fflush(NULL);
        raise(SIGKILL);
    }
    cr_assert_eq(waitpid(child, NULL, 0), child);
}

// Catches files that a process leaves behind when it is killed.
Test(new_file, nothing_remains_of_a_process_that_is_killed)
{
    const int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    if (fd < 0)
        cr_skip_test("the file system has no files without names");
    close(fd);
    die_writing("a.csv");
    die_writing("a.csv.gz");
    cr_expect_eq(entries("."), 0);
}

// A temporary name that another file has is left to it.
Test(new_file, a_name_that_is_taken_is_not_used)
{
    struct pps_new_file file;
    struct pps_error err;
    char taken[32];
    snprintf(taken, sizeof taken, "a.%06x", (unsigned)getpid() & 0xffffffU);
    spill(taken, "mine");
    cr_assert_eq(pps_new_file_open(&file, "a", &pps_gate_open, &err), PPS_OK);
    fputs("text", file.out);
    cr_assert_eq(pps_new_file_close(&file, &err), PPS_OK);
    has_text(taken, "mine");
    has_text("a", "text");
    cr_expect_eq(entries("."), 2);
}
