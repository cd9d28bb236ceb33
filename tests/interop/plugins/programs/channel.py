"""A channel plugin: jobs run in a folder of this machine, one at a time."""

import os
import queue
import shutil
import subprocess
import threading
import time

from opentf.commons import (
    EXECUTIONCOMMAND,
    EXECUTIONRESULT,
    make_event,
    make_status_response,
    subscribe,
)
from opentf.toolkit import channels, core, make_plugin, run_plugin

CHANNEL_ID = os.environ['CHANNEL_ID']
TAGS = set(os.environ['CHANNEL_TAGS'].split(','))
ROOT = os.getcwd()
REQUEST, RELEASE = -1, -2
STOP = (-4, -9)
LEASE_SECONDS = 60
OS = {'channel_id': CHANNEL_ID, 'channel_os': 'linux', 'channel_temp': ROOT}

commands = queue.Queue()
holder = {'job': None, 'offered until': 0, 'process': None}
states = {}


def is_free():
    return holder['job'] is None and holder['offered until'] < time.monotonic()


def offer(body):
    if is_free() and set(body['runs-on']) <= TAGS:
        holder['offered until'] = time.monotonic() + LEASE_SECONDS
        metadata = {**body['metadata'], **OS}
        core.publish_event(make_event(EXECUTIONRESULT, metadata=metadata, status=0))


def get(path, target):
    shutil.copyfile(os.path.join(ROOT, path), target)


def put(path, source):
    shutil.copyfile(source, os.path.join(ROOT, path))


def run(command):
    process = subprocess.Popen(
        ['bash', '-c', command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    holder['process'] = process
    stdout, stderr = process.communicate()
    holder['process'] = None
    return process.returncode, stdout.splitlines(), stderr.splitlines()


def result_of_2021(body):
    metadata = {**body['metadata'], **OS}
    command, path = channels.prepare_exec(body, metadata['job_id'], 'linux', ROOT)
    script = channels.make_script(body, metadata['job_id'], 'linux', ROOT)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(script)
    status, stdout, stderr = run(command)
    outputs, logs, attachments, about = channels.process_output(stdout, get)
    logs = [line for line in stdout if not line.startswith('::')] + logs + stderr
    result = make_event(EXECUTIONRESULT, metadata=metadata, status=status, logs=logs)
    if outputs:
        result['outputs'] = outputs
    if attachments:
        result['attachments'] = attachments
        metadata['attachments'] = about
    return result


def result_of(body):
    if not hasattr(channels, 'JobState'):
        return result_of_2021(body)
    metadata = body['metadata']
    metadata.update(OS)
    path, script, command = channels.make_script(body, ROOT, 'linux')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(script)
    status, stdout, stderr = run(command)
    state = states.setdefault(metadata['job_id'], channels.JobState())
    result = channels.process_output(body, status, stdout, stderr, state, get, put)
    if hasattr(channels, 'process_opentf_variables'):
        channels.process_opentf_variables(result)
    return result


def work():
    while True:
        body = commands.get()
        result = result_of(body)
        if body['metadata']['step_sequence_id'] == RELEASE:
            holder.update({'job': None, 'offered until': 0})
        if result['metadata'].get('upload') is not None:
            core.publish_event(channels.process_upload(result))
        core.publish_event(result)


def handle(body):
    metadata = body['metadata']
    sequence = metadata['step_sequence_id']
    if sequence == REQUEST:
        offer(body)
    elif metadata.get('channel_id') != CHANNEL_ID:
        pass
    elif sequence in STOP:
        if holder['process'] is not None:
            holder['process'].kill()
    else:
        holder['job'] = metadata['job_id']
        os.write(1, f'command {sequence} {body["apiVersion"]}\n'.encode())
        commands.put(body)
    return make_status_response('OK', '')


def make():
    about = {'name': 'folder', 'description': 'Runs jobs.', 'channel': handle}
    try:
        return make_plugin(**about, args=[[CHANNEL_ID]])
    except TypeError:
        return make_plugin(**about)


plugin = make()
threading.Thread(target=work, daemon=True).start()

if __name__ == '__main__':
    if not hasattr(channels, 'JobState'):
        # The first toolkit subscribes for providers alone.
        subscribe(kind=EXECUTIONCOMMAND, target='inbox', app=plugin)
    run_plugin(plugin)
