#!/usr/bin/env bash
# A server, an agent that has all the tools, the workflow, the verdict of a quality gate, and the reports: in the folder that is
# named, else in prices-results. The exit code is that of the gate: 102, as a rule is broken.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:-prices-results}"
results=$(cd "${1:-prices-results}" && pwd)
tools=${TOOLS_DIR:-$here/tools}
tutti=$here/../../cli/bin/tutti.js
export PATH="$tools/bin:$PATH" TUTTI_DATA_DIR="$results/data"
if [ -z "${CHROMIUM:-}" ]; then CHROMIUM=$(command -v chromium || command -v google-chrome || true); fi
export CHROMIUM

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
