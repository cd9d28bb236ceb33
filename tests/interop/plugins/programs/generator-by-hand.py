"""A generator plugin on a toolkit that calls no generators: it subscribes and answers by itself."""

from flask import request

from opentf.commons import (
    EXECUTIONERROR,
    GENERATORCOMMAND,
    GENERATORRESULT,
    make_app,
    make_event,
    make_status_response,
    publish,
    run_app,
    subscribe,
    unsubscribe,
)

import yaml

plugin = make_app(
    name='bundler', description='Generates jobs.', configfile='conf/bundler.yaml'
)


def generate(inputs):
    if not inputs.get('count'):
        raise ValueError('nothing to generate')
    return {
        f'part-{number}': {
            'runs-on': inputs['tags'],
            'steps': [{'run': f'echo "part {number}"'}],
            'outputs': {
                'plain': f'{number}',
                'described': {'description': 'its number', 'value': f'{number}'},
            },
            **({'needs': f'part-{number - 1}'} if number > 1 else {}),
        }
        for number in range(1, int(inputs['count']) + 1)
    }


OUTPUTS = {
    'plain': '${{ jobs.part-1.outputs.described }}',
    'described': {
        'description': 'what the second part is',
        'value': '${{ jobs.part-2.outputs.plain }}',
    },
}


@plugin.route('/inbox', methods=['POST'])
def process_inbox():
    body = request.get_json()
    about = {'metadata': body['metadata']}
    try:
        jobs = generate(body.get('with', {}))
        result = make_event(GENERATORRESULT, jobs=jobs, outputs=OUTPUTS, **about)
    except Exception as err:
        details = {'error': f'Unexpected execution error: {err}.'}
        result = make_event(EXECUTIONERROR, details=details, **about)
    publish(result, plugin.config['CONTEXT'])
    return make_status_response('OK', '')


if __name__ == '__main__':
    with open('service.yaml', encoding='utf-8') as file:
        event = yaml.safe_load(file)['events'][0]
    labels = {f'opentestfactory.org/{name}': value for name, value in event.items()}
    subscription = subscribe(
        kind=GENERATORCOMMAND, target='inbox', app=plugin, labels=labels
    )
    try:
        run_app(plugin)
    finally:
        unsubscribe(subscription, app=plugin)
