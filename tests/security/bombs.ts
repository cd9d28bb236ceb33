/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so. */
/**
 * Documents that are costly to read, check or plan. On the thread of requests, each costly one would take many times as long as a turn
 * may. Larger ones would take longer, and show no more.
 */

export interface Bomb {
  readonly name: string;
  readonly type: 'application/json' | 'application/yaml';
  readonly text: () => string;
}

/** Most characters that a YAML document may have. */
const YAML_LENGTH_MAX = 512 * 1024;
const YAML_LENGTH = YAML_LENGTH_MAX / 8;
const MIB = 1024 * 1024;

const yaml = (name: string, text: () => string): Bomb => ({ name, type: 'application/yaml', text });
const json = (name: string, text: () => string): Bomb => ({ name, type: 'application/json', text });

/** As often as it fits into a YAML document. */
const filled = (piece: string, length: number = YAML_LENGTH): string =>
  piece.repeat(Math.floor(length / piece.length));

/** Numbered lines, as many as fit into a YAML document. */
const lines = (line: (index: number) => string, length: number = YAML_LENGTH - 1000): string => {
  const all: string[] = [];
  for (let size = 0, index = 0; size < length; index += 1) {
    const text = line(index);
    all.push(text);
    size += text.length + 1;
  }
  return all.join('\n');
};

const numbered = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

const entries = (count: number, entry: (index: number) => readonly [string, unknown]) =>
  Object.fromEntries(numbered(count, entry));

const STEPS = [{ run: 'x' }];
const HEAD = 'metadata: {name: bomb}\n';
const ONE_JOB = `${HEAD}jobs: {a: {runs-on: nowhere, steps: [{run: x}]}}\n`;

/** A workflow of so many jobs, and more keys. */
const workflow = (
  count: number,
  job: (index: number) => object = () => ({}),
  more: object = {},
): string =>
  JSON.stringify({
    metadata: { name: 'bomb' },
    jobs: entries(count, (index) => [
      `j${index}`,
      { 'runs-on': 'nowhere', steps: STEPS, ...job(index) },
    ]),
    ...more,
  });

const needs = (before: readonly number[]): object =>
  before.length === 0 ? {} : { needs: before.map((index) => `j${index}`) };

const COSTLY =
  "${{ contains(toJSON(variables), 'y') && join(split(toJSON(variables), 'x'), 'y') }}";

const STRUCTURE: readonly Bomb[] = [
  yaml('closing brackets', () => filled(']')),
  yaml('closing braces', () => filled('}')),
  yaml('opening brackets', () => filled('[')),
  yaml('opening braces', () => filled('{')),
  yaml('brackets of both kinds', () => filled('[{')),
  yaml('empty lists in a list', () => `[${filled('[],', YAML_LENGTH - 3)}]`),
  yaml('empty maps in a list', () => `[${filled('{},', YAML_LENGTH - 3)}]`),
  yaml('commas', () => filled(',')),
  yaml('commas in a list', () => `[${filled(',', YAML_LENGTH - 3)}]`),
  yaml('colons', () => filled(':')),
  yaml('colons and blanks', () => filled(': ')),
  yaml('dashes in a line', () => filled('- ')),
  yaml('dashes in lines', () => filled('-\n')),
  yaml('question marks', () => filled('? ')),
  yaml('question marks in lines', () => filled('?\n')),
  yaml('lists that go deeper', () => lines((index) => `${' '.repeat(index % 60)}-`)),
  yaml('maps that go deeper', () => lines((index) => `${' '.repeat(index % 60)}k:`)),
  yaml('maps that go back', () => lines((index) => `${' '.repeat(60 - (index % 60))}k:`)),
  yaml('documents', () => filled('---\n')),
  yaml('ends of documents', () => filled('...\n')),
  yaml('directives', () => filled('%YAML 1.2\n')),
  yaml('tag directives', () => lines((index) => `%TAG !t${index}! tag:x,2000:`)),
];

