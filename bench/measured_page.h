// SPDX-License-Identifier: Apache-2.0
// What the page of measured_steps says between its tables.
#ifndef MEASURED_PAGE_H
#define MEASURED_PAGE_H

static const char page_begin[] =
    "# The model against published measurements\n\n"
    "Made by `measured_steps docs/ndsearch-measurements.json`; a test fails where this page "
    "is\n"
    "not what it writes. Times are of the closed form of `kernels/ndsearch/model.md`. "
    "*Built-in*\n"
    "are the efficiencies of the device records that every command uses; *fitted* are those "
    "that\n"
    "the measurements themselves give. An error is predicted / measured - 1; means are of\n"
    "absolute errors.\n\n"
    "## Fitted constants\n\n"
    "Three for each device are fitted by least squares of the logarithms: `eg` (matrix\n"
    "products), `em` (memory traffic), `el` (links). All else is as published for the device "
    "or\n"
    "fixed for all devices: `ea`, `alpha`, 64 as the size at which a matrix product reaches "
    "half\n"
    "its rate, 0.33 of a stage's time that hides the exchange between replicas. *Left out* is "
    "the\n"
    "mean error of points that each were predicted by a fit to all others of the row.\n\n";

static const char page_devices[] = "\nThe records keep the built-in efficiencies: they hold "
                                   "for tables of both kinds, and a fit\n"
                                   "to one cluster is that cluster's. `el` of B200 comes out "
                                   "low: it has to stand for whatever\n"
                                   "tensor parallelism over eight devices costs there.\n\n"
                                   "## Devices\n\n";

static const char page_order[] =
    "\nH100 has two measured steps of one model here, too few to fit anything by themselves; "
    "its\n"
    "record was set by them. Of another framework on H100 held to 500 W (table `torchtitan`) "
    "the\n"
    "model foretells steps far too short: it knows neither the lower clock nor the framework.\n"
    "Models with experts are measured on B200 alone: the efficiencies of all other devices are "
    "those\n"
    "of dense models, so a step with experts may well take longer there than the model says.\n"
    "Calibrate on steps of your own cluster where they matter.\n\n"
    "## Order of configurations\n\n"
    "Of all pairs of B200 measurements (tables `b200_dense`, `b200_moe`) that differ by more "
    "than\n"
    "10 %: by time of a step over all, and by device time a token within one model, which is "
    "what\n"
    "a search compares.\n\n";

static const char page_memory[] = "\n## Memory\n\n"
                                  "The fullest device. *With buffers*: `dummy_wgrad`, a buffer "
                                  "a matrix shape, as frameworks\n"
                                  "that accumulate gradients within the product keep.\n\n";

#endif
