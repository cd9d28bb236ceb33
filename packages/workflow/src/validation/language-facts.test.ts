// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** The statements of wire facts part 1 on workflows, jobs and steps. The server that takes hooks has their tests. */
import * as ajv from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import * as yaml from 'yaml';
import {
  input,
  isTakenByEditors,
  JOBS,
  job,
  META,
  problemOf,
  type Rows,
  step,
  steps,
  whole,
} from './testing/language-rows.ts';
import { createWorkflowCheck } from './workflow-problems.ts';

const VERSIONS: Rows = [
  // Language 1.1: Versions `v1alpha1`, `v1beta1` and `v1` of the api group, with the kind `Workflow`.
  ['1.1: v1alpha1 is accepted', `apiVersion: opentestfactory.org/v1alpha1\n${META}${JOBS}`, null],
  // Language 1.1: Versions `v1alpha1`, `v1beta1` and `v1` of the api group, with the kind `Workflow`.
  ['1.1: v1beta1 is accepted', `apiVersion: opentestfactory.org/v1beta1\n${META}${JOBS}`, null],
  [
    // Language 1.1: Versions `v1alpha1`, `v1beta1` and `v1` of the api group, with the kind `Workflow`.
    '1.1: v1 is accepted',
    `apiVersion: opentestfactory.org/v1\nkind: Workflow\n${META}${JOBS}`,
    null,
  ],
  // Language 1.1: Version and kind may be absent.
  ['1.1: both keys are optional', `${META}${JOBS}`, null],
  // Language 1.1: Version and kind may be absent.
  ['1.1: a kind without a version', `kind: Workflow\n${META}${JOBS}`, null],
  [
    // Language 1.1: There is no `v1beta2`.
    '1.1: no v1beta2 exists',
    `apiVersion: opentestfactory.org/v1beta2\n${META}${JOBS}`,
    'apiVersion: must be one of "opentestfactory.org/v1", "opentestfactory.org/v1beta1", "opentestfactory.org/v1alpha1", not "opentestfactory.org/v1beta2", did you mean "opentestfactory.org/v1beta1"?',
  ],
  [
    // Language 1.1: Versions `v1alpha1`, `v1beta1` and `v1` of the api group, with the kind `Workflow`.
    '1.1: another group',
    `apiVersion: example.org/v1\n${META}${JOBS}`,
    'apiVersion: must be one of "opentestfactory.org/v1", "opentestfactory.org/v1beta1", "opentestfactory.org/v1alpha1", not "example.org/v1"',
  ],
  // Language 1.1: Versions `v1alpha1`, `v1beta1` and `v1` of the api group, with the kind `Workflow`.
  ['1.1: another kind', `kind: Job\n${META}${JOBS}`, 'kind: must be "Workflow", not "Job"'],
  // Language 1.1: `metadata` and `jobs` may not.
  ['1.1: metadata are required', JOBS, '"metadata" is missing'],
  // Language 1.1: `metadata` and `jobs` may not.
  ['1.1: jobs are required', META, '"jobs" is missing'],
];

