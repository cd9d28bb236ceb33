"""A provider plugin: functions that greet."""

from flask import request

from opentf.toolkit import core, make_plugin, run_plugin


def greet(inputs):
    who = inputs['who']
    if who == 'nobody':
        core.fail('There is nobody to greet.')
    if who == 'everybody':
        raise ValueError('too many')
    version = request.get_json()['apiVersion']
    return [
        {'run': f'echo "greetings {who}, asked in {version}"'},
        {'run': core.export_variable('GREETED', who)},
        {
            'run': '\n'.join(
                [
                    core.delete_file('letter.txt'),
                    f'echo "dear {who}" > letter.txt',
                    core.attach_file('letter.txt'),
                ]
            )
        },
    ]


plugin = make_plugin(
    name='greeter', description='Greets.', providers={'greet': greet}
)

if __name__ == '__main__':
    run_plugin(plugin)
