// SPDX-License-Identifier: Apache-2.0
// Holds the prose of the page that measured_steps writes, between its tables.
#pragma once

static const char page_begin[] =
    "# The model against published measurements\n\n"
    "How far can a prediction of `ppsweep nd` be trusted? This page compares predictions with published\n"
    "training steps. `measured_steps docs/ndsearch-measurements.json` writes it; a test fails if the page\n"
    "differs from its output. Times are those of the closed form of `kernels/ndsearch/model.md`. An error\n"
    "is predicted / measured - 1; means are means of absolute errors.\n\n"
    "- *Built-in*: with the device records and software stacks that every command uses.\n"
    "- *Source left out*: by a fit that saw no step of the same source. This is the error to expect for\n"
    "  steps that nobody fitted.\n"
    "- Tables that only *judge* are in no fit at all.\n\n";

static const char page_tables[] =
    "\n## Tables\n\n"
    "*One step measured*: one step of the table sets a factor of all times (`nd calibrate --scale`), and the\n"
    "error is that of the other steps: the mean over all choices of this step, and the best choice. The\n"
    "factor moves times half of the way to the measured step (further if it is more than 30 % off), because\n"
    "the other half of an error belongs to the strategy of the step, not to the machine: with the whole way\n"
    "the mean would be a fifth larger.\n"
    "*One factor fitted* is the error with the factor that fits all steps of the table. *Bias* is\n"
    "the mean error with its sign. *Kendall* is the rank correlation of device time per token over pairs of\n"
    "one model that differ by more than 2 % (1: all pairs in the right order), with the number of pairs.\n\n";

static const char page_groups[] =
    "\nOne step says little about a table whose rows differ in software, such as `zoo_qwen_h100`, or in model,\n"
    "such as `bridge_moe_gb200`: GPT-OSS has attention with windows and small experts, and its steps take\n"
    "longer than predicted everywhere. The tables of one software and one kind of model reach 2 to 10 %.\n\n"
    "## How far to trust a prediction\n\n"
    "`ppsweep nd` and `ppsweep check` print the line of this table that has the device, the stack, the kind of model and\n"
    "the precision of the run. Where there is none, they say so and print the line of all steps. Four of five steps of the\n"
    "group had at most this error with their source left out, those of layouts (below), too.\n\n";

static const char page_fit[] =
    "\n## Fitted constants\n\n"
    "All other constants are published for the device or assumed in the record of the stack (`sweep_configs/stacks`).\n"
    "The fit minimises errors of the logarithm of the time, large errors by their size and not their square,\n"
    "with the weight sqrt(n) for a table of n rows. Each factor is drawn to a value that is known or assumed\n"
    "*before* the fit; the last column has the reason for it. The records have the fitted values, rounded.\n"
    "`H100` stands for H800 and H200, too, `B200` for GB200, B300 and GB300. The factors of `megatron`\n"
    "are fitted to the layouts below; its record has values that were chosen on them by hand, with the networks in mind.\n\n"
    "| factor | of | before | fitted | the value before |\n"
    "| --- | --- | --- | --- | --- |\n";

static const char page_devices[] = "\n## Devices\n\n";

static const char page_beside[] =
    "\n## Beside other tools\n\n"
    "Of 182 published steps in bf16 that were not fitted, most of them on this page, calculon (an analytical\n"
    "model of Isaev et al., 2023) could express a part. On the same steps its mean error was 49.7 %, and 31.0 %\n"
    "for sequences of at most 4096 tokens; the version of this model before software stacks had 15.8 % and\n"
    "14.9 %, and the assumption that every device runs at half of its peak 22.4 %. The present figures on the\n"
    "steps of this page are in the first table.\n\n"
    "## Published layouts\n\n"
    "Would a search have found what large trainings used? A test runs both searches.\n\n"
    "- DeepSeek-V3 on 2048 H800 (pp 16, ep 64, dp 128, DualPipe, fp8, stack `deepseek`): the published layout\n"
    "  fits in memory, its step is predicted 12 % too short (table `deepseek_v3_h800_fp8`), and it is 9 % slower\n"
    "  than the best layout that `ppsweep nd` finds (pp 8, tp 2).\n"
    "- Llama 3 405B on H100 (tp 8, pp 16): at 8192 tokens the published layouts on 8192 and on 16384 devices are within 10 %\n"
    "  of the best without context ranks; so is the one at 131072 tokens (cp 16) among all (table `llama3`).\n";

static const char page_memory[] =
    "\n## Memory\n\n"
    "The device that needs the most memory. *States* are parameters, gradients and optimizer; *transient*\n"
    "memory is logits, one recomputed layer and gathered parameters; *reserve* is what the allocator of the\n"
    "stack adds. The figures of `kempner_h200` set bytes per parameter and logits of their framework here; all\n"
    "others use the records. Megatron-LM with gradient buffers (`dummy_wgrad`) needs up to 9 % more than shown\n"
    "for `llama3_405b_4_layers`.\n\n";

static const char page_layouts[] =
    "\n## Layouts\n\n"
    "`docs/ndsearch-layouts.json` holds what studies of layouts and tables of frameworks tried, most of it not tuned,\n"
    "with the layouts that ran out of memory. *Source left out*: by a fit of the stack `megatron` to the other sources;\n"
    "other stacks are those of the first table. *First choice slower*: how much longer than the best layout that ran the one takes\n"
    "that the model puts first, the mean over tables of one model on the same devices. *Memory right*: layouts of which the model\n"
    "says rightly whether they fit the device. *Memory*: the median of predicted over measured peak.\n\n";

static const char page_order[] =
    "\n### The order of two rows\n\n"
    "Of two layouts of one table (model, devices and sequence), how often the one that the model takes for the faster one was the\n"
    "faster one. Rows of `nd` and `nd rank` that are this close should be measured, not believed.\n\n";

static const char page_fits[] =
    "\n## Probability of fitting\n\n"
    "`ppsweep check` prints a probability that a training fits. It comes from published peaks, and from layouts that ran or\n"
    "ran out of memory: the logarithm of true over predicted peak has a logistic distribution, whose median and scale are\n"
    "fitted for each stack with 20 or more facts of peaks or of layouts that ran out; other stacks take all facts. A source\n"
    "counts as at most 60 facts. The second table compares the probability that a fit without the source of a layout says with the\n"
    "share of these layouts that ran.\n\n";
