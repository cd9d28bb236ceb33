"""A publisher plugin: hears of workflows that end, and publishes what comes of it."""

import os
import uuid

from flask import request

from opentf.commons import (
    WORKFLOW,
    WORKFLOWCOMPLETED,
    make_app,
    make_event,
    make_status_response,
    publish,
    run_app,
    subscribe,
    unsubscribe,
)

# The workflows that it is about.
ABOUT = os.environ['PUBLISHED']
# The first toolkit has no name for it.
NOTIFICATION = 'opentestfactory.org/v1alpha1/Notification'

plugin = make_app(
    name='publisher', description='Publishes.', configfile='conf/publisher.yaml'
)
context = plugin.config['CONTEXT']


def say(*words):
    # In one write: print() makes several, and inboxes that are asked at the same time would write into each other's lines.
    os.write(1, (' '.join(words) + '\n').encode())


def notification(metadata, **spec):
    about = {'name': 'published', 'workflow_id': metadata['workflow_id']}
    return make_event(NOTIFICATION, metadata=about, spec=spec)


@plugin.route('/inbox', methods=['POST'])
def process_inbox():
    event = request.get_json()
    metadata = event['metadata']
    say(event['kind'], event['apiVersion'], metadata['name'])
    if event['kind'] == 'WorkflowCompleted' and metadata['name'] == ABOUT:
        worker = {'worker_id': str(uuid.uuid4())}
        publish(notification(metadata, worker={**worker, 'status': 'setup'}), context)
        publish(notification(metadata, logs=[f'published {metadata["name"]}']), context)
        publish(notification(metadata, worker={**worker, 'status': 'teardown'}), context)
        about = {
            'name': f'after {metadata["name"]}',
            'workflow_id': str(uuid.uuid4()),
            'namespace': metadata['namespace'],
        }
        jobs = {'job': {'runs-on': 'linux', 'steps': [{'run': 'echo never'}]}}
        answer = publish(make_event(WORKFLOW, metadata=about, jobs=jobs), context)
        say('answered', answer.json()['message'])
    return make_status_response('OK', '')


if __name__ == '__main__':
    subscriptions = [
        subscribe(kind=kind, target='inbox', app=plugin)
        for kind in (WORKFLOWCOMPLETED, WORKFLOW)
    ]
    try:
        run_app(plugin)
    finally:
        for subscription in subscriptions:
            unsubscribe(subscription, app=plugin)
