// SPDX-License-Identifier: Apache-2.0
// Changes of launch scripts: which bytes change, and that the changed script has the new values.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/frameworks/shell/shell_edit.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static enum shell_kind kind_of(const char *name)
{
    static const char *const ones[] = {"tp", "pp", "ep", "gbs", "layout", "nodes", "new"};
    static const char *const flags[] = {"sp", "flash"};
    for (size_t i = 0; i < COUNT_OF(ones); i++)
        if (strcmp(name, ones[i]) == 0)
            return SHELL_ONE;
    for (size_t i = 0; i < COUNT_OF(flags); i++)
        if (strcmp(name, flags[i]) == 0)
            return SHELL_FLAG;
    return strcmp(name, "modules") == 0 ? SHELL_MANY : SHELL_OTHER;
}

struct row {
    const char *text, *name, *value, *wanted; // value NULL: remove; wanted NULL: a fault
};

static const char *const siblings[] = {"pp", "tp", NULL};

static void expect_change(const struct row *row)
{
    struct pps_fault fault;
    struct shell_edit edit;
    struct text_edit changes = {.changes = NULL};
    struct text_buffer out = {.text = NULL};
    const size_t n = strlen(row->text);
    cr_assert(shell_edit_begin(&edit, row->text, n, kind_of, &fault), "%s", fault.text);
    const bool ok = row->value == NULL ? shell_remove(&edit, row->name)
                                       : shell_set(&edit, row->name, row->value, siblings);
    cr_assert(ok == (row->wanted != NULL), "%s: %s", row->text, ok ? edit.text : fault.text);
    if (ok) {
        cr_assert_str_eq(edit.text, row->wanted, "%s\ngives\n%s", row->text, edit.text);
        cr_assert(shell_edit_finish(&edit, &changes));
        text_edit_apply(&changes, row->text, n, &out);
        cr_assert_str_eq(out.text, row->wanted, "%s\ngives\n%s", row->text, out.text);
    }
    shell_edit_free(&edit);
    text_edit_free(&changes);
    text_buffer_free(&out);
}

static void expect_changes(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect_change(&rows[i]);
}

Test(shell_edit, values)
{
    static const struct row rows[] = {
        {"t --tp 8 # x\n", "tp", "16", "t --tp 16 # x\n"},
        {"t --tp 8", "tp", "8", "t --tp 8"},
        {"t --tp=8 --pp=2", "tp", "16", "t --tp=16 --pp=2"},
        {"TP=8 # of 64\nt --tp $TP --load x-${TP}", "tp", "4",
         "TP=4 # of 64\nt --tp $TP --load x-${TP}"},
        {"TP=\"8\"\nA=\"--tp ${TP} \\\n --pp 1\"\nt $A", "tp", "4",
         "TP=\"4\"\nA=\"--tp ${TP} \\\n --pp 1\"\nt $A"},
        {"TP=${TP:-8}\nt --tp \"$TP\"", "tp", "4", "TP=${TP:-4}\nt --tp \"$TP\""},
        {"#SBATCH --nodes=4\nt --tp 1 --nodes $SLURM_NNODES", "nodes", "16",
         "#SBATCH --nodes=16\nt --tp 1 --nodes $SLURM_NNODES"},
        // A variable with two meanings is detached.
        {"N=8\nt --tp $N --pp ${N}", "pp", "4", "N=8\nt --tp $N --pp 4"},
        {"TP=2\nt --tp $TP --ep $((TP * 2))", "tp", "4", "TP=2\nt --tp 4 --ep $((TP * 2))"},
        {"TP=2\nt --tp $TP --ep $((TP * 2))", "ep", "8", "TP=2\nt --tp $TP --ep 8"},
        {"TP=$1\nt --tp $TP", "tp", "4", "TP=$1\nt --tp 4"},
        {"A=(--tp $(nproc) --pp 2)\nt ${A[@]}", "tp", "4", "A=(--tp 4 --pp 2)\nt ${A[@]}"},
        {"PP=1\nif [ $PP -gt 1 ]; then A=--sp; fi\nt --pp $PP $A", "pp", "2",
         "PP=1\nif [ $PP -gt 1 ]; then A=--sp; fi\nt --pp 2 $A"},
        // The last of two decides.
        {"t --tp 1 --tp 2", "tp", "4", "t --tp 1 --tp 4"},
        // Quotes where the shell needs them.
        {"t --layout Ett", "layout", "Et|tL", "t --layout 'Et|tL'"},
        {"t --layout 'E|t'", "layout", "Et|tL", "t --layout 'Et|tL'"},
        {"t --layout \"([0]*3)\"", "layout", "([0]*3+[1]*2)", "t --layout '([0]*3+[1]*2)'"},
        {"L=1\nt --tp 1 --layout 1", "layout", "E(tt|)*2", "L=1\nt --tp 1 --layout 'E(tt|)*2'"},
        {"L='E'\nA=(--layout $L)\nt ${A[@]}", "layout", "(t|)*2",
         "L='(t|)*2'\nA=(--layout $L)\nt ${A[@]}"},
        {"A=\"--layout E --tp 1\"\nt $A", "layout", "E|L", "A=\"--layout E|L --tp 1\"\nt $A"},
        {"t --modules a b --tp 1", "modules", "c", "t --modules c --tp 1"},
        {"--tp 1\n--pp 2 # x\n", "pp", "4", "--tp 1\n--pp 4 # x\n"},
        // Only a shell can evaluate which of the two counts.
        {"A=\"--tp 1\"\nif [ -f x ]; then A=\"$A --pp 2\"; fi\nt $A", "pp", "4", NULL},
    };
    expect_changes(rows, COUNT_OF(rows));
}

