// SPDX-License-Identifier: Apache-2.0
// Which files may be written, and what a mark says about a file.
#include "base/write/new_file.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(gate, .init = enter, .fini = leave);

static const struct pps_gate run_1 = {.maker = {"top", 1}}, run_2 = {.maker = {"top", 2}},
                             other = {.maker = {"slice", 3}},
                             forced = {.force = true, .maker = {"top", 4}};

static enum pps_status put(const char *path, const struct pps_gate *gate, const char *text)
{
    struct pps_error err;
    struct pps_new_file file;
    if (pps_new_file_open(&file, path, gate, &err) != PPS_OK)
        return PPS_E_INPUT;
    fputs(text, file.out);
    return pps_new_file_close(&file, &err);
}

static void refuses(const struct pps_gate *gate, const char *path, const char *why)
{
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_gate_check(gate, path, &err), PPS_E_INPUT, "%s", path);
    cr_assert(strstr(err.text, why) != NULL, "%s", err.text);
}

static void append(const char *path, const char *text)
{
    FILE *out = fopen(path, "a");
    fputs(text, out);
    fclose(out);
}

Test(gate, own_files_that_nobody_edited_are_replaced)
{
    struct pps_error err;
    cr_assert_eq(put("a", &run_1, "1"), PPS_OK);
    cr_assert_eq(pps_gate_check(&run_2, "a", &err), PPS_OK);
    cr_assert_eq(put("a", &run_2, "2"), PPS_OK);
    refuses(&run_2, "a", "two files of this command");
    refuses(&other, "a", "a exists; --force replaces it");
    append("a", "x");
    refuses(&run_1, "a", "a was edited; --force replaces it");
    cr_assert_eq(put("a", &forced, "3"), PPS_OK);
    refuses(&forced, "a", "two files of this command");
}

// An edit that keeps length and date is an edit.
Test(gate, an_edit_of_one_byte)
{
    struct stat before;
    cr_assert_eq(put("a", &run_1, "123"), PPS_OK);
    cr_assert_eq(stat("a", &before), 0);
    FILE *out = fopen("a", "r+");
    fputs("124", out);
    fclose(out);
    const struct timespec times[] = {before.st_atim, before.st_mtim};
    cr_assert_eq(utimensat(AT_FDCWD, "a", times, 0), 0);
    refuses(&run_2, "a", "was edited");
}

Test(gate, files_of_users)
{
    struct pps_error err;
    append("mine", "mine");
    cr_assert_eq(symlink("mine", "link"), 0);
    cr_assert_eq(symlink("nothing", "dangling"), 0);
    cr_assert_eq(mkdir("folder", 0777), 0);
    cr_assert_eq(mkfifo("pipe", 0666), 0);
    refuses(&run_1, "mine", "mine exists");
    refuses(&run_1, "link", "link exists");
    refuses(&run_1, "dangling", "dangling exists");
    refuses(&forced, "folder", "is a folder");
    refuses(&forced, "pipe", "not a regular file");
    cr_assert_eq(pps_gate_check(&forced, "mine", &err), PPS_OK);
    cr_assert_eq(pps_gate_check(&run_1, "new", &err), PPS_OK);
}

Test(gate, own_file_behind_a_link_of_the_user)
{
    cr_assert_eq(put("a", &run_1, "1"), PPS_OK);
    cr_assert_eq(symlink("a", "link"), 0);
    refuses(&run_2, "link", "link exists");
}

Test(gate, what_is_read)
{
    const char *const inputs[] = {"r.csv", "-", "x=3", "name", "none"};
    struct pps_gate reading = forced;
    struct pps_error err;
    reading.inputs = inputs;
    reading.n_inputs = sizeof inputs / sizeof *inputs;
    append("r.csv", "1");
    append("r.csv.idx", "1");
    append("r.csv.json", "1");
    append("name.json", "1"); // "name" is no file, so it has nothing beside it
    cr_assert_eq(link("r.csv", "hard"), 0);
    cr_assert_eq(symlink("r.csv", "soft"), 0);
    static const char *const refused[] = {"r.csv",      "./r.csv", "r.csv.idx",
                                          "r.csv.json", "hard",    "soft"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        refuses(&reading, refused[i], "belongs to the input");
    cr_assert_eq(pps_gate_check(&reading, "name.json", &err), PPS_OK);
}

Test(gate, two_names_of_one_file)
{
    static const char *const same[][2] = {{"a", "a"},
                                          {"a", "./a"},
                                          {"no/more/a", "./no//more/./a"},
                                          {"folder/a", "link/a"}};
    static const char *const others[][2] = {{"a", "b"},
                                            {"no/a", "a"},
                                            {"no/a", "no/b"},
                                            {"a", NULL}};
    struct pps_error err = {.text = ""};
    cr_assert_eq(mkdir("folder", 0777), 0);
    cr_assert_eq(symlink("folder", "link"), 0);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        cr_assert_eq(pps_gate_check_all(&run_1, same[i], 2, &err), PPS_E_INPUT, "%s",
                     same[i][1]);
        cr_assert(strstr(err.text, "two files of this command") != NULL);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_assert_eq(pps_gate_check_all(&run_1, others[i], 2, &err), PPS_OK, "%s", err.text);
}

// A copy is a file of the user.
Test(gate, a_mark_stays_with_its_file)
{
    struct pps_error err;
    char text[] = "1";
    cr_assert_eq(put("a", &run_1, text), PPS_OK);
    append("copy", text);
    refuses(&run_2, "copy", "copy exists");
    cr_assert_eq(rename("a", "b"), 0);
    cr_assert_eq(pps_gate_check(&run_2, "b", &err), PPS_OK);
}

Test(gate, gzip_has_a_mark_too)
{
    cr_assert_eq(put("a.gz", &run_1, "1"), PPS_OK);
    cr_assert_eq(put("a.gz", &run_2, "2"), PPS_OK);
}

// ---- folders ------------------------------------------------------------------------------------

Test(gate, folders_that_are_created_and_removed)
{
    struct pps_error err;
    struct pps_new_file file;
    cr_assert_eq(mkdir("a", 0777), 0);
    cr_assert_eq(pps_new_file_open(&file, "a/b//c/d", &run_1, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(access("a/b/c", F_OK), 0);
    pps_new_file_abandon(&file);
    cr_assert_neq(access("a/b", F_OK), 0);
    cr_assert_eq(access("a", F_OK), 0);
    cr_assert_eq(put("a/b/c/d", &run_1, "1"), PPS_OK);
    cr_assert_eq(pps_new_file_open(&file, "a/b/c/e", &run_1, &err), PPS_OK);
    pps_new_file_abandon(&file);
    cr_assert_eq(access("a/b/c/d", F_OK), 0);
}

// A file that appears while another one of its name is written is not replaced.
Test(gate, a_file_that_appears_meanwhile)
{
    struct pps_error err = {.text = ""};
    struct pps_new_file file;
    cr_assert_eq(pps_new_file_open(&file, "x/a", &run_1, &err), PPS_OK);
    append("x/a", "mine");
    cr_assert_eq(pps_new_file_close(&file, &err), PPS_E_INPUT);
    cr_assert(strstr(err.text, "x/a exists") != NULL);
    cr_assert_eq(access("x/a", F_OK), 0);
}
