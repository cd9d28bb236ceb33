"""A publisher plugin: hears of everything that its toolkit knows, and refuses what is not valid under the schemas of the toolkit."""

import os

from flask import request

from opentf import commons
from opentf.commons import (
    make_app,
    make_status_response,
    run_app,
    subscribe,
    unsubscribe,
    validate_schema,
)

# The constants of the toolkit: `opentestfactory.org/VERSION/KIND`.
EVENTS = (
    'WORKFLOW',
    'WORKFLOWCANCELLATION',
    'WORKFLOWCOMPLETED',
    'WORKFLOWCANCELED',
    'WORKFLOWRESULT',
    'GENERATORCOMMAND',
    'GENERATORRESULT',
    'PROVIDERCOMMAND',
    'PROVIDERRESULT',
    'EXECUTIONCOMMAND',
    'EXECUTIONRESULT',
    'EXECUTIONERROR',
    'NOTIFICATION',
)
SCHEMAS = [getattr(commons, name) for name in EVENTS if hasattr(commons, name)]

plugin = make_app(
    name='witness', description='Looks on.', configfile='conf/witness.yaml'
)


@plugin.route('/inbox', methods=['POST'])
def process_inbox():
    event = request.get_json()
    schema = f'{event["apiVersion"]}/{event["kind"]}'
    valid, extra = validate_schema(schema, event)
    os.write(1, f'{schema} {"valid" if valid else extra}\n'.encode())
    if not valid:
        return make_status_response('BadRequest', f'Not valid: {extra}')
    return make_status_response('OK', '')


if __name__ == '__main__':
    subscriptions = [
        subscribe(kind=schema, target='inbox', app=plugin) for schema in SCHEMAS
    ]
    os.write(1, f'subscribed to {" ".join(SCHEMAS)}\n'.encode())
    try:
        run_app(plugin)
    finally:
        for subscription in subscriptions:
            unsubscribe(subscription, app=plugin)
