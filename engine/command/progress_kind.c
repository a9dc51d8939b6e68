// SPDX-License-Identifier: Apache-2.0
// The forms of progress on stderr.
#include "engine/command/progress_kind.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && (term == NULL || strcmp(term, "dumb") != 0);
}

enum pps_status pps_progress_parse(const char *text, enum pps_progress_kind *kind,
                                   struct pps_error *err)
{
    static const char *const words[] = {"never", "line", "log", "json"};
    if (text == NULL || strcmp(text, "auto") == 0) {
        *kind = terminal() ? PPS_PROGRESS_LINE : PPS_PROGRESS_LOG;
        return PPS_OK;
    }
    for (int i = 0; i < 4; i++) {
        *kind = (enum pps_progress_kind)i;
        if (strcmp(text, words[i]) == 0)
            return PPS_OK;
    }
    return pps_fail(err, PPS_E_INPUT, "--progress %s: expected auto, line, log, json or never",
                    text);
}

bool pps_progress_due(enum pps_progress_kind kind, double since, double part)
{
    switch (kind) {
    case PPS_PROGRESS_LINE:
        return since >= 1.0 / 6;
    case PPS_PROGRESS_LOG:
    case PPS_PROGRESS_JSON:
        return since >= 60 || (since >= 5 && part >= 0.05);
    case PPS_PROGRESS_NEVER:
        break;
    }
    return false;
}
