#!/bin/sh
# Starts the service, and gives its address to the steps that follow as an output of this one. `stop.sh` ends it.
python3 "$(dirname "$0")/service.py" > service.log 2>&1 &
echo "$!" > service.pid
tries=0
until [ -e address ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 100 ]; then
    cat service.log
    exit 1
  fi
  sleep 0.1
done
echo "::set-output name=address::$(cat address)"
