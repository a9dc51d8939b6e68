// SPDX-License-Identifier: Apache-2.0
// Converts an SVG picture to PNG with rsvg-convert (Debian package librsvg2-bin).
#ifndef PPS_ENGINE_SVG_SVG_TO_PNG_H
#define PPS_ENGINE_SVG_SVG_TO_PNG_H

#include "base/text/status.h"

#include <stddef.h>
#include <stdio.h>

// Writes the PNG of what `draw` writes as SVG.
PPS_MUST_CHECK enum pps_status pps_svg_draw_png(enum pps_status (*draw)(void *self,
                                                                        FILE *out,
                                                                        struct pps_error *err),
                                                void *self,
                                                FILE *out,
                                                struct pps_error *err);

#endif