const TOP_LEVEL: Rows = [
  // Language 1.2: No keys but those that are known.
  ['1.2: no other key is allowed', whole('stages: {}\n'), 'unknown key "stages"'],
  // Language 1.2: More entries of `metadata` are kept.
  ['1.2: metadata have extra entries', `metadata: {name: x, more: {a: [1]}}\n${JOBS}`, null],
  // Language 1.2: A name is required, as a text.
  ['1.2: metadata.name is required', `metadata: {}\n${JOBS}`, 'metadata: "name" is missing'],
  [
    // Language 1.2: A name is required, as a text.
    '1.2: metadata.name is a text',
    `metadata: {name: 1}\n${JOBS}`,
    'metadata.name: must be a text, not 1',
  ],
  // Language 1.2: The namespace has its form; the query wins, and `default` is taken without any.
  ['1.2: a namespace', `metadata: {name: x, namespace: team-1}\n${JOBS}`, null],
  [
    // Language 1.2: The namespace has its form; the query wins, and `default` is taken without any.
    '1.2: a namespace of other letters',
    `metadata: {name: x, namespace: Team}\n${JOBS}`,
    'metadata.namespace: must be text that matches ^[a-z0-9][a-z0-9-]*$, not "Team"',
  ],
  ['1.2: labels', `metadata: {name: x, labels: {a.b/c-d_e: v}}\n${JOBS}`, null],
  [
    // Language 1.2: Labels: at least one, names of a form, texts.
    '1.2: labels have at least one entry',
    `metadata: {name: x, labels: {}}\n${JOBS}`,
    'metadata.labels: must not be empty',
  ],
  [
    // Language 1.2: Labels: at least one, names of a form, texts.
    '1.2: values of labels are texts',
    `metadata: {name: x, labels: {a: 1}}\n${JOBS}`,
    'metadata.labels.a: must be a text, not 1',
  ],
  [
    // Language 1.2: Labels: at least one, names of a form, texts.
    '1.2: keys of labels',
    `metadata: {name: x, labels: {-a: v}}\n${JOBS}`,
    'metadata.labels: "-a" is not a valid name (it must match ^([a-zA-Z0-9-.]+/)?[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$)',
  ],
  ['1.2: secrets are texts by name', whole('secrets: {TOKEN: x}'), null],
  // Language 1.2: `secrets`: at least one text; exported and masked.
  ['1.2: secrets have at least one entry', whole('secrets: {}'), 'secrets: must not be empty'],
  // Language 1.2: `variables` has at least one entry.
  ['1.2: variables without entries are taken', whole('variables: {}'), null],
  // Language 1.2: `timeout-minutes` of the whole run: a number or an expression.
  ['1.2: a time limit', whole('timeout-minutes: 1.5'), null],
  // Language 1.2: `timeout-minutes` of the whole run: a number or an expression.
  // Language 1.2: Where an expression may stand, it is the whole text.
  ['1.2: a time limit as an expression', whole('timeout-minutes: "${{ variables.T }}"'), null],
  [
    // Language 1.2: `timeout-minutes` of the whole run: a number or an expression.
    '1.2: a time limit that is neither',
    whole('timeout-minutes: soon'),
    'timeout-minutes: must be a number or an expression, not "soon"',
  ],
  ['1.2: a group', whole('concurrency: {group: g}'), null],
  // Language 1.2: `concurrency`: a group is required, `cancel-in-progress` is true, false or an expression.
  ['1.2: a group is required', whole('concurrency: {}'), 'concurrency: "group" is missing'],
  [
    // Language 1.2: `concurrency`: a group is required, `cancel-in-progress` is true, false or an expression.
    '1.2: cancel-in-progress, also as an expression',
    `${job('concurrency: {group: g, cancel-in-progress: "${{ variables.C }}"}, steps: [{run: x}]')}\nconcurrency: {group: h, cancel-in-progress: true}`,
    null,
  ],
  [
    // Language 1.2: `concurrency`: a group is required, `cancel-in-progress` is true, false or an expression.
    '1.2: cancel-in-progress as another text',
    whole('concurrency: {group: g, cancel-in-progress: later}'),
    'concurrency.cancel-in-progress: must be true or false or an expression, not "later"',
  ],
  // Language 1.2: There is at least one job, and names of jobs have a form.
  ['1.2: there is at least one job', `${META}jobs: {}`, 'jobs: must not be empty'],
  [
    // Language 1.2: There is at least one job, and names of jobs have a form.
    '1.2: names of jobs',
    `${META}jobs: {1a: {steps: [{run: x}]}}`,
    'jobs: "1a" is not a valid name (it must match ^[a-zA-Z_][a-zA-Z0-9_-]*$)',
  ],
];

