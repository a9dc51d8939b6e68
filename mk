#!/bin/bash
# mk SRC OUT
SRC=$1; OUT=$2; D=/tmp/st/o-$(basename $OUT); mkdir -p $D
F="-D_GNU_SOURCE -I$SRC -isystem /usr/include/cjson -O3 -g1 -DNDEBUG -fno-math-errno -fno-trapping-math -ffp-contract=off -fopenmp -std=c11 $XF"
for f in $SRC/kernels/contention/*.c; do
  b=$(basename $f .c); X=
  case $b in *_avx2) X=-mavx2;; *_avx512) X="-mavx512f -mavx512dq -mavx512vl -mbmi -mbmi2";; esac
  [ $b = kernel ] && continue
  if [ ! -e $D/$b.o ] || [ -n "$(find $SRC/kernels/contention -newer $D/$b.o -name '*.[ch]' | head -1)" ]; then echo "gcc $F $X -c $f -o $D/$b.o"; fi
done | xargs -P2 -I{} sh -c '{}' || exit 1
gcc $F -o $OUT /tmp/st/st.c $D/*.o -Wl,--unresolved-symbols=ignore-all -lm -lz 2>&1 | head
