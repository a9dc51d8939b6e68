// SPDX-License-Identifier: Apache-2.0
// Launch scripts: the words of the commands that the reader finds, what stays unresolved, the places
// of values, and the errors of scripts that do not end.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text_buffer.h"
#include "kernels/frameworks/shell/shell_arguments.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static void read_script(struct shell_script *script, const char *text)
{
    struct pps_fault fault;
    cr_assert(shell_read(script, text, strlen(text), &fault), "%s\n%d:%d: %s", text, fault.line,
              fault.column, fault.text);
}

// Writes the words of all commands that have an option, each in < >: <?> unresolved, a ! in front of
// a word that may be missing. Commands are separated by newlines.
static void words_of(const struct shell_script *script, struct text_buffer *words)
{
    for (size_t i = 0; i < script->n_commands; i++) {
        const struct shell_command *command = &script->commands[i];
        bool options = false;
        for (size_t k = 0; k < command->n; k++)
            options = options || strncmp(command->words[k].bytes, "--", 2) == 0;
        for (size_t k = 0; options && k < command->n; k++)
            text_buffer_add(words, "%s<%s>",
                            shell_uncertain(&command->words[k]) >= 0 ? "!" : "",
                            command->words[k].bytes);
        if (options)
            text_buffer_add(words, "\n");
    }
}

struct row {
    const char *text, *words;
};

static void expect_words(const struct row *row)
{
    struct shell_script script;
    struct text_buffer words = {.text = NULL};
    read_script(&script, row->text);
    text_buffer_add(&words, "%s", "");
    words_of(&script, &words);
    cr_assert_str_eq(words.text, row->words, "%s\ngives %s", row->text, words.text);
    text_buffer_free(&words);
    shell_free(&script);
}

