#!/usr/bin/env bash
# Installs pytest, Robot Framework, Newman and Playwright in a folder: tools, or the one that is named.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=${1:-$here/tools}
mkdir -p "$tools"
if [ ! "$tools" -ef "$here/tools" ]; then
  cp "$here"/tools/{requirements.txt,package.json,package-lock.json} "$tools"
fi
python3 -m venv "$tools"
"$tools/bin/python" -m pip install --quiet --retries 1 --requirement "$tools/requirements.txt"
# Not "ci": that wants optional packages of all systems to be in the lock file.
cd "$tools"
npm install --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
