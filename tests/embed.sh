#!/bin/bash
# Every example runs when built in the tree, and when built by a stranger: from an installed copy found
# through pkg-config, linked with the shared library, with the static one, and compiled as C++. All must say the same.
set -eu
cd "$(dirname "$0")/.."
prefix=$PWD/build/installed
rm -rf "$prefix"
env -u MAKEFLAGS -u MAKELEVEL make -s all examples
env -u MAKEFLAGS -u MAKELEVEL make install PREFIX="$prefix" >/dev/null
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
[ "$("$prefix/bin/tessera" --version)" = "$(build/tessera --version)" ]
[ -s "$prefix/share/man/man1/tessera.1" ] && [ -s "$prefix/share/man/man1/tessera-partition.1" ]
bash -c 'source "$1"; complete -p tessera' - "$prefix/share/bash-completion/completions/tessera" >/dev/null
grep -q '^#compdef tessera' "$prefix/share/zsh/site-functions/_tessera"
count=0
for source in examples/*.c; do
  name=$(basename "$source" .c)
  expected=$(build/examples/"$name" examples/mlp.mlir)
  cc -std=c11 -o "$prefix/$name-shared" "$source" $(pkg-config --cflags --libs tessera)
  [ "$(LD_LIBRARY_PATH=$prefix/lib "$prefix/$name-shared" examples/mlp.mlir)" = "$expected" ]
  cc -std=c11 -o "$prefix/$name-static" "$source" $(pkg-config --cflags tessera) \
    "$(pkg-config --variable=libdir tessera)/libtessera.a" -lm -pthread
  [ "$("$prefix/$name-static" examples/mlp.mlir)" = "$expected" ]
  c++ -std=c++20 -Wall -x c++ -o "$prefix/$name-cxx" "$source" $(pkg-config --cflags --libs tessera)
  [ "$(LD_LIBRARY_PATH=$prefix/lib "$prefix/$name-cxx" examples/mlp.mlir)" = "$expected" ]
  count=$((count + 1))
done
echo "$count examples, each built four ways"