const JOB: Rows = [
  [
    // Language 1.3: No keys but those that are known.
    '1.3: no other key is allowed',
    job('steps: [{run: x}], image: x'),
    'jobs.a: unknown key "image"',
  ],
  [
    // Language 1.3: A job has exactly one of steps, jobs, generator and called workflow.
    '1.3: exactly one of steps, jobs, generator and uses',
    job('steps: [{run: x}], generator: a/b'),
    'jobs.a: must have only one of "steps" and "generator"',
  ],
  [
    // Language 1.3: A job has exactly one of steps, jobs, generator and called workflow.
    '1.3: at least one of steps, jobs, generator and uses',
    job('runs-on: linux'),
    'jobs.a: must have "steps", "jobs", "generator" or "uses"',
  ],
  [
    // Language 1.3: Keys that all shapes have.
    '1.3: common keys of a job with steps',
    job(
      'name: n, if: always(), concurrency: {group: g}, runs-on: linux, needs: b, defaults: {}, variables: {A: x}, timeout-minutes: 1, strategy: {matrix: {m: [1]}}, outputs: {o: x}, continue-on-error: false, steps: [{run: x}]',
    ),
    null,
  ],
  [
    // Language 1.3: Keys that all shapes have.
    '1.3: common keys of a job with jobs',
    job(
      'name: n, if: always(), concurrency: {group: g}, runs-on: linux, needs: b, defaults: {}, variables: {A: x}, timeout-minutes: 1, strategy: {max-parallel: 1}, outputs: {o: x}, continue-on-error: false, jobs: {c: {steps: [{run: x}]}}',
    ),
    null,
  ],
  // Language 1.3: A generator has inputs and no outputs.
  ['1.3: a generator with inputs', job('generator: a/b@v1, with: {x: [1]}'), null],
  [
    // Language 1.3: A generator has inputs and no outputs.
    '1.3: a generator without outputs',
    job('generator: a/b, outputs: {o: x}'),
    'jobs.a.outputs: Job "a" must not have "outputs": they come from where its jobs come from.',
  ],
  [
    // Language 1.3: A called workflow has inputs and no outputs.
    '1.3: a called workflow with inputs',
    `${job('uses: ./w.yaml, with: {x: 1}')}\nresources: {files: [w.yaml]}`,
    null,
  ],
  [
    // Language 1.3: A called workflow has inputs and no outputs.
    '1.3: a called workflow without outputs',
    `${job('uses: ./w.yaml, outputs: {o: x}')}\nresources: {files: [w.yaml]}`,
    'jobs.a.outputs: Job "a" must not have "outputs": they come from where its jobs come from.',
  ],
  [
    // Language 1.3: Jobs in a job have no inputs.
    '1.3: jobs in a job without inputs',
    job('with: {x: 1}, jobs: {c: {steps: [{run: x}]}}'),
    'jobs.a.with: Job "a" must not have "with": only generators and called workflows have inputs.',
  ],
  [
    // Language 1.7: A generator is named as functions are.
    '1.3: a generator is named as functions are',
    job('generator: "a b"'),
    'jobs.a.generator: must be text that matches ^([a-zA-Z0-9.-]+/)?[a-zA-Z0-9_.-]+(@[a-zA-Z0-9_.-]+)?$, not "a b"',
  ],
  // Language 1.3: At least one step.
  ['1.3: a steps job has at least one step', job('steps: []'), 'jobs.a.steps: must not be empty'],
  ['1.3: names and conditions are texts', job('name: n, if: always(), steps: [{run: x}]'), null],
  // Language 1.3: `runs-on`: a tag, an expression, or a list with at least one of them.
  ['1.3: one tag', job('runs-on: linux, steps: [{run: x}]'), null],
  [
    // Language 1.3: `runs-on`: a tag, an expression, or a list with at least one of them.
    '1.3: several tags, also as expressions',
    job('runs-on: [a-1, "${{ variables.T }}"], steps: [{run: x}]'),
    null,
  ],
  [
    // Language 1.3: `runs-on`: a tag, an expression, or a list with at least one of them.
    '1.3: at least one tag',
    job('runs-on: [], steps: [{run: x}]'),
    'jobs.a.runs-on: must not be empty',
  ],
  [
    // Language 1.3: `runs-on`: a tag, an expression, or a list with at least one of them.
    '1.3: tags begin with a letter',
    job('runs-on: 1a, steps: [{run: x}]'),
    'jobs.a.runs-on: must be a tag, an expression or a list, not "1a", a tag begins with a letter and has only letters, digits and "-"',
  ],
  // Language 1.3: `runs-on` may be absent.
  ['1.3: tags may be left out', job('steps: [{run: x}]'), null],
  // Language 1.3: `needs`: a name, or a list with at least one.
  ['1.3: one needed job', job('needs: b, steps: [{run: x}]'), null],
  // Language 1.3: `needs`: a name, or a list with at least one.
  ['1.3: several needed jobs', job('needs: [b, b], steps: [{run: x}]'), null],
  [
    // Language 1.3: `needs`: a name, or a list with at least one.
    '1.3: at least one needed job',
    job('needs: [], steps: [{run: x}]'),
    'jobs.a.needs: must not be empty',
  ],
  [
    // Language 1.3: An expression in `needs` is refused.
    '1.3: an expression is no name of a job',
    job('needs: "${{ variables.N }}", steps: [{run: x}]'),
    'jobs.a.needs: must be text that matches ^[a-zA-Z_][a-zA-Z0-9_-]*$ or a list, not "${{ variables.N }}"',
  ],
  // Language 1.3: `continue-on-error`: true, false or an expression.
  ['1.3: continue-on-error', job('continue-on-error: true, steps: [{run: x}]'), null],
  [
    // Language 1.3: `continue-on-error`: true, false or an expression.
    '1.3: continue-on-error as an expression',
    job('continue-on-error: "${{ variables.C }}", steps: [{run: x}]'),
    null,
  ],
  [
    // Language 1.3: `continue-on-error`: true, false or an expression.
    '1.3: continue-on-error as another text',
    job('continue-on-error: "yes", steps: [{run: x}]'),
    'jobs.a.continue-on-error: must be true or false or an expression, not "yes"',
  ],
];