const TEXTS: readonly Bomb[] = [
  yaml('line breaks', () => filled('\n')),
  yaml('carriage returns', () => filled('\r\n')),
  yaml('blanks', () => filled(' ')),
  yaml('tabs', () => filled('\t')),
  yaml('tabs in lines', () => filled('\tk: v\n')),
  yaml('comments', () => filled('#\n')),
  yaml('a long comment', () => `#${filled('x')}`),
  yaml('comments behind keys', () => lines((index) => `k${index}: v # c`)),
  yaml('one long text', () => filled('x')),
  yaml('one long text of words', () => filled('x ')),
  yaml('a text over lines', () => filled('x\n')),
  yaml('an open quote', () => `"${filled('x', YAML_LENGTH - 1)}`),
  yaml('open quotes in lines', () => lines((index) => `k${index}: "`)),
  yaml('an open apostrophe', () => `'${filled('x\n', YAML_LENGTH - 1)}`),
  yaml('apostrophes', () => filled("'")),
  yaml('escapes', () => `a: "${filled('\\u0041', YAML_LENGTH - 6)}"`),
  yaml('wrong escapes', () => `a: "${filled('\\q', YAML_LENGTH - 6)}"`),
  yaml('broken surrogates', () => `a: "${filled('\\ud800', YAML_LENGTH - 6)}"`),
  yaml('emoji', () => `a: ${filled('😀', YAML_LENGTH - 6)}`),
  yaml('a block text', () => `a: |\n${filled(' x\n', YAML_LENGTH - 6)}`),
  yaml('a folded text', () => `a: >\n${filled(' x\n\n', YAML_LENGTH - 6)}`),
  yaml('block texts', () => lines((index) => `k${index}: |`)),
  yaml('blanks at the ends of lines', () => lines(() => `k: v${' '.repeat(100)}`)),
  yaml('a number of many digits', () => `a: ${filled('9', YAML_LENGTH - 6)}`),
  yaml('numbers that are too large', () => lines((index) => `k${index}: 9e999`)),
  yaml('at signs', () => filled('@')),
  yaml('percent signs', () => filled('% ')),
  yaml('pipes', () => filled('| ')),
];

const REFERENCES: readonly Bomb[] = [
  yaml('anchors', () => lines((index) => `k${index}: &a${index} v`)),
  yaml('anchors in a line', () => filled('&a ')),
  yaml('aliases of nothing', () => lines((index) => `k${index}: *a${index}`)),
  yaml('aliases in a list', () => `- &a x\n${filled('- *a\n', YAML_LENGTH - 10)}`),
  yaml('aliases in aliases', () =>
    lines((index) => `k${index}: &a${index} [${filled(`*a${index - 1},`, 60)}]`, 2_000),
  ),
  yaml('tags', () => filled('!t ')),
  yaml('tags in a list', () => filled('- !t x\n')),
  yaml('exclamation marks', () => filled('!')),
  yaml('merges', () => `a: &a {b: c}\n${filled('<<: *a\n', YAML_LENGTH - 20)}`),
  yaml('merges of merges', () =>
    lines((index) => `k${index}: &a${index}\n  <<: *a${index - 1}\n  x${index}: 1`),
  ),
  yaml('merges of lists', () => `a: &a {b: c}\nd: {<<: [${filled('*a,', YAML_LENGTH - 40)}]}`),
];

