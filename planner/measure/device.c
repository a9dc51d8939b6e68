// SPDX-License-Identifier: Apache-2.0
// ppsweep measure device: prints the program that measures an accelerator.
#include "base/system/installed.h"
#include "base/system/whole_file.h"
#include "planner/measure/measure.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROGRAM_MOST = 1 << 20, PATH_MOST = 4096 };

static const struct pps_opt options[] = {{NULL, 0, NULL, NULL}};

static const char details[] =
    "The program is one file in Python that needs PyTorch and nothing else. It runs for about seven\n"
    "minutes on one accelerator (--seconds N for another time, --only SECTION,... for a part, --tiny for a\n"
    "test on a CPU) and writes a line to grid.jsonl for every kernel that it measures.\n"
    "\n"
    "  ppsweep measure device >device_grid.py\n"
    "  python3 device_grid.py\n"
    "  ppsweep nd calibrate --grid grid.jsonl\n";

static enum pps_status device_main(const struct pps_args *args, struct pps_error *err)
{
    char path[PATH_MOST], *text = NULL;
    size_t n = 0;
    (void)args;
    enum pps_status status =
        pps_data_path("sweep_configs/measure/device_grid.py", path, sizeof path, err);
    if (status == PPS_OK)
        status = pps_whole_file_read_regular(path, PROGRAM_MOST, &text, &n, err);
    if (status == PPS_OK)
        fwrite(text, 1, n, stdout);
    free(text);
    return status;
}

const struct pps_command measure_device_command = {
    .name = "measure device",
    .summary = "print a program that measures an accelerator",
    .usage = "",
    .details = details,
    .options = options,
    .max_words = 0,
    .main = device_main,
};