const STEP: Rows = [
  // Language 1.7: At most so many steps in a job.
  ['1.7: 1024 steps in a job', steps(Array(1024).fill('{run: x}').join()), null],
  [
    // Language 1.7: At most so many steps in a job.
    '1.7: one step more',
    steps(Array(1025).fill('{run: x}').join()),
    // Bound: Jobs of a workflow; steps of a job.
    'jobs.a.steps: must have at most 1024 entries',
  ],
  ['1.4: run', steps('{run: x}'), null],
  // Language 1.4: The form of `uses`, with and without prefix and version.
  ['1.4: uses', steps('{uses: a/b@v1}'), null],
  // Language 1.4: The form of `uses`, with and without prefix and version.
  ['1.4: uses without prefix and version', steps('{uses: b}'), null],
  [
    // Language 1.4: Exactly one of `run` and `uses`.
    '1.4: exactly one of them',
    steps('{run: x, uses: a/b}'),
    'jobs.a.steps[0]: must have only one of "run" and "uses"',
  ],
  // Language 1.4: Exactly one of `run` and `uses`.
  ['1.4: at least one of them', steps('{name: x}'), 'jobs.a.steps[0]: must have "run" or "uses"'],
  [
    // Language 1.4: No keys but those that are known.
    '1.4: no other keys',
    step('script: x'),
    'jobs.a.steps[0]: unknown key "script", did you mean "run"?',
  ],
  [
    // Language 1.4: Keys that every step may have.
    '1.4: what every step may have',
    step(
      'name: n, id: i, if: failure(), variables: {A: b}, timeout-minutes: 1, continue-on-error: false, working-directory: w',
    ),
    null,
  ],
  // Language 1.4: `with` is for `uses`, `shell` for `run`.
  ['1.4: with belongs to uses', steps('{uses: a/b, with: {a: 1, b: [c]}}'), null],
  // Language 1.4: `with` is for `uses`, `shell` for `run`.
  ['1.4: shell belongs to run', step('shell: python'), null],
  [
    // Language 1.4: `with` is for `uses`, `shell` for `run`.
    '1.4: with beside run',
    step('with: {a: 1}'),
    'jobs.a.steps[0]: "with" belongs to steps with "uses".',
  ],
  [
    // Language 1.4: `with` is for `uses`, `shell` for `run`.
    '1.4: shell beside uses',
    steps('{uses: a/b, shell: bash}'),
    'jobs.a.steps[0]: "shell" belongs to steps with "run".',
  ],
];

