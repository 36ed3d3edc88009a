#!/bin/sh
# The shell of make TIMES=1: runs a command, as /bin/sh does, and notes in $TIMED how many milliseconds it took.
# Without a command: prints what took longest, compiling, linking and running, and forgets it.
if [ $# = 0 ]; then
  for kind in compile link run; do
    awk -v kind=$kind '$2 == kind {ms += $1; n += 1} END {printf "%.1f s: %d times %s\n", ms / 1000, n, kind}' "$TIMED"
    awk -v kind=$kind '$2 == kind {printf "  %.1f s: %s\n", $1 / 1000, $3}' "$TIMED" | sort -k1,1 -rn | head -n 10
  done
  rm -f "$TIMED"
  exit
fi
begin=$(date +%s%N)
/bin/sh "$@"
status=$?
end=$(date +%s%N)
made=$(printf '%s\n' "$2" | sed -n 's/.* -o \([^ ]*\).*/\1/p' | tail -n 1)
case $2 in
  make\ *) exit $status ;;  # its own commands are noted
  *' -c '* | *c++-header*) kind=compile ;;
  *' -o '*) kind=link ;;
  *shards.sh* | *reference-tests* | *'/gradcheck '*) kind=run made=$(printf '%s\n' "$2" | grep -o '[^ /]*\(shards.sh\|reference-tests\|gradcheck\)' | tail -n 1) ;;
  *) exit $status ;;
esac
echo "$(((end - begin) / 1000000)) $kind $made" >>"$TIMED"
exit $status
