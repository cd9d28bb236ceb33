"""Fetches the reports that were made at the end of the newest run: reports.py DATA_DIR FOLDER."""

import json
import sys
import time
from pathlib import Path
from urllib.request import Request, urlopen

NAMES = {"summary.html", "testresults.xml", "log.txt"}
TRIES = 300

data_dir, folder = map(Path, sys.argv[1:])
server = json.loads((data_dir / "server.json").read_text())["url"]
token = (data_dir / "admin.token").read_text().strip()


def get(path):
    request = Request(f"{server}{path}", headers={"Authorization": f"Bearer {token}"})
    with urlopen(request, timeout=30) as answer:
        return answer.read()


def details(path):
    return json.loads(get(path))["details"]


def reports_of(workflow_id):
    """Ids of files by their names, which stand behind the last _ of their paths."""
    events = details(f"/workflows/{workflow_id}/status?per_page=1000")["items"]
    return {
        path.rsplit("_", 1)[-1]: attachment["uuid"]
        for event in events
        if event["kind"] == "WorkflowResult"
        for path, attachment in event["metadata"].get("attachments", {}).items()
    }


[workflow_id] = details("/workflows")["items"][-1:]
for _ in range(TRIES):
    reports = reports_of(workflow_id)
    if NAMES <= reports.keys():
        break
    time.sleep(0.1)
else:
    sys.exit("The reports were not made in time.")
for name in sorted(NAMES):
    (folder / name).write_bytes(get(f"/workflows/{workflow_id}/files/{reports[name]}"))
    print(folder / name)
