// SPDX-License-Identifier: Apache-2.0
// Tests of the three forms of batches. They would catch a form that gives other samples, a wrong batch that ends the
// stream, and errors without a place.
#include "kernels/dynapipe/documents/batch_reader.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// Writes what a reader makes of a text: "name: 512 90,30 | ..." and "refused NUMBER at LINE:COLUMN".
static const char *read(const char *text)
{
    static char out[4096];
    struct batch_reader *reader = batch_reader_open();
    struct batch batch = {.count = 0};
    struct pps_fault fault;
    size_t n = 0;
    out[0] = '\0';
    for (bool ends = false; !ends;) {
        const char *end = strchr(text, '\n');
        ends = *text == '\0';
        const enum batch_fed fed =
            ends ? batch_reader_end(reader, &batch, &fault)
                 : batch_reader_line(reader, text,
                                     end != NULL ? (size_t)(end - text) + 1 : strlen(text),
                                     &batch, &fault);
        if (fed == BATCH_READY) {
            n += (size_t)snprintf(out + n, sizeof out - n, "%s:", batch.name);
            for (int32_t k = 0; k < batch.count; k++)
                n += (size_t)snprintf(out + n, sizeof out - n,
                                      batch.target[k] < 0 ? " %d" : " %d,%d",
                                      (int)batch.input[k], (int)batch.target[k]);
            n += (size_t)snprintf(out + n, sizeof out - n, " | ");
        }
        if (fed == BATCH_REFUSED || (fed == BATCH_READY && fault.text[0] != '\0'))
            n += (size_t)snprintf(out + n, sizeof out - n, "refused %d at %d:%d | ",
                                  (int)batch_reader_refused(reader), fault.line, fault.column);
        text = end != NULL ? end + 1 : text + strlen(text);
    }
    batch_free(&batch);
    batch_reader_close(reader);
    return out;
}

Test(dynapipe_batches, text)
{
    cr_assert_str_eq(read("# lengths\n512 90,30\n\n  7\t8  # two\n-\n0"),
                     "0: 512 90,30 | 1: 7 8 | 2: | 3: 0 | ");
    cr_assert_str_eq(
        read("512 x\n5 6.5\n3\n-1\n4 99999999\n1,\n- 3\n2"),
        "refused 0 at 1:5 | refused 1 at 2:3 | 2: 3 | refused 3 at 4:1 | refused 4 at 5:3 | "
        "refused 5 at 6:1 | refused 6 at 7:3 | 7: 2 | ");
}

Test(dynapipe_batches, csv)
{
    cr_assert_str_eq(read("batch,enc,dec\na,512,\na,90,30\nb,7,8\n"),
                     "a: 512 90,30 | b: 7,8 | ");
    cr_assert_str_eq(read("enc,batch\r\n5,0\r\n6,0\r\nx,1\r\n7,1\r\n8,2\r\n"),
                     "0: 5 6 | refused 1 at 4:1 | 2: 8 | ");
    cr_assert_str_eq(read("batch,end\n1,2\n"), "refused 0 at 1:1 | ");
}

Test(dynapipe_batches, json_lines)
{
    cr_assert_str_eq(read("[512, [90, 30]]\n[]\n{\"batch\": \"x\", \"samples\": [7]}\n"),
                     "0: 512 90,30 | 1: | x: 7 | ");
    cr_assert_str_eq(read("[1\n[2, -3]\n{\"sample\": [1]}\n{\"batch\": 9, \"samples\": [4]}\n"),
                     "refused 0 at 1:1 | refused 1 at 2:5 | refused 2 at 3:2 | 9: 4 | ");
}
