#!/bin/sh
# Packs the result.json of a folder of runs into results.tar.gz, with its checksum: experiments/pack.sh FOLDER
# The same files give the same bytes.
set -eu
cd "$(dirname "$0")/.."
archive=experiments/results.tar.gz
(cd "$1" && find . -name result.json | LC_ALL=C sort \
    | tar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 --no-recursion -cf - -T -) | gzip -9n > "$archive.part"
mv "$archive.part" "$archive"
(cd experiments && sha256sum results.tar.gz > results.tar.gz.sha256)
