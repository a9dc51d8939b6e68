// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/random.h"

#include "base/math/random.h"

uint64_t random_bits(struct random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t random_below(struct random *r, int64_t end)
{
    return (int64_t)(random_bits(r) % (uint64_t)end);
}

bool random_coin(struct random *r)
{
    return random_below(r, 2) == 1;
}

double random_unit(struct random *r)
{
    return (double)(random_bits(r) >> 11) * 0x1p-53;
}

int32_t draws_below(struct draws *d, int32_t end)
{
    return (int32_t)(pps_random_53(d->seed, d->item, d->next++) % (uint64_t)end);
}
