// Made by measured_steps --memory.
// clang-format off
{"megatron", 1381, 0.066, 0.123},
{"", 1769, -0.076, 0.137},
// clang-format on