Test(shell, words)
{
    static const struct row rows[] = {
        {"t --a 1 --b=2", "<t><--a><1><--b=2>\n"},
        {"#!/bin/bash\n# t --c\nt --a \\\n  1 \\\r\n --b # --c\n", "<t><--a><1><--b>\n"},
        {"t --a 'x y' \"p q\" r\\ s ''", "<t><--a><x y><p q><r s><>\n"},
        {"X=8\nt --a $X ${X} \"$X\" '$X' $Xy ${X}y", "<t><--a><8><8><8><$X><?><8y>\n"},
        {"export X=8 Y=9; t --a $X$Y", "<t><--a><89>\n"},
        {"A=\"--a 1 \\\n  --b 2\n--c\"\nt $A \"$A\"",
         "<t><--a><1><--b><2><--c><--a 1   --b 2\n--c>\n"},
        {"A=(--a 1 # x )\n '--b c')\nt \"${A[@]}\" ${A[*]} \"${A[*]}\" ${A[1]} $A",
         "<t><--a><1><--b c><--a><1><--b><c><--a 1 --b c><1><--a>\n"},
        {"A=(--a)\nA+=(1)\nB=--b\nB+=\" 2\"\nt ${A[@]} $B", "<t><--a><1><--b><2>\n"},
        {"A=(--a 1)\nA=(\"${A[@]}\" --b)\nt \"${A[@]}\"", "<t><--a><1><--b>\n"},
        {"t --a ${X:-7} ${X-7} ${X:=8} $X ${X:+9} ${#X}", "<t><--a><7><7><8><8><9><1>\n"},
        {"X=; t --a ${X:-7} ${X-7}e \"${X:-\"a b\"}\"", "<t><--a><7><e><a b>\n"},
        {"N=2 G=8\nW=$(($N*G + 1))\nt --a $W $((W/2)) $[ (W-1) % 5 ] $((-3 + 2*(4-1)))",
         "<t><--a><17><8><1><3>\n"},
        {"t --a $((1/0)) $(nproc) `nproc` ${X%y} $'a' $1", "<t><--a><?><?><?><?><?><?>\n"},
        {"CUDA=1 t --a 2>&1 | tee --append log > x --b",
         "<t><--a>\n<tee><--append><log><--b>\n"},
        {"--a 1\n--b '2 3' # c\n\n--c E|t(x) \\\n--d\n",
         "<--a><1><--b><2 3><--c><E|t(x)><--d>\n"},
        {"t --freq ([0]*3+[1]*58) [0]*2", "<t><--freq><([0]*3+[1]*58)><[0]*2>\n"},
        {"C=\"t --a 1\"\necho $C\n$C\neval $C\nbash -c \"cd x; python p.py --b 'x y' && y\"",
         "<t><--a><1>\n<t><--a><1>\n<python><p.py><--b><x y>\n"},
        {"X=3\nsbatch <<EOF\n#!/bin/bash\nsrun p.py --a $X\nEOF\nt --b",
         "<srun><p.py><--a><3>\n<t><--b>\n"},
        {"#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gres=gpu:h100:8\n#SBATCH -n 32 # x\n"
         "#SBATCH --time=1:00:00\nt --a $SLURM_NNODES $SLURM_GPUS_ON_NODE ${SLURM_NTASKS}",
         "<t><--a><4><8><32>\n"},
        {"cat <<'EOF'\n$( ` if\nEOF\nt --b", "<t><--b>\n"},
        {"A=\"\n --a 1\n --b ${Z}\"\nB=2", "<--a><1><--b><?>\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_words(&rows[i]);
}

Test(shell, conditions)
{
    static const struct row rows[] = {
        {"X=2\nif [ $X -gt 1 ]; then A=--a; else A=--b; fi\nt $A", "<t><--a>\n"},
        {"X=f\nif [[ \"$X\" == \"f\" && -n $X ]] || [[ $Y == 1 ]]; then t --a; fi",
         "<t><--a>\n"},
        {"X=f\nif [ $X = g ]; then t --a\nelif [ $X != f ]; then t --b\nelse t --c; fi",
         "<t><--c>\n"},
        {"A=--a\nif [ -f x ]; then A=\"$A --b 1\"; fi\nt $A", "<t><--a>!<--b>!<1>\n"},
        {"A=(--a)\nif [ -f x ]; then A+=(--b); else A+=(--c); fi\nt ${A[@]}",
         "<t><--a>!<--b>!<--c>\n"},
        {"if [ -f x ]; then X=1; else X=2; fi\nt --a $X", "<t><--a><?>\n"},
        {"if [ -f x ]; then X=1; else X=1; fi\nt --a $X", "<t><--a><1>\n"},
        {"X=4\nif [ -n \"$1\" ]; then X=$1; fi\nt --a $X", "<t><--a><4>\n"},
        {"X=4\nif [ ! -d y ]; then echo no; X=9; exit 1; fi\nt --a $X", "<t><--a><4>\n"},
        {"X=4\nwhile [[ $# -gt 0 ]]; do case $1 in\n--x) X=\"$2\"; shift 2;;\n*) exit 1;; "
         "esac; done\nt --a $X",
         "<t><--a><4>\n"},
        {"M=7b\ncase \"$M\" in\n 7b|8b) X=32 ;;\n (70b) X=80 ;;\n *) X=1\nesac\nt --a $X",
         "<t><--a><32>\n"},
        {"case $1 in\n 7b) X=32 ;;\n *) X=1 ;; esac\nt --a $X", "<t><--a><?>\n"},
        {"for X in 1 2; do t --a $X; done; for Y in 3; do t --b $Y; done",
         "<t><--a><?>\n<t><--b><3>\n"},
        {"X=1\nfor ((i=0; i<3; i++)); do X=$i; done\nt --a $X", "<t><--a><1>\n"},
        {"run() {\n local X=$1\n t --a $X \"${@}\"\n return 0\n}\nrun 5 --b\nt --c",
         "<t><--a><5><5><--b>\n<t><--c>\n"},
        {"(X=1; t --a $X)\nt --b $X", "<t><--a><1>\n<t><--b><?>\n"},
        {"[ -z \"\" ] && X=1\n[ x = y ] && X=2\n[ x = y ] || Y=3\nt --a $X $Y",
         "<t><--a><1><3>\n"},
        {"((X = 3)); if ((2 > 1)); then t --a $X; fi; if ((2 < 1)); then t --b; fi",
         "<t><--a><?>\n"},
        {"t --a; exit 0\nt --b", "<t><--a>\n"},
        {"read X\nt --a $X", "<t><--a><?>\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_words(&rows[i]);
}

Test(shell, reasons)
{
    static const struct row rows[] = {
        {"t --a $(nproc)", "comes from $(...), which only a shell can evaluate"},
        {"t --a `nproc`", "comes from `...`, which only a shell can evaluate"},
        {"t --a $'1'", "comes from $'...', which only a shell can evaluate"},
        {"t --a ${X%%y}", "comes from ${X%...}, which only a shell can evaluate"},
        {"t --a $3", "is parameter $3 of the script"},
        {"t --a ${TP}", "is TP, which this file does not set"},
        {"t --a $((TP * 2))", "is TP, which this file does not set"},
        {"if [ -f x ]; then X=1; else X=2; fi\nt --a $X",
         "depends on this if, which only a shell can evaluate"},
        {"for X in 1 2; do t --a $X; done",
         "changes in this loop, which only a shell can evaluate"},
        {"t --a $((1 / 0))", "comes from arithmetic that cannot be evaluated here"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct shell_script script;
        read_script(&script, rows[i].text);
        const struct shell_command *last = &script.commands[script.n_commands - 1];
        const int32_t reason = shell_unresolved(&last->words[2]);
        cr_assert(reason >= 0, "%s", rows[i].text);
        cr_assert_str_eq(script.reasons[reason].text, rows[i].words);
        shell_free(&script);
    }
}

Test(shell, faults)
{
    static const struct {
        const char *text;
        int line, column;
        const char *wanted;
    } rows[] = {
        {"t --a\n\"x\ny", 2, 1, "this quote does not end"},
        {"A=(1 2\n", 1, 3, "this array does not end"},
        {"\nif true; then\nx", 2, 1, "this if does not end: fi is missing"},
        {"while x; do y", 1, 1, "this loop does not end: done is missing"},
        {"case x in a) b;;", 1, 1, "this case does not end: esac is missing"},
        {"{ x", 1, 1, "this { does not end"},
        {"x=${y", 1, 5, "expected } to close this"},
        {"x=$(y", 1, 4, "expected ) to close this"},
        {"a ;; b", 1, 3, "expected a command"},
        {"a\x01", 1, 2, "a control character (U+0001); remove it"},
        {"a \xff", 1, 3, "not UTF-8; save the text as UTF-8"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct shell_script script;
        struct pps_fault fault;
        cr_assert_not(shell_read(&script, rows[i].text, strlen(rows[i].text), &fault), "%s",
                      rows[i].text);
        cr_assert(fault.line == rows[i].line && fault.column == rows[i].column &&
                      strcmp(fault.text, rows[i].wanted) == 0,
                  "%s: %d:%d: %s", rows[i].text, fault.line, fault.column, fault.text);
    }
}

// Scripts that grow without end are refused, and nothing hangs.
Test(shell, bombs)
{
    struct text_buffer text = {.text = NULL};
    struct shell_script script;
    struct pps_fault fault;
    text_buffer_add(&text, "X=aaaaaaaaaaaaaaaa\n");
    for (int i = 0; i < 40; i++)
        text_buffer_add(&text, "X=$X$X\n");
    cr_assert_not(shell_read(&script, text.text, text.n, &fault));
    cr_assert_str_eq(fault.text, "the values of this script need more than 64 MiB");
    text_buffer_clear(&text);
    for (int i = 0; i < 30; i++)
        text_buffer_add(&text, "f%d() { f%d; f%d; }\n", i, i + 1, i + 1);
    text_buffer_add(&text, "f0\n");
    cr_assert_not(shell_read(&script, text.text, text.n, &fault));
    text_buffer_clear(&text);
    for (int i = 0; i < 2000; i++)
        text_buffer_add(&text, "$(( (");
    cr_assert_not(shell_read(&script, text.text, text.n, &fault));
    text_buffer_clear(&text);
    for (int i = 0; i < 5000; i++)
        text_buffer_add(&text, "if x; then\n");
    cr_assert_not(shell_read(&script, text.text, text.n, &fault));
    cr_assert_not(shell_read(&script, "f() { f; }\nf\n", 13, &fault) && script.n_commands > 0);
    text_buffer_free(&text);
}

static void expect_place(const char *text, size_t word, const char *literal, const char *beside)
{
    struct shell_script script;
    size_t from = 0, to = 0;
    read_script(&script, text);
    const struct shell_text *words = script.commands[script.n_commands - 1].words;
    const bool found = shell_literal(&script, &words[word], &from, &to);
    cr_assert(found == (literal != NULL), "%s", text);
    if (found)
        cr_assert(to - from == strlen(literal) && strncmp(text + from, literal, to - from) == 0,
                  "%s: %zu %zu", text, from, to);
    const bool near = shell_beside(&script, &words[word], &words[word - 1], &from, &to);
    cr_assert(near == (beside != NULL), "%s", text);
    if (near)
        cr_assert(to - from == strlen(beside) && strncmp(text + from, beside, to - from) == 0,
                  "%s: %.*s", text, (int)(to - from), text + from);
    shell_free(&script);
}

Test(shell, places)
{
    expect_place("t --a 12", 2, "12", "12");
    expect_place("X=12\nt --a $X", 2, "12", "$X");
    expect_place("X=12\nt --a \"${X}\"", 2, "12", "\"${X}\"");
    expect_place("X='12'\nA=\"--a ${X} --b\"\nB=(x $A)\nt ${B[@]}", 3, "12", "${X}");
    expect_place("X=12\nY=$X\nt --a $Y", 2, "12", "$Y");
    expect_place("X=${Q:-12}\nt --a $X", 2, "12", "$X");
    expect_place("X=12\nt --a $((X))", 2, NULL, "$((X))");
    expect_place("X=1\nt --a ${X}2", 2, NULL, "${X}2");
    expect_place("t --a $(x)", 2, NULL, "$(x)");
    expect_place("t --a E\\|t", 2, "E\\|t", "E\\|t");
    expect_place("X=1\nt --a$X $X", 2, "1", "$X");
    expect_place("A=--a\nX=1\nt $A $X", 2, "1", NULL);
}
