#!/usr/bin/env bash
# A server, an agent that has all the tools, the workflow, the verdict of a quality gate, and the reports: in the folder that is
# named, else in prices-results. The exit code is that of the gate: 102, as a rule is broken. Where tools are missing, nothing is
# run, and it is 127.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=${TOOLS_DIR:-$here/tools}
tutti=$here/../../cli/bin/tutti.js
export PATH="$tools/bin:$PATH"
if [ -z "${CHROMIUM:-}" ]; then CHROMIUM=$(command -v chromium || command -v google-chrome || true); fi
export CHROMIUM

# Without one of them a job would fail, or wait for an agent that has it, after minutes.
missing=''
need() { # what it is, what it is for, what brings it, and a command that succeeds where it is
  local what=$1 for=$2 from=$3
  shift 3
  if ! "$@" > /dev/null 2>&1; then missing+="  $what, for $for: $from"$'\n'; fi
}
debian='apt-get install -y --no-install-recommends'
need 'Node 20 or later' 'the server and the agent' 'https://nodejs.org' command -v node
need 'the packages of the repository' 'the server and the agent' 'npm install' test -d "$here/../../node_modules"
need 'Python 3' 'the jobs "rules", "interface", "acceptance" and "page"' "$debian python3-venv" command -v python3
need 'pytest' 'the job "rules"' "$here/install.sh" test -x "$tools/bin/pytest"
need 'a JDK' 'the job "invoices"' "$debian default-jdk-headless" command -v javac
need 'Maven' 'the job "invoices"' "$debian maven" command -v mvn
need 'Go' 'the job "till"' "$debian golang-go" command -v go
need 'npx' 'the jobs "interface" and "page"' 'it comes with npm' command -v npx
need 'Newman' 'the job "interface"' "$here/install.sh" test -d "$tools/node_modules/newman"
need 'Robot Framework' 'the job "acceptance"' "$here/install.sh" test -x "$tools/bin/robot"
need 'Playwright' 'the job "page"' "$here/install.sh" test -d "$tools/node_modules/@playwright/test"
need 'Chromium' 'the job "page"' "$debian chromium" test -x "$CHROMIUM"
if [ -n "$missing" ]; then
  printf 'Nothing was run, as these are missing (what follows the colon installs them):\n%s' "$missing" >&2
  exit 127
fi

mkdir -p "${1:-prices-results}"
results=$(cd "${1:-prices-results}" && pwd)
export TUTTI_DATA_DIR="$results/data"

started=()
stop() { kill "${started[@]}" 2> /dev/null || true; wait; }
trap stop EXIT

insights="[\"$here/insights.yaml\"]"
node "$tutti" server --port 0 --insights-definitions "$insights" > "$results/server.log" 2>&1 &
started+=($!)
until grep -q 'Tutti is ready' "$results/server.log"; do
  if ! kill -0 "${started[0]}"; then cat "$results/server.log"; exit 1; fi
  sleep 0.1
done
node "$tutti" agent --tags python,java,go,node,browser,service > "$results/agent.log" 2>&1 &
started+=($!)

node "$tutti" run "$here/workflow.yaml" -e SOURCE_DIR="$here" -e TOOLS_DIR="$tools" --wait --no-hints
code=0
node "$tutti" gate --gate release --definition "$here/gates.yaml" --timeout 1m || code=$?
python3 "$here/reports.py" "$TUTTI_DATA_DIR" "$results"
exit "$code"
