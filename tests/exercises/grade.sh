#!/bin/sh
# make exercise: grade.sh BUILD N HINT FILE...
# Grades FILE... until one fails or is not done yet, which is no error. BUILD is where make builds them, N the exercise
# that was asked for, or empty, HINT 1 for its hint; $BUILD_COMMAND is the make that builds. A gap that nobody has filled needs
# no engine to be seen; what all exercises share is compiled before the first that needs it.
build=$1 n=$2 hint=$3
shift 3
asked="make exercise${n:+ N=$n}"
for file; do
  program=$build/${file%.cpp}
  number=${file##*/}
  if grep -q '^  not_done(' "$file"; then
    echo "exercise ${number%%_*} is not done yet: open $file and read its first lines;"
    echo "the line not_done(...) is still there; put your code in its place. Then $asked."
  elif $BUILD_COMMAND TERSE=1 exercise-grader || exit 1; output=$($BUILD_COMMAND "$program" 2>&1); then
    case $output in *warning:*) printf '%s\n' "$output" ;; esac
    EXERCISE_COMMAND=$asked "$program" && continue
  else
    echo "$file does not compile; the compiler says:"
    printf '%s\n' "$output" | sed '1d; /^make/d'
  fi
  if [ "$hint" ]; then sed -n "/^## $number/,/^$/p" tests/exercises/hints.md; else echo "$asked HINT=1 gives a hint."; fi
  exit
done
[ "$n" ] || echo "All exercises pass."
