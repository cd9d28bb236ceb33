"""A plugin that hears of the events of one kind that it chooses by expressions: it has a subscription for each choice."""

import json
import os

from flask import request

from opentf.commons import (
    make_app,
    make_status_response,
    run_app,
    subscribe,
    unsubscribe,
)

CHOICES = json.loads(os.environ['CHOICES'])

plugin = make_app(
    name='selective', description='Chooses.', configfile='conf/selective.yaml'
)


@plugin.route('/inbox/<choice>', methods=['POST'])
def process_inbox(choice):
    os.write(1, f'{choice} took {request.get_json()["n"]}\n'.encode())
    return make_status_response('OK', '')


if __name__ == '__main__':
    subscriptions = [
        subscribe(
            kind=os.environ['KIND'], target=f'inbox/{choice}', app=plugin, **expressions
        )
        for choice, expressions in CHOICES.items()
    ]
    try:
        run_app(plugin)
    finally:
        for subscription in subscriptions:
            unsubscribe(subscription, app=plugin)