const KEYS: readonly Bomb[] = [
  yaml('many keys', () => ONE_JOB + lines((index) => `k${index}: v`)),
  yaml('many short keys', () => ONE_JOB + lines((index) => `${index.toString(36)}:`)),
  yaml('one key many times', () => filled('k: v\n')),
  yaml('keys in braces', () => `{${lines((index) => `k${index}: v,`)}}`),
  yaml('a long key', () => `${filled('k', YAML_LENGTH - 10)}: v`),
  yaml('keys without values', () => filled('k\n: v\n')),
  yaml('lists as keys', () => lines(() => '[a]: b')),
  yaml(
    'keys that are nearly right',
    () => HEAD + lines((index) => `job${index % 10}s${index}: {}`),
  ),
  yaml(
    'jobs with wrong keys',
    () => `${HEAD}jobs:\n${lines((index) => ` j${index}: {step: [], need: a}`, 40_000)}`,
  ),
  json('many keys', () =>
    JSON.stringify({
      metadata: { name: 'b' },
      jobs: {},
      ...entries(50_000, (index) => [`k${index}`, 1]),
    }),
  ),
  json('keys that are nearly right', () =>
    workflow(1000, (index) => ({ [`step${index}`]: [], need: 'a', 'run-on': 'b', iff: '' })),
  ),
  json('steps with wrong keys', () =>
    workflow(1000, () => ({ steps: numbered(4, () => ({ runn: 'x', uze: 'y', nmae: 'z' })) })),
  ),
  json('wrong values', () => workflow(1000, () => ({ steps: numbered(18, () => null) }))),
  json('variables', () =>
    workflow(1, () => ({}), { variables: entries(50_000, (index) => [`v${index}`, 'x']) }),
  ),
  json('variables with wrong names', () =>
    workflow(1, () => ({}), { variables: entries(4_000, (index) => [`v-${index}`, 1]) }),
  ),
  json('secrets', () =>
    workflow(1, () => ({}), { secrets: entries(50_000, (index) => [`v${index}`, 'x']) }),
  ),
  json('inputs', () =>
    workflow(1, () => ({}), {
      inputs: entries(50_000, (index) => [`v${index}`, { description: 'd' }]),
    }),
  ),
  json('outputs', () =>
    workflow(1, () => ({}), {
      outputs: entries(50_000, (index) => [`v${index}`, { value: '${{ jobs.a.outputs.b }}' }]),
    }),
  ),
  json('files', () =>
    workflow(1, () => ({}), { resources: { files: numbered(60_000, (index) => `f${index}`) } }),
  ),
  json('repositories', () =>
    workflow(1, () => ({}), {
      resources: {
        repositories: numbered(20_000, (index) => ({
          name: `r${index}`,
          type: 'git',
          repository: 'a',
          endpoint: 'https://x',
        })),
      },
    }),
  ),
  json('labels', () =>
    workflow(1, () => ({}), {
      metadata: { name: 'b', labels: entries(60_000, (index) => [`l${index}`, 'x']) },
    }),
  ),
];

const VALUES: readonly Bomb[] = [
  json('deep lists', () => '['.repeat(MIB)),
  json('deep maps', () => '{"a":'.repeat(200_000)),
  json('flat lists', () => `[${'[],'.repeat(MIB)}[]]`),
  json('numbers', () => `[${'1,'.repeat(MIB)}1]`),
  json('long numbers', () => `[${`${'9'.repeat(400)},`.repeat(2_000)}1]`),
  json('one long number', () => `[${'9'.repeat(MIB)}]`),
  json('exponents', () => `[${'1e9,'.repeat(200_000)}1]`),
  json('blanks', () => `${' '.repeat(4 * MIB)}{}`),
  json('escaped texts', () => `["${'\\u0041'.repeat(600_000)}"]`),
  json('escaped keys of prototypes', () => `[${'{"\\u005fa":1},'.repeat(100_000)}{}]`),
  json('backslashes', () => `["${'\\\\'.repeat(MIB)}"]`),
  json('an open text', () => `["${'\\"'.repeat(MIB)}`),
  json('open texts', () => '["a":'.repeat(200_000)),
  json('a mistake at the end', () => `[${'{"a":"b"},'.repeat(100_000)}]`),
  json('surrogates', () => `["${'\\ud800'.repeat(400_000)}"]`),
  json('one long text', () => JSON.stringify(['x'.repeat(4 * MIB)])),
];