const VARIABLES: Rows = [
  // Language 1.5: Names have letters, digits and underscores.
  ['1.5: names have letters, digits and underscores', whole('variables: {a_1B: x, 2: y}'), null],
  [
    // Language 1.5: Names have letters, digits and underscores.
    '1.5: other names',
    whole('variables: {a-b: x}'),
    'variables: "a-b" is not a valid name (it must match ^[a-zA-Z0-9_]+$)',
  ],
  // Language 1.5: A text, or a map with `value` and `verbatim`.
  ['1.5: the long form', whole('variables: {A: {value: x, verbatim: true}}'), null],
  [
    // Language 1.5: A text, or a map with `value` and `verbatim`.
    '1.5: the long form has a value',
    whole('variables: {A: {verbatim: true}}'),
    'variables.A: "value" is missing',
  ],
  [
    // Language 1.5: A text, or a map with `value` and `verbatim`.
    '1.5: a number is no text',
    whole('variables: {A: 1}'),
    'variables.A: must be a text or an object, not a number, put it in quotes if it is a text',
  ],
  [
    '1.5: at each level',
    `${job('variables: {A: x}, steps: [{run: x, variables: {A: y}}]')}\nvariables: {A: z}`,
    null,
  ],
];

const DEFAULTS: Rows = [
  [
    // Language 1.6: Shell and directory of `run` steps, of workflow and job; the job wins.
    '1.6: of a workflow and of a job',
    `${job('defaults: {run: {shell: bash}}, steps: [{run: x}]')}\ndefaults: {run: {working-directory: w}}`,
    null,
  ],
  // Language 1.6: No expressions.
  ['1.6: with expressions', whole('defaults: {run: {shell: "${{ variables.S }}"}}'), null],
  [
    // Language 1.6: Names of defaults.
    '1.6: of nothing else',
    whole('defaults: {run: {umask: "1"}}'),
    'warning: defaults.run: unknown key "umask"',
  ],
  // Language 1.6: Names of defaults.
  ['1.6: a tag for the jobs of a workflow', whole('defaults: {runs-on: ssh}'), null],
  ['1.6: several tags', whole('defaults: {runs-on: [linux, ssh]}'), null],
  [
    '1.6: tags are not expressions',
    whole('defaults: {runs-on: "${{ variables.T }}"}'),
    'defaults.runs-on: must be a tag or a list of tags, not "${{ variables.T }}", a tag begins with a letter and has only letters, digits and "-"',
  ],
  [
    '1.6: a job has its tags in runs-on',
    job('defaults: {runs-on: ssh}, steps: [{run: x}]'),
    'warning: jobs.a.defaults: unknown key "runs-on"',
  ],
];

const VALIDATION: Rows = [
  [
    // Language 1.12: Then defaults of inputs.
    '1.12: a default has the declared type',
    input('type: number, default: x'),
    'inputs.i.default: Invalid "inputs" section, default value for "i" must be a number, got "x".',
  ],
  [
    // Language 1.12: Then defaults of inputs.
    '1.12: defaults of inputs come before jobs that are needed',
    `${job('needs: test, steps: [{run: x}]')}\ninputs: {i: {description: d, type: boolean, default: x}}`,
    'inputs.i.default: Invalid "inputs" section, default value for "i" must be a boolean, got "x".',
  ],
  [
    // Language 1.12: Then jobs that are needed exist.
    '1.12: jobs that are needed come before jobs that wait for each other',
    `${META}jobs: {a: {needs: b, steps: [{run: x}]}, b: {needs: [a, c], steps: [{run: x}]}}`,
    'jobs.b.needs[1]: Job "b" has a dependency on job "c" which does not exist.',
  ],
  [
    // Language 1.12: Then jobs that are needed exist.
    '1.12: a needed job exists',
    job('needs: test, steps: [{run: x}]'),
    'jobs.a.needs: Job "a" has a dependency on job "test" which does not exist.',
  ],
  [
    // Language 1.12: Then no job waits for itself.
    '1.12: no job needs itself by others',
    `${META}jobs: {a: {needs: b, steps: [{run: x}]}, b: {needs: a, steps: [{run: x}]}}`,
    'jobs.a.needs: Jobs wait for each other: "a" needs "b" needs "a".',
  ],
  [
    // Language 1.12: The schema comes first.
    '1.12: the schema comes first',
    `${META}jobs: {a: {needs: b, steps: []}}`,
    'jobs.a.steps: must not be empty',
  ],
];

const alpha = (content: string) =>
  `apiVersion: opentestfactory.org/v1alpha1\nkind: Workflow\n${content}`;
