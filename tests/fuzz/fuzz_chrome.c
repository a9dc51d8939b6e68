// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a trace in the Chrome trace format. Texts of events end with NUL and fit;
// numbers are numbers; a rejected trace has a place.
#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/require.h"

#include "base/stream/chrome_trace.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const names[] = {"Task Type", "stream", "rate", "name", NULL};

static void check_event(const struct pps_chrome_event *event)
{
    require(event->n < PPS_CHROME_NAME && event->name[event->n] == '\0');
    const char *const words[] = {event->category, event->start, event->duration, event->process,
                                 event->thread};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        require(memchr(words[k], '\0', PPS_CHROME_WORD) != NULL);
    for (int k = 0; names[k] != NULL; k++) {
        const struct pps_chrome_argument *argument = &event->arguments[k];
        require(argument->kind == PPS_CHROME_ABSENT ||
                memchr(argument->text, '\0', sizeof argument->text) != NULL);
        require(argument->kind != PPS_CHROME_NUMBER || argument->text[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct bytes_file file = bytes_open(data, n);
    struct pps_chrome_trace *trace;
    const struct pps_chrome_event *event = NULL;
    struct pps_error err = {.line = 0};
    enum pps_status status = pps_chrome_open(&trace, file.path, names, &err);
    if (status == PPS_OK) {
        do {
            status = pps_chrome_next(trace, &event, &err);
            if (status == PPS_OK && event != NULL)
                check_event(event);
        } while (status == PPS_OK && event != NULL);
        require(status == PPS_OK || (err.line > 0 && err.text[0] != '\0'));
        pps_chrome_close(trace);
    }
    bytes_close(&file);
    return 0;
}