const PLANS: readonly Bomb[] = [
  json('jobs', () => workflow(1_024)),
  json('too many jobs', () => workflow(10_000)),
  json('steps', () => workflow(100, () => ({ steps: numbered(800, () => ({ run: 'x' })) }))),
  json('a chain of jobs', () => workflow(1_000, (index) => needs(index === 0 ? [] : [index - 1]))),
  json('a chain of too many jobs', () =>
    workflow(10_000, (index) => needs(index === 0 ? [] : [index - 1])),
  ),
  json('jobs that need all before', () =>
    workflow(500, (index) => needs(numbered(index, (each) => each))),
  ),
  json('jobs that need one another', () =>
    workflow(500, () => needs(numbered(400, (each) => each))),
  ),
  json('jobs in jobs', () =>
    JSON.stringify({
      metadata: { name: 'b' },
      jobs: numbered(50, String).reduce<object>(
        (inner, index) => ({ [`j${index}`]: { jobs: inner } }),
        {
          last: { steps: STEPS },
        },
      ),
    }),
  ),
  json('a wide matrix', () =>
    workflow(1, () => ({ strategy: { matrix: { a: numbered(256, String) } } })),
  ),
  json('too wide a matrix', () =>
    workflow(1, () => ({ strategy: { matrix: { a: numbered(100_000, String) } } })),
  ),
  json('a matrix of many axes', () =>
    workflow(1, () => ({ strategy: { matrix: entries(1_000, (index) => [`a${index}`, [1, 2]]) } })),
  ),
  json('matrices', () =>
    workflow(1_000, () => ({ strategy: { matrix: { a: numbered(50, String), b: [1] } } })),
  ),
  json('exclusions', () =>
    workflow(1, () => ({
      strategy: {
        matrix: {
          a: numbered(64, (each) => each),
          b: numbered(64, (each) => each),
          exclude: numbered(4_000, (each) => ({ a: each, b: each })),
        },
      },
    })),
  ),
  json('inclusions', () =>
    workflow(1, () => ({
      strategy: {
        matrix: {
          a: numbered(250, (each) => each),
          include: numbered(20_000, (each) => ({ a: each, c: each })),
        },
      },
    })),
  ),
  json('hooks', () =>
    workflow(1, () => ({}), {
      hooks: numbered(10_000, (index) => ({
        name: `h${index}`,
        events: [{ categoryPrefix: 'a' }],
        before: STEPS,
      })),
    }),
  ),
  json('hooks for every job', () =>
    workflow(1_000, () => ({}), {
      hooks: numbered(100, (index) => ({
        name: `h${index}`,
        events: [{ channel: 'setup' }],
        before: STEPS,
      })),
    }),
  ),
];

const EXPRESSIONS: readonly Bomb[] = [
  json('expressions', () =>
    workflow(1, () => ({ steps: [{ run: '${{ variables.A }}'.repeat(50_000) }] })),
  ),
  json('expressions of nothing', () =>
    workflow(1, () => ({ steps: [{ run: '${{ nothing.b }}'.repeat(20_000) }] })),
  ),
  json('broken expressions', () =>
    workflow(1, () => ({ steps: [{ run: '${{ ( }}'.repeat(20_000) }] })),
  ),
  json('openings', () => workflow(1, () => ({ steps: [{ run: '${{'.repeat(500_000) }] }))),
  json('long expressions', () =>
    workflow(100, () => ({ steps: [{ run: `\${{ ${'1 == '.repeat(3_000)}1 }}` }] })),
  ),
  json('brackets in expressions', () =>
    workflow(200, () => ({ if: `${'('.repeat(90)}1${')'.repeat(90)}` })),
  ),
  json('a huge condition', () => workflow(1, () => ({ if: 'a && '.repeat(400_000) }))),
  json('conditions', () => workflow(1_000, () => ({ if: `${'true && '.repeat(1_000)}true` }))),
  json('patterns', () => workflow(1_000, () => ({ if: `'a' ~= '${'(a{9}){9}'.repeat(20)}'` }))),
  json('patterns of many states', () =>
    workflow(1_000, (index) => ({ if: `'${'a'.repeat(5_000)}' ~= '(a|aa){40}${index}$'` })),
  ),
  json('costly conditions', () =>
    workflow(1_000, () => ({ if: COSTLY }), {
      variables: entries(1_000, (index) => [`V${index}`, 'xy'.repeat(20)]),
    }),
  ),
  json('costly steps', () =>
    workflow(1_000, () => ({ steps: numbered(10, () => ({ run: 'x', if: COSTLY })) }), {
      variables: entries(1_000, (index) => [`V${index}`, 'xy'.repeat(20)]),
    }),
  ),
  json('costly variables', () =>
    workflow(1_000, () => ({ variables: entries(20, (index) => [`W${index}`, COSTLY]) }), {
      variables: entries(1_000, (index) => [`V${index}`, 'xy'.repeat(20)]),
    }),
  ),
];

