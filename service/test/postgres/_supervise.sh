#!/bin/bash
# Runs a server until it ends, or until the process RUN is gone: then the server is ended and FOLDER deleted.
#
#   _supervise.sh RUN FOLDER COMMAND...
run=$1 folder=$2
shift 2
"$@" &
server=$!
tail --pid="$run" -s 0.2 -f /dev/null &
watch=$!
wait -n
if kill -0 "$run" 2>/dev/null; then
  kill "$watch"
  exit
fi
# A halted server does not see that it is to end.
kill -QUIT "$server"
kill -CONT "$server"
wait "$server"
rm -rf "$folder"
