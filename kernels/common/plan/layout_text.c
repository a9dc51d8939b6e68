// SPDX-License-Identifier: Apache-2.0
// Reads and writes layouts of Megatron-LM.
#include "kernels/common/plan/layout_text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LETTERS = 1 << 16 };

// ---- repetitions --------------------------------------------------------------------------------

struct letters {
    char *text; // has room for MOST_LETTERS
    size_t n;
    bool failed;
};

static void add(struct letters *letters, const char *text, size_t n)
{
    letters->failed = letters->failed || n > MOST_LETTERS - letters->n;
    if (letters->failed)
        return;
    memcpy(letters->text + letters->n, text, n);
    letters->n += n;
}

static void remove_commas(struct letters *to, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text != ',')
            add(to, text, 1);
    add(to, "", 1);
}

// Reads the number of a repetition "*12" and returns its length; 0: none.
static size_t repetition(const char *text, int64_t *times)
{
    size_t n = 1;
    if (text[0] != '*' || text[1] < '0' || text[1] > '9')
        return 0;
    for (*times = 0; text[n] >= '0' && text[n] <= '9'; n++)
        *times = *times < MOST_LETTERS ? 10 * *times + (text[n] - '0') : MOST_LETTERS;
    return n;
}

static void repeat(struct letters *to, const char *text, size_t n, int64_t times)
{
    for (int64_t i = 0; i < times && !to->failed && n > 0; i++)
        add(to, text, n);
}

// Replaces each group (...)*n by n copies of its text.
static void unroll_groups(struct letters *to, const char *text)
{
    while (*text != '\0') {
        const char *end = *text == '(' ? strchr(text, ')') : NULL;
        int64_t times;
        const size_t n = end != NULL ? repetition(end + 1, &times) : 0;
        if (n > 0)
            repeat(to, text + 1, (size_t)(end - text - 1), times);
        else
            add(to, text, 1);
        text = n > 0 ? end + 1 + n : text + 1;
    }
    add(to, "", 1);
}

// Replaces each x*n by n characters x.
static void unroll_letters(struct letters *to, const char *text)
{
    while (*text != '\0') {
        int64_t times = 1;
        const size_t n = repetition(text + 1, &times);
        repeat(to, text, 1, times);
        text += 1 + n;
    }
    add(to, "", 1);
}

// ---- stages -------------------------------------------------------------------------------------

static const char *wrong_letters(const char *text)
{
    const size_t n = strlen(text);
    if (strspn(text, "EtmL|") != n)
        return "expected the letters E, t, m, L, the sign |, and repetitions such as t*3 or "
               "(tt|)*4";
    if (text[0] != 'E' || strchr(text + 1, 'E') != NULL)
        return "expected E, the embedding, once and at the beginning";
    if (text[n - 1] != 'L' || strchr(text, 'L') != text + n - 1)
        return "expected L, the loss, once and at the end";
    const char *first = strchr(text, 'm');
    if (first != NULL && strchr(first, 't') != NULL)
        return "a layer t follows a layer m; write all m after the last t";
    return NULL;
}

static size_t count_stages(const char *text, int64_t *layers, int64_t *mtp, size_t most,
                           const char **why)
{
    size_t n = 0;
    *why = wrong_letters(text);
    if (*why != NULL)
        return 0;
    for (; text != NULL; text = strchr(text, '|') == NULL ? NULL : strchr(text, '|') + 1) {
        if (n == most) {
            *why = "too many stages";
            return 0;
        }
        layers[n] = mtp[n] = 0;
        for (const char *c = text; *c != '\0' && *c != '|'; c++) {
            layers[n] += *c == 't';
            mtp[n] += *c == 'm';
        }
        n++;
    }
    return n;
}

size_t layout_text_read(const char *text, int64_t *layers, int64_t *mtp, size_t most,
                        const char **why)
{
    char *memory = malloc(3 * (size_t)MOST_LETTERS);
    struct letters plain = {memory, 0, memory == NULL}, whole = plain, letters = plain;
    size_t n = 0;
    *why = memory == NULL ? "out of memory" : "the layout is too long";
    if (memory != NULL) {
        whole.text = memory + MOST_LETTERS;
        letters.text = memory + 2 * (size_t)MOST_LETTERS;
        remove_commas(&plain, text);
    }
    if (!plain.failed)
        unroll_groups(&whole, plain.text);
    if (!plain.failed && !whole.failed)
        unroll_letters(&letters, whole.text);
    if (!plain.failed && !whole.failed && !letters.failed)
        n = count_stages(letters.text, layers, mtp, most, why);
    free(memory);
    return n;
}

bool layout_text_fits(const int64_t *mtp, size_t n, size_t devices, const char **why)
{
    size_t with_mtp = 0;
    *why = "the number of its stages is not a multiple of the pipeline stages";
    if (n % devices != 0)
        return false;
    *why = "the layers m must be in one stage that is the last chunk of its pipeline stage";
    for (size_t i = 0; i < n; i++) {
        with_mtp += mtp[i] > 0;
        if (mtp[i] > 0 && i < n - devices)
            return false;
    }
    return with_mtp <= 1;
}

// ---- writing ------------------------------------------------------------------------------------

static void add_layers(int32_t n, struct text_buffer *text)
{
    if (n > 2)
        text_buffer_add(text, "t*%d", n);
    else
        text_buffer_add_bytes(text, "tt", (size_t)n);
}

void layout_text_write(const int32_t *layers, size_t n, struct text_buffer *text)
{
    text_buffer_add(text, "E");
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        // The first stage has E and the last one L.
        while (i > 0 && end + 1 < n && layers[end] == layers[i])
            end++;
        text_buffer_add(text, "%s", end - i > 1 ? "(" : "");
        add_layers(layers[i], text);
        text_buffer_add(text, "%s", end < n ? "|" : "L");
        if (end - i > 1)
            text_buffer_add(text, ")*%zu", end - i);
        i = end;
    }
}