Test(shell_edit, additions)
{
    static const struct row rows[] = {
        {"t --tp 8\n", "new", "5", "t --tp 8 --new 5\n"},
        {"t --tp 8 $X | tee log", "sp", "", "t --tp 8 $X --sp | tee log"},
        {"t \\\n  --tp 8 \\\n  --gbs 2\n", "new", "5",
         "t \\\n  --tp 8 \\\n  --gbs 2 \\\n  --new 5\n"},
        {"t --load x \\\n  --tp 8 \\\n  --gbs 2 \\\n\necho", "new", "5",
         "t --load x \\\n  --tp 8 \\\n  --gbs 2 \\\n  --new 5 \\\n\necho"},
        {"A=\"\n  --tp 8 \\\n  --load x \\\n\"\nt $A", "new", "5",
         "A=\"\n  --tp 8 \\\n  --load x \\\n  --new 5 \\\n\"\nt $A"},
        {"A=\"\n  --tp 8 \\\n  --load x\n\"\nt $A", "new", "5",
         "A=\"\n  --tp 8 \\\n  --load x \\\n  --new 5\n\"\nt $A"},
        {"A=(\n  --gbs 2 # two\n  --tp 8 # eight\n)\nt \"${A[@]}\" --load x", "new", "5",
         "A=(\n  --gbs 2 # two\n  --tp 8 # eight\n  --new 5\n)\nt \"${A[@]}\" --load x"},
        {"A=(--tp 8)\nt ${A[@]} --gbs 2", "new", "5", "A=(--tp 8 --new 5)\nt ${A[@]} --gbs 2"},
        {"A=(--tp 8)\nB=(--pp 2)\nt ${A[@]} ${B[@]}", "sp", "",
         "A=(--tp 8)\nB=(--pp 2 --sp)\nt ${A[@]} ${B[@]}"},
        {"A=(--tp 8)\nbash -c \"python p.py ${A[*]}\"\n", "layout", "E|L",
         "A=(--tp 8 --layout \"'E|L'\")\nbash -c \"python p.py ${A[*]}\"\n"},
        {"--tp 1\n--load 2\n", "new", "5", "--tp 1\n--load 2\n--new 5\n"},
        {"t --tp 8\n", "layout", "E|L", "t --tp 8 --layout 'E|L'\n"},
        {"A=\"--tp 8\"\nt $A\n", "layout", "E|L", "A=\"--tp 8 --layout E|L\"\nt $A\n"},
    };
    expect_changes(rows, COUNT_OF(rows));
}

Test(shell_edit, removals)
{
    static const struct row rows[] = {
        {"t --tp 8 --sp --pp 2\n", "sp", NULL, "t --tp 8 --pp 2\n"},
        {"t --tp 8 --pp 2\n", "pp", NULL, "t --tp 8\n"},
        {"t --tp 8\n", "pp", NULL, "t --tp 8\n"},
        {"t \\\n  --tp 8 \\\n  --sp \\\n  --pp 2\n", "sp", NULL,
         "t \\\n  --tp 8 \\\n  --pp 2\n"},
        {"t \\\n  --tp 8 \\\n  --pp 2\necho x\n", "pp", NULL, "t \\\n  --tp 8\necho x\n"},
        {"PP=2\nA=(\n  --tp 8\n  --pp $PP\n)\nt ${A[@]}", "pp", NULL,
         "PP=2\nA=(\n  --tp 8\n)\nt ${A[@]}"},
        {"A=\"\n  --tp 8 \\\n  --pp 2 \\\n\"\nt $A", "pp", NULL, "A=\"\n  --tp 8 \\\n\"\nt $A"},
        {"t --tp 8 --pp=2 --sp\n", "pp", NULL, "t --tp 8 --sp\n"},
        {"t --tp 8 --sp x.txt --sp\n", "sp", NULL, "t --tp 8 x.txt\n"},
        {"t --modules a b --tp 1", "modules", NULL, "t --tp 1"},
        {"A=--sp\nt $A --tp 1", "sp", NULL, "A=\nt $A --tp 1"},
    };
    expect_changes(rows, COUNT_OF(rows));
}

Test(shell_edit, variables)
{
    struct pps_fault fault;
    struct shell_edit edit;
    const char *text = "NODES=2 # x\nM=$(y)\nW=$((NODES * 8))\nt --tp 2 --ep $W\n";
    bool found;
    cr_assert(shell_edit_begin(&edit, text, strlen(text), kind_of, &fault));
    cr_assert(shell_set_variable(&edit, "OTHER", "4", &found) && !found);
    cr_assert_not(shell_set_variable(&edit, "M", "4", &found));
    // W feeds --ep: the change is refused unless --ep is set later.
    cr_assert_not(shell_set_variable(&edit, "NODES", "4", &found));
    edit.later = (const char *const[]){"ep", NULL};
    cr_assert(shell_set_variable(&edit, "NODES", "4", &found) && found);
    cr_assert_str_eq(edit.text, "NODES=4 # x\nM=$(y)\nW=$((NODES * 8))\nt --tp 2 --ep $W\n");
    shell_edit_free(&edit);
}
