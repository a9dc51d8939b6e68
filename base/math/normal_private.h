// SPDX-License-Identifier: Apache-2.0
// Constants of the inverse normal distribution function, which the scalar code and the rows share.
#pragma once

#include "base/math/normal.h"

// With t = min(u, 1 - u), q = 1/2 - t and r = 1/4 - q^2, |z| = q P(r) / Q(r) for t >= 2^-7, within 4e-12
// (relative). Fitted by weighted least squares (Lawson), coefficients of r^8 first; all are positive, so
// that no digits cancel.
#define NORMAL_TAIL 0x1p-7

enum { NORMAL_TERMS = 9 };

static const double normal_p[NORMAL_TERMS] = {
    54969245948.38104, 407105072808.8991,  379094383629.8377,
    96740441893.65575, 8489405254.415963,  274016504.0057401,
    3149692.762865262, 11010.594148266742, 7.2847675520884465};
static const double normal_q[NORMAL_TERMS] = {
    92036565459.63248,  272403052068.25473, 166062083213.32074,
    32112527178.852554, 2287141911.8252606, 62162672.68115265,
    612570.2811217634,  1835.4783652411704, 1};

// Returns |z| for t < NORMAL_TAIL.
double normal_tail(double t);