const beta = (content: string) =>
  `apiVersion: opentestfactory.org/v1beta1\nkind: Workflow\n${content}`;
const OLDER: Rows = [
  // Language 1.13: Workflows of `v1alpha1` are read, with what it has.
  ['1.13: v1alpha1 with plain variables', alpha(whole('variables: {A: b}')), null],
  [
    // Language 1.13: Workflows of `v1alpha1` are read, with what it has.
    '1.13: v1alpha1 with one tag or several',
    alpha(
      job('runs-on: [linux, robot], steps: [{uses: robotframework/execute@v1, with: {test: t}}]'),
    ),
    null,
  ],
  [
    // Language 1.13: Workflows of `v1beta1` are read, with what it has.
    '1.13: v1beta1 with variables in the long form',
    beta(whole('variables: {A: {value: b, verbatim: false}}')),
    null,
  ],
  [
    // Language 1.13: Workflows of `v1beta1` are read, with what it has.
    '1.13: v1beta1 with outputs',
    beta(job('outputs: {o: "${{ steps.s.outputs.o }}"}, steps: [{id: s, run: x}]')),
    null,
  ],
  [
    // Language 1.13: Workflows of `v1beta1` are read, with what it has.
    '1.13: v1beta1 with outputs that are no texts',
    beta(job('outputs: {n: 5, b: true}, steps: [{run: x}]')),
    null,
  ],
  ['6.7: the context of 2021', step('if: squashtf.workflow'), null],
  [
    // Language 1.13: Workflows of `v1beta1` are read, with what it has.
    '1.13: v1beta1 with any strategy',
    beta(
      `${META}jobs:\n  a: {strategy: {}, steps: [{run: x}]}\n  b: {strategy: {max-parallel: 2}, steps: [{run: x}]}\n`,
    ),
    null,
  ],
  [
    // Language 1.13: Workflows of `v1beta1` are read, with what it has.
    '1.13: v1beta1 with a number as a time limit',
    beta(job('timeout-minutes: 5, steps: [{run: x}]')),
    null,
  ],
  [
    // Language 1.13: All that the newest has is taken in older ones.
    '1.13: what only newer versions have is taken in older ones, too',
    alpha(whole('concurrency: {group: g}\ninputs: {i: {description: d}}')),
    null,
  ],
  [
    // Language 1.3: `runs-on` as a map.
    '1.13: tags as an object, which say nothing',
    beta(job('runs-on: {os: linux}, steps: [{run: x}]')),
    'jobs.a.runs-on: must be a tag, an expression or a list, not an object',
  ],
];

describe.each([
  ['versions', VERSIONS],
  ['keys of a workflow', TOP_LEVEL],
  ['jobs', JOB],
  ['steps', STEP],
  ['variables', VARIABLES],
  ['defaults', DEFAULTS],
  ['what must fit together', VALIDATION],
  ['older versions', OLDER],
])('%s', (_, rows) => {
  test.each(rows)('%s', (_statement, text, problem) => {
    expect(problemOf(text)).toBe(problem);
    if (problem === null) expect(isTakenByEditors(text)).toBe(true);
  });
});

test.each(['variables', 'resources', 'hooks', 'defaults', 'concurrency', 'inputs', 'outputs'])(
  'a workflow whose section %s is empty is one without that section',
  (section) => {
    const checked = createWorkflowCheck(() => ajv)(yaml.parse(whole(`${section}:\n`)));
    expect(checked).toMatchObject({ ok: true });
    if (checked.ok) expect(Object.keys(checked.manifest)).toEqual(['metadata', 'jobs']);
  },
);

test('jobs and metadata are not empty', () => {
  expect(problemOf(`${META}jobs:\n`)).toBe('jobs: must be an object, not null');
  expect(problemOf(`metadata:\n${JOBS}`)).toBe('metadata: must be an object, not null');
});

test('a server with a group of its own takes workflows of both groups', () => {
  const ofOther = createWorkflowCheck(() => ajv, 'example.org');
  for (const group of ['example.org', 'opentestfactory.org']) {
    expect(ofOther(yaml.parse(`apiVersion: ${group}/v1\n${META}${JOBS}`)).ok).toBe(true);
  }
});
