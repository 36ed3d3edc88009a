#!/bin/sh
# make mutants: breaks every backward pass on purpose, one line at a time (tests/mutants.txt), and
# counts how many of the mutants make gradcheck fail. All have to.
#
# The edits are made to copies of the op files, in such a way that the environment variable MUTANT
# says which of them is in force: so all mutants are one program, built once. The shipped code has
# no part in it. Uses CXX, FLAGS and OBJECTS of the Makefile (double build).
set -eu
dir=.build/mutants
rm -rf $dir && mkdir -p $dir

cat >$dir/mutant.h <<END
#include <cstdlib>
namespace engine {
inline const int mutant = std::getenv("MUTANT") ? std::atoi(std::getenv("MUTANT")) : 0;
}
END

# Writes $dir/FILE for every file of the list, and $dir/list: number, file, kind, what was done.
awk -v dir=$dir '
function die(why) { print "tests/mutants.txt:" NR ": " why ": " $0; failed = 1; exit 1 }
function trim(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }
function name(path) { gsub("/", "_", path); return path }
# Edits are places (from, to) of the pristine text and the code to stand there in one mutant.
function mutate(kind, code) {
  ++count; ++edits
  from[edits] = at; to[edits] = at + length(original); new[edits] = code; number[edits] = count
  print count "\t" file "\t" kind "\t" original "\t" code >(dir "/list")
}
# An edit inside another becomes one of all of it; then, from the end of the text to its beginning,
# each place becomes (mutant == 1 ? (...) : mutant == 2 ? (...) : (what stood there)).
function save(   i, j, last, all, choice, level) {
  if (file == "") return
  for (level = 1; level <= 3; ++level)
   for (i = 1; i <= edits; ++i)
    for (j = 1; j <= edits; ++j)
      if (from[j] <= from[i] && to[i] <= to[j] && to[j] - from[j] > to[i] - from[i]) {
        new[i] = substr(text, from[j], from[i] - from[j]) new[i] substr(text, to[i], to[j] - to[i])
        from[i] = from[j]; to[i] = to[j]
      }
  all = text
  for (;;) {
    last = 0
    for (i = 1; i <= edits; ++i) if (!(i in done) && (!last || from[i] > from[last])) last = i
    if (!last) break
    choice = ""
    for (i = 1; i <= edits; ++i)
      if (from[i] == from[last]) {
        if (to[i] != to[last]) die("overlapping places")
        choice = choice "engine::mutant == " number[i] " ? (" new[i] ") : "; done[i]
      }
    all = substr(all, 1, from[last] - 1) "(" choice "(" substr(text, from[last], to[last] - from[last]) "))" substr(all, to[last])
  }
  split("", done); edits = 0
  print all >(dir "/" name(file)); close(dir "/" name(file))
}
/^@ / {
  save()
  file = $2; text = ""
  while ((getline line <file) > 0) text = text line "\n"
  next
}
/^#/ || /^ *$/ { next }
{
  fields = split($0, field, / \| /)
  how = trim(field[1]); original = trim(field[3])
  at = 1
  anchors = split(field[2], anchor, / >> /)
  for (i = 1; i <= anchors; ++i) {
    found = index(substr(text, at), trim(anchor[i]))
    if (!found) die("no \"" trim(anchor[i]) "\"")
    at += found - 1 + length(trim(anchor[i]))
  }
  found = index(substr(text, at), original)
  if (!found || original == "") die("no \"" original "\"")
  at += found - 1
  if (how == "sum") {
    slot = original; sub(/\.accumulate\(.*/, "", slot)
    value = substr(original, length(slot) + 13); sub(/\)$/, "", value)
    mutate("zeroed", slot ".accumulate((" value ") * 0.0)")
    mutate("sign flipped", slot ".accumulate(-(" value "))")
    mutate("times 1.001", slot ".accumulate((" value ") * 1.001)")
    mutate("assigned", slot ".clear(), " original)
  } else if (how == "value") {
    mutate("zeroed", "(" original ") * 0.0")
    mutate("sign flipped", "-(" original ")")
    mutate("times 1.001", "(" original ") * 1.001")
  } else if (how == "slot") {
    slot = original; sub(/\..*/, "", slot)
    mutate("assigned", slot ".clear(), " original)
  } else if (how == "drop" || how == "skip") {
    mutate(how == "drop" ? "term dropped" : "reduction skipped", trim(field[4]))
  } else {
    die("unknown kind")
  }
}
END { if (!failed) save() }' tests/mutants.txt

objects=$OBJECTS
for file in $(cut -f 2 $dir/list | sort -u); do
  copy=$dir/$(echo "$file" | tr / _)
  $CXX $FLAGS -O1 -w -include $dir/mutant.h -c "$copy" -o "$copy.o"
  objects=$(echo "$objects" | sed "s|[^ ]*/${file%.cpp}\.o|$copy.o|")
done
$CXX $FLAGS $objects -o $dir/gradcheck

# Without a mutant the copies are the originals.
$dir/gradcheck /dev/null >$dir/log || { tail -5 $dir/log; echo "gradcheck fails without a mutant"; exit 1; }

try() {
  status=0
  MUTANT=$1 timeout 120 $dir/gradcheck /dev/null >$dir/log."$1" 2>&1 || status=$?
  case $status in 0 | 124) echo "$1" >>$dir/survivors ;; esac  # too slow to tell is not caught
  rm -f $dir/log."$1"
}
: >$dir/survivors
made=$(wc -l <$dir/list)
for i in $(seq "$made"); do try "$i"; done
cut -f 3 $dir/list | sort | uniq -c
missed=$(wc -l <$dir/survivors)
echo "mutants: $made made, $((made - missed)) caught"
for i in $(cat $dir/survivors); do echo "NOT CAUGHT  $(sed -n "${i}p" $dir/list)"; done
[ "$missed" -eq 0 ]
