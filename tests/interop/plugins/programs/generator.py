"""A generator plugin: makes two jobs, one after the other."""

from opentf.toolkit import make_plugin, run_plugin


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


plugin = make_plugin(
    name='bundler', description='Generates jobs.', generator=generate
)

if __name__ == '__main__':
    run_plugin(plugin)