export const BOMBS: readonly Bomb[] = [
  ...STRUCTURE,
  ...TEXTS,
  ...REFERENCES,
  ...KEYS,
  ...VALUES,
  ...PLANS,
  ...EXPRESSIONS,
];

/** Documents that take a thread for many seconds. An endpoint is enough, as threads read those of all. */
export const LARGEST_BOMBS: readonly Bomb[] = [
  yaml('the most closing brackets', () => filled(']', YAML_LENGTH_MAX)),
  json('variables for longer than a document may take', () =>
    workflow(1, () => ({}), { variables: entries(800_000, (index) => [`v${index}`, 'x']) }),
  ),
];

const rule = (name: string, scope: string) => ({
  rule: { name, scope, threshold: '100%' },
});

export const GATE_BOMBS: readonly Bomb[] = [
  json('gates', () =>
    JSON.stringify({
      qualitygates: numbered(4_000, (index) => ({
        name: `g${index}`,
        rules: [rule('r', "test.data.status == 'SUCCESS'")],
      })),
    }),
  ),
  json('rules of one name', () =>
    JSON.stringify({
      qualitygates: [{ name: 'g', rules: numbered(6_000, () => rule('r', 'true')) }],
    }),
  ),
  json('costly scopes', () =>
    JSON.stringify({
      qualitygates: [
        {
          name: 'm',
          rules: numbered(30, (index) => rule(`r${index}`, `${'1 == '.repeat(3_000)}1`)),
        },
      ],
    }),
  ),
  json('broken scopes', () =>
    JSON.stringify({
      qualitygates: [{ name: 'm', rules: numbered(5_000, (index) => rule(`r${index}`, '((((')) }],
    }),
  ),
];

const insight = (name: string, more: object) => ({ name, kind: 'SummaryReport', ...more });

export const INSIGHT_BOMBS: readonly Bomb[] = [
  json('insights', () =>
    JSON.stringify({ insights: numbered(8_000, (index) => insight(`i${index}`, {})) }),
  ),
  json('sections', () =>
    JSON.stringify({
      insights: [
        insight('i', {
          spec: {
            template: numbered(5_000, () => ({ kind: 'SummaryBlock', name: 's', if: '((' })),
          },
        }),
      ],
    }),
  ),
  json('wrong sections', () =>
    JSON.stringify({
      insights: [
        insight('i', {
          spec: { template: numbered(9_000, () => ({ kind: 'Table', colums: ['x'] })) },
        }),
      ],
    }),
  ),
  json('costly conditions', () =>
    JSON.stringify({
      insights: numbered(30, (index) => insight(`i${index}`, { if: `${'1 == '.repeat(3_000)}1` })),
    }),
  ),
];

