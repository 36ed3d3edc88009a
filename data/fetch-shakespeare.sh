#!/bin/sh
# Fetch tiny shakespeare to data/tinyshakespeare.txt and check its SHA-256.
# The file appears under its name only once its sum is right.
# Exit status: 0 the file is there and right, 1 it is not.
set -u

url=https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt
want=86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed

case $0 in
*/*) dir=${0%/*} ;;
*) dir=. ;;
esac
dir=$(CDPATH='' cd -- "$dir" && pwd) || exit 1
file=$dir/tinyshakespeare.txt
tmp=$file.part.$$

fail() {
  printf 'fetch-shakespeare: %s\n' "$1" >&2
  exit 1
}

by_hand() {
  fail "$1; put the file there yourself:
  from     $url
  to       $file
  SHA-256  $want"
}

sum() {  # prints the SHA-256 of file $1
  if command -v sha256sum >/dev/null 2>&1; then
    s=$(sha256sum <"$1")
  elif command -v shasum >/dev/null 2>&1; then
    s=$(shasum -a 256 <"$1")
  else
    fail "neither sha256sum nor shasum found, so the file cannot be checked"
  fi || return 1
  printf '%s\n' "${s%% *}"
}

if [ -f "$file" ]; then
  got=$(sum "$file") || exit 1
  if [ "$got" = "$want" ]; then
    echo "$file is already there, SHA-256 right"
    exit 0
  fi
  echo "$file has the wrong SHA-256 ($got); fetching it again" >&2
fi

trap 'rm -f "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

if command -v curl >/dev/null 2>&1; then
  why=$(curl -fsSL --connect-timeout 20 --max-time 300 -o "$tmp" "$url" 2>&1) ||
    by_hand "no download (${why:-curl failed})"
elif command -v wget >/dev/null 2>&1; then
  why=$(wget -nv -T 20 -t 2 -O "$tmp" "$url" 2>&1) ||
    by_hand "no download (${why:-wget failed})"
else
  by_hand "neither curl nor wget found"
fi

got=$(sum "$tmp") || exit 1
[ "$got" = "$want" ] || fail "wrong SHA-256, download removed:
  wanted $want
  got    $got"

mv "$tmp" "$file" || fail "cannot write $file"
echo "$file fetched, SHA-256 right"
