// SPDX-License-Identifier: Apache-2.0
// Skips redirections, and reads the commands in here-documents.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static const struct shell_text no_text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};

// Reads the delimiter of a here-document and skips the body of the document.
static void skip_heredoc(struct shell *sh, size_t at)
{
    char word[80];
    const bool tabs = sh->text[at] == '-';
    size_t n = 0, end;
    at += strspn(sh->text + at, "- \t");
    for (;
         n < sizeof word - 1 && strchr("'\"\\", sh->text[at]) != NULL && sh->text[at] != '\0';)
        at++;
    while (n < sizeof word - 1 && sh->text[at] != '\0' &&
           strchr(" \t\r\n'\";&|<>)", sh->text[at]) == NULL)
        word[n++] = sh->text[at++];
    word[n] = '\0';
    const size_t from = sh->at;
    for (; sh->text[sh->at] != '\0'; sh->at = end + (sh->text[end] == '\n')) {
        end = sh->at + strcspn(sh->text + sh->at, "\n");
        const size_t first = sh->at + (tabs ? strspn(sh->text + sh->at, "\t") : 0);
        const size_t last = end > first && sh->text[end - 1] == '\r' ? end - 1 : end;
        if (last - first == n && strncmp(sh->text + first, word, n) == 0) {
            const size_t after = end + (sh->text[end] == '\n');
            struct shell_text body = no_text;
            const size_t stop = sh->at;
            sh->at = from;
            if (shell_lives(sh) && sh->text[at] != '\'' && sh->text[at] != '"')
                shell_quoted(sh, stop, &body);
            sh->at = after;
            shell_read_again(sh, &body, from, stop);
            return;
        }
    }
}

void shell_skip_heredocs(struct shell *sh)
{
    const int n = sh->n_heredocs;
    sh->n_heredocs = 0;
    for (int i = 0; i < n; i++)
        skip_heredoc(sh, sh->heredocs[i]);
}

static void note_heredoc(struct shell *sh, size_t at)
{
    if (sh->n_heredocs == (int)COUNT_OF(sh->heredocs))
        shell_fail(sh, at, "more than %zu here-documents in a line", COUNT_OF(sh->heredocs));
    else
        sh->heredocs[sh->n_heredocs++] = at;
}

// Skips a redirection, for example 2>&1 or > FILE. false: none is next.
bool shell_redirection(struct shell *sh)
{
    struct shell_words words = {.items = NULL};
    size_t at = sh->at + strspn(sh->text + sh->at, "0123456789");
    at += at == sh->at && sh->text[at] == '&' && sh->text[at + 1] == '>';
    if (sh->text[at] != '<' && sh->text[at] != '>')
        return false;
    if (strncmp(sh->text + at, "<<", 2) == 0 && sh->text[at + 2] != '<') {
        note_heredoc(sh, at + 2);
        at += 2;
        at += sh->text[at] == '-';
    } else if (sh->text[at + 1] == '(') {
        sh->at = at + 2;
        const size_t end = shell_closing(sh, '(', ')');
        sh->at = end > 0 ? end + 1 : sh->at;
        return true;
    }
    sh->at = at + strspn(sh->text + at, "<>&|");
    shell_blanks(sh);
    shell_word(sh, &words);
    return true;
}
