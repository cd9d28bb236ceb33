// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** A workflow, a workflow that it calls, and answers of plugins, with all that these can say. */
import { type Manifest, sh } from '../../support/runs.ts';
import { reportStep } from '../../support/sample-run.ts';

/** The prefix of the functions and generators of the plugin. */
export const PLUGIN = 'rich';

export const CALLED = `
metadata: {name: called}
inputs: {word: {description: A word, required: true}}
outputs: {said: {description: What was said, value: "\${{ jobs.say.outputs.said }}"}}
jobs:
  say:
    runs-on: linux
    steps:
    - id: say
      run: echo "::set-output name=said::\${{ inputs.word }}"
    outputs: {said: "\${{ steps.say.outputs.said }}"}
`;

/** All that a workflow can say. Some of its jobs fail. */
export const EVERYTHING: Manifest = {
  metadata: { name: 'everything', labels: { 'example.com/team': 'blue' } },
  inputs: {
    browser: {
      description: 'The browser',
      type: 'choice',
      options: ['firefox', 'chrome'],
      default: 'chrome',
    },
    count: { description: 'How many', type: 'number', default: 2 },
  },
  outputs: {
    said: '${{ jobs.called.outputs.said }}',
    number: { value: '3', description: 'Three' },
  },
  concurrency: { group: 'everything', 'cancel-in-progress': true },
  strategy: { 'max-parallel': 20, 'fail-fast': '${{ false }}' },
  'timeout-minutes': 30,
  defaults: { run: { shell: 'bash' } },
  variables: { PLAIN: 'a b', EXACT: { value: '$HOME', verbatim: true } },
  secrets: { TOKEN: 'hushhush' },
  resources: { files: ['data', 'called.yaml'] },
  hooks: [
    {
      name: 'around',
      events: [{ channel: 'setup' }],
      before: [{ 'use-workspace': 'given' }],
      after: [sh('echo set up')],
    },
    {
      name: 'at the end',
      events: [{ channel: 'teardown' }],
      before: [{ 'keep-workspace': '${{ true }}' }, { if: 'false', 'keep-workspace': false }],
    },
    {
      name: 'around functions',
      events: [{ categoryPrefix: 'actions', category: '_' }],
      before: [sh('echo before $TOKEN')],
      after: [{ ...sh('echo after'), shell: 'sh' }],
    },
  ],
  jobs: {
    main: {
      'runs-on': ['linux', 'shell'],
      'timeout-minutes': '${{ 10 }}',
      'continue-on-error': '${{ true }}',
      concurrency: { group: 'main' },
      steps: [
        sh('echo "::set-output name=o::1"; echo "::set-output name=long-name::2"', { id: 'say' }),
        sh('print("out")', { shell: 'python', variables: { OWN: { value: '%', verbatim: true } } }),
        sh('echo never', { if: 'false' }),
        sh('exit 3', { 'continue-on-error': '${{ true }}', 'timeout-minutes': '${{ true && 2 }}' }),
        sh(
          'echo "export LEFT=1" >> "$OPENTF_VARIABLES"; echo ::add-mask::maskedtext; echo maskedtext; mkdir sub',
        ),
        reportStep([
          { name: 'good', seconds: 0.25 },
          { name: 'bad', seconds: 1, outcome: '<failure message="broke" type="E">there</failure>' },
          { name: 'left out', seconds: 0, outcome: '<skipped/>' },
        ]),
        sh(
          'echo "<testsuite>" > broken.xml; echo "::attach type=application/vnd.opentestfactory.junit-surefire+xml::$PWD/broken.xml"',
        ),
        sh(
          'echo up > up.txt; echo "::upload type=text/plain::$PWD/up.txt"; echo "::attach::$PWD/nowhere.txt"',
          { 'continue-on-error': true },
        ),
        {
          uses: 'actions/create-file@v1',
          with: { data: 'x', format: 'txt', path: 'x.txt' },
          'working-directory': 'sub',
        },
        {
          uses: 'actions/put-file@v1',
          with: { file: '${{ resources.files.data }}', path: 'data.csv' },
        },
        {
          uses: `${PLUGIN}/steps@v1`,
          with: { a: [1, { b: true }] },
          'timeout-minutes': 5,
          'continue-on-error': true,
        },
      ],
      outputs: {
        o: '${{ steps.say.outputs.o }}',
        described: { value: 'x', description: 'An x' },
        five: 5,
        yes: true,
      },
    },
    down: {
      needs: 'main',
      steps: [sh('echo "::download file=up.txt::here.txt"'), sh('cat here.txt')],
    },
    crossed: {
      'runs-on': '${{ matrix.os }}',
      strategy: {
        'max-parallel': '${{ 2 }}',
        matrix: {
          os: ['linux'],
          flag: [true, false],
          deep: [{ n: 1, list: [1, null] }],
          include: [{ os: 'linux', flag: true, extra: 4 }],
        },
      },
      steps: [sh('echo ${{ matrix.flag }}')],
    },
    computed: {
      'runs-on': 'linux',
      strategy: { matrix: '${{ fromJSON(\'{"x": [1, 2]}\') }}', 'fail-fast': true },
      steps: [sh('exit ${{ matrix.x }}')],
      'continue-on-error': true,
    },
    nested: {
      'runs-on': 'linux',
      variables: { WHERE: 'bundle' },
      jobs: {
        inner: { steps: [sh('echo inner')], outputs: { a: 'b' } },
        last: {
          needs: 'inner',
          strategy: { matrix: { n: [1, 2] } },
          jobs: { deepest: { steps: [sh('echo ${{ matrix.n }}')] } },
        },
      },
      outputs: { a: '${{ jobs.inner.outputs.a }}' },
    },
    called: { uses: './called.yaml', with: { word: 'hello' } },
    generated: { 'runs-on': 'linux', generator: `${PLUGIN}/jobs@v1`, with: { any: { thing: 1 } } },
    failing: { 'runs-on': 'linux', steps: [sh('exit 1')] },
    behind: { needs: 'failing', steps: [sh('echo never')] },
    cleaning: { needs: 'failing', if: 'always()', 'runs-on': 'linux', steps: [sh('echo clean')] },
  },
};

/** The plugin's answer. */
export const GENERATED = {
  jobs: {
    first: {
      'runs-on': 'linux',
      'timeout-minutes': '${{ 5 }}',
      steps: [{ ...sh('echo generated'), shell: 'sh' }],
      outputs: { word: { value: 'x', description: 'A word' } },
    },
    second: {
      needs: 'first',
      variables: { A: { value: '$b', verbatim: true } },
      jobs: { inner: { steps: [sh('echo inner')] } },
    },
  },
  outputs: { word: { value: '${{ jobs.first.outputs.word }}', description: 'A word' } },
};

export const PROVIDED = {
  steps: [
    { ...sh('echo provided'), shell: 'sh', 'continue-on-error': '${{ true }}' },
    {
      ...sh('echo "::set-output name=word::x"'),
      id: 'word',
      variables: { A: { value: '$b', verbatim: true } },
    },
    { uses: 'actions/create-file@v1', with: { data: 'y', format: 'txt', path: 'y.txt' } },
  ],
  outputs: { word: { value: '${{ steps.word.outputs.word }}', description: 'A word' } },
};
