"""Runs the agent operator without Kubernetes: a pod is a folder of this machine, and the resource of the pool is kept in here.

Arguments: the name of the pool, its resource (JSON, the content of `spec`), and a folder for the pods.
"""

import base64
import json
import logging
import os
import pathlib
import subprocess
import sys
import threading
from types import SimpleNamespace

from kubernetes import client, config, stream
from opentf.operator import main as operator

NAME, NAMESPACE = sys.argv[1], 'default'
SPEC = json.loads(sys.argv[2])
PODS = pathlib.Path(sys.argv[3])

status = {}
lock = threading.Lock()


def merge(target, patch):
    """As the service does with a patch: null takes away."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            merge(target.setdefault(key, {}), value)
        else:
            target[key] = value


class Resources:
    def get_namespaced_custom_object(self, **_):
        with lock:
            return {'status': json.loads(json.dumps(status))}

    def patch_namespaced_custom_object(self, body, **_):
        with lock:
            merge(status, body['status'])


class Pods:
    def read_namespaced_secret(self, *_):
        token = base64.b64encode(os.environ['TOKEN'].encode()).decode()
        return SimpleNamespace(data={'token': token})

    def list_namespaced_pod(self, namespace):
        PODS.mkdir(exist_ok=True)
        names = [pod.name for pod in PODS.iterdir()]
        return SimpleNamespace(
            items=[SimpleNamespace(metadata=SimpleNamespace(name=name)) for name in names]
        )

    def create_namespaced_pod(self, namespace, body):
        (PODS / body['metadata']['name']).mkdir(parents=True)

    def delete_namespaced_pod(self, name, namespace):
        # Its files stay, for the test to look at.
        os.rename(PODS / name, PODS.parent / f'{PODS.name}-gone-{name}-{os.urandom(4).hex()}')

    def read_namespaced_pod_status(self, name, namespace):
        phase = 'Running' if (PODS / name).is_dir() else 'Unknown'
        return SimpleNamespace(status=SimpleNamespace(phase=phase))

    connect_get_namespaced_pod_exec = None


class Exec:
    """A command in a pod, as the websocket of the service shows it."""

    def __init__(self, pod, command):
        self.process = subprocess.Popen(
            command,
            cwd=PODS / pod,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.outputs = None

    def is_open(self):
        return self.outputs is None

    def update(self, timeout):
        self.outputs = list(self.process.communicate())

    def peek_stdout(self):
        return self.outputs[0]

    def peek_stderr(self):
        return self.outputs[1]

    def read_stdout(self):
        return self.outputs[0]

    def read_stderr(self):
        return self.outputs[1]

    @property
    def returncode(self):
        return self.process.returncode

    def write_stdin(self, text):
        self.process.stdin.write(text)

    def close(self):
        if self.outputs is None:
            self.process.communicate()


def execute(_, pod, namespace, command, **__):
    return Exec(pod, command)


client.CustomObjectsApi = Resources
client.CoreV1Api = Pods
stream.stream = execute
config.load_incluster_config = lambda: None

made = operator.create_agents(
    spec=SPEC, name=NAME, namespace=NAMESPACE, logger=logging.getLogger('create')
)
with lock:
    merge(status, {'create_agents': made})
try:
    print('created', flush=True)
    threading.Event().wait()
except KeyboardInterrupt:
    operator.delete_agents(
        name=NAME, namespace=NAMESPACE, spec=SPEC, status=status, logger=logging.getLogger('delete')
    )
