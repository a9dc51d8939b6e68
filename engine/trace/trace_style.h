// SPDX-License-Identifier: Apache-2.0
// Colours and sizes that the parts of a picture of timelines share.
#ifndef PPS_ENGINE_TRACE_TRACE_STYLE_H
#define PPS_ENGINE_TRACE_TRACE_STYLE_H

#define PPS_TRACE_INK    "#333333"
#define PPS_TRACE_PALE   "#666666"
#define PPS_TRACE_GROUND "#f4f4f4"

// Lengths in pixels.
#define PPS_TRACE_CHAR   6.6 // width of a character of the default size, rounded up
#define PPS_TRACE_LINE   19.0
#define PPS_TRACE_MARGIN 16.0

enum { PPS_TRACE_SHADES = 10 };

// Returns the colour of a utilisation above (shade - 1) / 10 up to shade / 10, from 1 to
// PPS_TRACE_SHADES: the higher, the darker.
const char *pps_trace_shade(int shade);

#endif