export function publicationBombs(run: string): readonly Bomb[] {
  const event = (kind: string, content: object, metadata: object = {}) =>
    JSON.stringify({
      apiVersion: 'opentestfactory.org/v1',
      kind,
      metadata: {
        name: 'bomb',
        workflow_id: run,
        job_id: run,
        job_origin: [],
        step_origin: [],
        ...metadata,
      },
      ...content,
    });
  const jobs = (count: number, job?: (index: number) => object) =>
    JSON.parse(workflow(count, job)).jobs;
  return [
    json('jobs of a generator', () => event('GeneratorResult', { jobs: jobs(1_024) })),
    json('jobs with wrong keys', () =>
      event('GeneratorResult', { jobs: jobs(1_000, (index) => ({ [`k${index}`]: 1 })) }),
    ),
    json('jobs with costly expressions', () =>
      event('GeneratorResult', { jobs: jobs(500, () => ({ if: `${'1 == '.repeat(1_000)}1` })) }),
    ),
    json('jobs that need one another', () =>
      event('GeneratorResult', { jobs: jobs(400, () => needs(numbered(300, (each) => each))) }),
    ),
    json('steps of a provider', () =>
      event('ProviderResult', { steps: numbered(40_000, () => ({ run: 'x' })) }),
    ),
    json('steps with wrong keys', () =>
      event('ProviderResult', { steps: numbered(40_000, () => ({ runn: 'x' })) }),
    ),
    json('lines', () =>
      event(
        'ExecutionResult',
        { status: 0, logs: numbered(100_000, () => 'x'.repeat(30)) },
        { step_sequence_id: 0 },
      ),
    ),
    json('outputs', () =>
      event(
        'ExecutionResult',
        { status: 0, outputs: entries(100_000, (index) => [`o${index}`, 'x']) },
        { step_sequence_id: 0 },
      ),
    ),
    json('test results', () =>
      event('Notification', {
        spec: {
          testResults: numbered(12_000, (index) => ({
            name: `t${index}`,
            status: 'SUCCESS',
            duration: 1,
            attachment_origin: run,
            test: { suiteName: 's', testCaseName: 'c', technology: 't', runOrder: index },
          })),
        },
      }),
    ),
    json('wrong test results', () =>
      event('Notification', { spec: { testResults: numbered(100_000, () => ({})) } }),
    ),
    json('lines of a notification', () =>
      event('Notification', { spec: { logs: numbered(100_000, () => 'x'.repeat(30)) } }),
    ),
    json('attachments', () =>
      event('WorkflowResult', { attachments: numbered(50_000, (index) => `/tmp/${index}`) }),
    ),
    json('labels', () =>
      event('Other', {}, { labels: entries(80_000, (index) => [`l${index}`, 'x']) }),
    ),
    json('channels', () =>
      event('Notification', {
        spec: { 'channelHandler.channels': numbered(40_000, (index) => ({ name: `c${index}` })) },
      }),
    ),
  ];
}

export const PATCH_BOMBS: readonly Bomb[] = [
  json('agents', () =>
    JSON.stringify(
      entries(100_000, (index) => [
        `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        {},
      ]),
    ),
  ),
];

export const POST_BOMBS: readonly Bomb[] = [
  json('a long output', () => JSON.stringify({ stdout: 'x'.repeat(60 * MIB), exit_status: 0 })),
  json('an output of short lines', () =>
    JSON.stringify({ stdout: 'x\n'.repeat(20 * MIB), exit_status: 0 }),
  ),
  json('short lines', () => `{"stdout":[${'"x",'.repeat(15 * MIB)}"x"],"exit_status":0}`),
  json('escaped lines', () => `{"stdout":[${'"\\u0078",'.repeat(7 * MIB)}"x"],"exit_status":0}`),
  json('variables', () => `{"variables":[${'"A=x",'.repeat(9 * MIB)}"x"],"exit_status":0}`),
  json(
    'batches',
    () =>
      `{"command_id":"x","sequence":0,"output":[${'{"stream":"stdout","lines":["x"]},'.repeat(1_900_000)}{}]}`,
  ),
];

const MASKED = 'Pa55w0rd+of/Team';
/** Lines in which a masked text may begin everywhere, in each form in which it may be written. */
const hostile = (): string => {
  const forms = [
    Buffer.from(MASKED).toString('base64'),
    Buffer.from(MASKED).toString('hex'),
    `%${Buffer.from(MASKED).toString('hex')}`,
    `\\\\u0050a&#80;\x1b[1m\x1b[0m`,
    MASKED.slice(0, -1),
  ];
  return filled(`${forms.join(' ')} `, 64 * 1024);
};

/** Output of a job that has a masked text. */
export const OUTPUT_BOMBS: readonly Bomb[] = [
  ['lines that are slow to mask', () => numbered(400, hostile)],
  ['few lines that are slow to mask', () => numbered(8, hostile)],
  ['a long line that is slow to mask', () => [hostile().repeat(14)]],
  ['a very long line that is slow to mask', () => [hostile().repeat(400)]],
  ['a very long line', () => ['x'.repeat(60 * MIB)]],
  ['short lines', () => numbered(3_000_000, () => 'x')],
  ['outputs', () => numbered(40_000, (index) => `::set-output name=o${index % 250}::${index}`)],
  ['masks', () => numbered(900, (index) => `::add-mask::${index}${'m'.repeat(100)}`)],
].map(([name, output]) =>
  json(String(name), () => JSON.stringify({ stdout: (output as () => string[])() })),
);

export const ADD_MASK = `::add-mask::${MASKED}`;
