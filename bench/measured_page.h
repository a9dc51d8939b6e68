// SPDX-License-Identifier: Apache-2.0
// Holds the prose of the page that measured_steps writes, between its tables.
#ifndef MEASURED_PAGE_H
#define MEASURED_PAGE_H

static const char page_begin[] =
    "# The model against published measurements\n\n"
    "`measured_steps docs/ndsearch-measurements.json` writes this page; a test fails if the "
    "page\n"
    "differs from its output. Times are those of the closed form of "
    "`kernels/ndsearch/model.md`.\n"
    "*Built-in* efficiencies are those of the device records that every command uses; "
    "*fitted*\n"
    "efficiencies are fitted to the measurements themselves. An error is predicted / measured "
    "- 1.\n"
    "Means are means of absolute errors.\n\n"
    "## Fitted constants\n\n"
    "Three efficiencies of each device are fitted by least squares of the logarithms: `eg` "
    "(matrix\n"
    "products), `em` (memory traffic) and `el` (links). All other constants are published for "
    "the\n"
    "device or the same for all devices: `ea`, `alpha`, the size 64 at which a matrix product\n"
    "reaches half its rate, and the share 0.33 of a stage's time that hides the exchange "
    "between\n"
    "replicas. *Cross-validated* is the mean error of points that are each predicted by a fit "
    "to\n"
    "all other points of the row.\n\n";

static const char page_devices[] =
    "\nThe device records keep the built-in efficiencies, because they hold for both kinds of\n"
    "tables, while a fit to one cluster holds for that cluster. The fitted `el` of B200 is "
    "low: it\n"
    "includes all costs of tensor parallelism over eight devices there.\n\n"
    "## Devices\n\n";

static const char page_order[] =
    "\nH100 has two measured steps of one model here. These are too few for a fit; they set "
    "the\n"
    "record of the device. For another framework on H100 limited to 500 W (table `torchtitan`) "
    "the\n"
    "model predicts steps that are much too short: it does not know the lower clock or the\n"
    "framework. Models with experts are measured on B200 only. The efficiencies of all other\n"
    "devices come from dense models, so a step with experts may take longer there than "
    "predicted.\n"
    "Calibrate with steps of your own cluster if this matters.\n\n"
    "## Order of configurations\n\n"
    "This table counts the pairs of B200 measurements (tables `b200_dense`, `b200_moe`) that "
    "differ\n"
    "by more than 10 % and that the model puts in the right order: by time of a step over all\n"
    "models, and by device time per token within one model, which a search compares.\n\n";

static const char page_memory[] =
    "\n## Memory\n\n"
    "The device that needs the most memory. *With buffers*: with `dummy_wgrad`, one buffer "
    "per\n"
    "matrix shape, as frameworks keep that accumulate gradients within the matrix product.\n\n";

#endif
