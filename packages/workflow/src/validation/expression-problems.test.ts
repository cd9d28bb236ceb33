// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { formatPath } from '@tutti/manifests/documents';
import * as ajv from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import * as yaml from 'yaml';
import { hookExpressionProblems } from './expression-problems.ts';
import { createWorkflowCheck } from './workflow-problems.ts';
import { createWorkflowReporter } from './workflow-report.ts';

const check = createWorkflowCheck(() => ajv);

/** `path: message[, hint]` of each error, then of each warning; the piece that is wrong in brackets. */
function problemsOf(text: string): readonly string[] {
  const value: unknown = yaml.parse(`metadata: {name: x}\n${text}`);
  const checked = check(value);
  const problems = [...(checked.ok ? [] : checked.problems), ...checked.warnings];
  return problems.map(({ path, message, piece, hint, isWarning }) => {
    const scalar = path.reduce<unknown>((each, key) => Reflect.get(Object(each), key), value);
    const wrong =
      piece === undefined ? '' : ` [${String(scalar).slice(piece.at, piece.at + piece.length)}]`;
    const severity = isWarning === true ? 'warning: ' : '';
    return `${severity}${formatPath(path)}: ${message}${hint === undefined ? '' : ` (${hint})`}${wrong}`;
  });
}

const STEPS = 'steps: [{run: x}]';
const job = (content: string) => `jobs:\n  a: {${content}}\n`;
const SOMEWHERE = 'it can be used in conditions, and in most of what jobs and steps say';
const AVAILABLE = 'there are inputs, opentf, resources, secrets, variables';

describe('expressions that can be evaluated have no problem', () => {
  test.each([
    [
      'what is everywhere',
      `${job(
        `concurrency: {group: "\${{ opentf.workflow }} \${{ inputs.i }} \${{ variables.V }}"}, ${STEPS}`,
      )}inputs: {i: {description: d}}`,
    ],
    ['variables, which steps may set', job('steps: [{run: "${{ variables.ANY }}"}]')],
    [
      'needs of the job',
      `jobs:\n  b: {outputs: {o: x}, ${STEPS}}\n  a: {needs: b, if: "needs.b.result == 'success' && needs.b.outputs.o", ${STEPS}}`,
    ],
    [
      'steps before',
      job('steps: [{id: s, run: x}, {run: "${{ steps.s.outputs.any }} ${{ steps.s.outcome }}"}]'),
    ],
    [
      'all steps, in outputs',
      job('outputs: {o: "${{ steps.s.outputs.x }}"}, steps: [{run: x}, {id: s, run: x}]'),
    ],
    [
      'job and runner, in steps',
      job('steps: [{run: "${{ job.status }} ${{ runner.os }} ${{ runner.temp }}", if: failure()}]'),
    ],
    ['runner, in variables of a job', job(`variables: {A: "\${{ runner.os }}"}, ${STEPS}`)],
    [
      'of steps, in defaults',
      `defaults: {run: {shell: "\${{ runner.os }}"}}\njobs:\n  b: {steps: [{id: s, run: x}]}\n  a: {needs: b, defaults: {run: {working-directory: "\${{ needs.b.result }} \${{ steps.any.outcome }} \${{ matrix.os }}"}}, strategy: {matrix: {os: [x]}}, ${STEPS}}`,
    ],
    [
      'resource files',
      `${job('steps: [{run: "${{ resources.files.data }}"}]')}resources: {files: [data]}`,
    ],
    [
      'needs of a bundle, in its jobs',
      `jobs:\n  b: {${STEPS}}\n  a: {needs: b, jobs: {c: {steps: [{run: "\${{ needs.b.result }}"}]}}}`,
    ],
    [
      'jobs of a bundle, in its outputs',
      `jobs:\n  a: {outputs: {o: "\${{ jobs.c.outputs.p }}"}, jobs: {c: {outputs: {p: x}, ${STEPS}}}}`,
    ],
    [
      'keys that are computed',
      job('steps: [{id: s, run: x}, {run: "${{ steps[inputs.i].outputs }}"}]') +
        'inputs: {i: {description: d}}',
    ],
    ['whole contexts', job('steps: [{run: "${{ toJSON(steps) }}"}]')],
    [
      'names of functions in any case',
      job("steps: [{run: x, if: \"ALWAYS() && Contains('a', 'b')\"}]"),
    ],
    [
      'a hook',
      `${job(STEPS)}hooks: [{name: h, if: "steps.any.outcome == 'success'", events: [{category: _}], before: [{run: "\${{ runner.os }}"}]}]`,
    ],
    [
      'status functions where jobs and steps say something else',
      job(
        `name: "\${{ success() }}", runs-on: "\${{ success() && 'x' }}", timeout-minutes: "\${{ failure() || 1 }}", continue-on-error: "\${{ success() }}", outputs: {o: "\${{ always() }}"}, steps: [{run: "\${{ cancelled() }}", variables: {A: "\${{ success() }}"}}]`,
      ),
    ],
    [
      'addresses of resources',
      `${job(STEPS)}inputs: {i: {description: d}}\nresources: {repositories: [{name: "\${{ foo", type: git, repository: a/b, endpoint: "https://\${{ inputs.i }}\${{ variables.V }}@h"}]}`,
    ],
    [
      'the matrix of a bundle, in the conditions of its jobs',
      `jobs:\n  a: {strategy: {matrix: {os: [x]}}, jobs: {b: {if: "matrix.os == 'x'", ${STEPS}}, c: {jobs: {d: {if: matrix.os, strategy: {matrix: {node: [1]}}, ${STEPS}}}}}}`,
    ],
    ['an input of a function that is called if', job('steps: [{uses: a/b, with: {if: "(("}}]')],
  ])('%s', (_, text) => {
    expect(problemsOf(text)).toEqual([]);
  });
});

describe('expressions that cannot be evaluated are errors, and those that give an empty text are warnings', () => {
  test.each<[what: string, text: string, problems: readonly string[]]>([
    [
      'a quote in a text',
      job(`steps: [{run: "\${{ 'it's' }}"}]`),
      [
        `jobs.a.steps[0].run: Invalid expression "\${{ 'it's' }}": the string that begins here has no end at position 10. [']`,
      ],
    ],
    [
      'operators of other languages',
      job('if: not success() or foo, steps: [{run: "${{ bar and 1 }} ${{ not(true) }}"}]'),
      [
        'jobs.a.if: Invalid expression "not success() or foo": unexpected "not" (negation is "!") at position 1. [not]',
        'jobs.a.steps[0].run: Invalid expression "bar and 1": unexpected "and" (conjunction is "&&") at position 5. [and]',
        'jobs.a.steps[0].run: unknown function "not" (negation is "!") [not]',
      ],
    ],
    [
      'all of a text',
      job('steps: [{run: "${{ foo }} ${{ a b }} ${{ bar() }}"}]'),
      [
        'jobs.a.steps[0].run: Invalid expression "a b": expected an operator or the end but found "b" at position 3. [b]',
        'jobs.a.steps[0].run: unknown context "foo" [foo]',
        'jobs.a.steps[0].run: unknown function "bar" [bar]',
      ],
    ],
    [
      'the matrix of the job itself, in its condition',
      `jobs:\n  a: {strategy: {matrix: {os: [x]}}, jobs: {b: {if: matrix.node, strategy: {matrix: {node: [1]}}, ${STEPS}}}}\n  b: {if: matrix.os, strategy: {matrix: {os: [x]}}, ${STEPS}}`,
      [
        'jobs.b.if: the context "matrix" cannot be used here (there are inputs, needs, opentf, resources, secrets, variables) [matrix]',
        'warning: jobs.a.jobs.b.if: the matrix of this job has no "node", so this is empty [node]',
      ],
    ],
    [
      'the matrix of the job itself, in its strategy',
      `jobs:\n  a: {strategy: {matrix: {os: [x]}}, jobs: {b: {strategy: {matrix: {node: ["\${{ matrix.os }}", "\${{ matrix.node }}"]}}, ${STEPS}}}}\n  b: {strategy: {max-parallel: "\${{ matrix.os }}", matrix: {os: [1]}}, ${STEPS}}`,
      [
        'jobs.b.strategy.max-parallel: the context "matrix" cannot be used here (there are inputs, needs, opentf, resources, secrets, variables) [matrix]',
        'warning: jobs.a.jobs.b.strategy.matrix.node[1]: the matrix of this job has no "node", so this is empty [node]',
      ],
    ],
    [
      'in defaults',
      `defaults: {run: {shell: "\${{ foo }}"}}\n${job(`defaults: {run: {working-directory: "\${{ inputs.x }}"}}, ${STEPS}`)}`,
      [
        'defaults.run.shell: unknown context "foo" [foo]',
        'warning: jobs.a.defaults.run.working-directory: there is no input "x", so this is empty [x]',
      ],
    ],
    [
      'a context that is nearly known',
      job('steps: [{run: "${{ variable.A }}"}]'),
      ['jobs.a.steps[0].run: unknown context "variable" (did you mean "variables"?) [variable]'],
    ],
    [
      'a function that is nearly known',
      job("steps: [{run: x, if: \"contain('a', 'b')\"}]"),
      ['jobs.a.steps[0].if: unknown function "contain" (did you mean "contains"?) [contain]'],
    ],
    [
      'steps in the condition of a job',
      job(`if: steps.s.outcome, ${STEPS}`),
      [
        'jobs.a.if: the context "steps" cannot be used here (there are inputs, needs, opentf, resources, secrets, variables) [steps]',
      ],
    ],
    [
      'needs of the whole workflow',
      `${job(STEPS)}concurrency: {group: "\${{ needs.a.result }}"}`,
      [`concurrency.group: the context "needs" cannot be used here (${AVAILABLE}) [needs]`],
    ],
    [
      // Language 6.4: Status functions, without arguments, where there is a status.
      'success() where nothing ran',
      `${job(STEPS)}timeout-minutes: "\${{ success() && 1 }}"`,
      [
        'timeout-minutes: success() says nothing here (it can be used in conditions, and in most of what jobs and steps say) [success]',
      ],
    ],
    [
      'success() in the group of a job',
      job(
        `concurrency: {group: "g\${{ success() }}", cancel-in-progress: "\${{ failure() }}"}, ${STEPS}`,
      ),
      [
        `jobs.a.concurrency.group: success() says nothing here (${SOMEWHERE}) [success]`,
        `jobs.a.concurrency.cancel-in-progress: failure() says nothing here (${SOMEWHERE}) [failure]`,
      ],
    ],
    [
      'success() at the end of a bundle',
      `jobs:\n  a: {continue-on-error: "\${{ success() }}", jobs: {b: {${STEPS}}}}`,
      [`jobs.a.continue-on-error: success() says nothing here (${SOMEWHERE}) [success]`],
    ],
    [
      'functions and contexts in addresses',
      `${job(STEPS)}resources: {repositories: [{name: r, type: git, repository: a/b, endpoint: "https://\${{ always() }}\${{ needs.b.result }}@h"}]}`,
      [
        `resources.repositories[0].endpoint: always() says nothing here (${SOMEWHERE}) [always]`,
        'resources.repositories[0].endpoint: the context "needs" cannot be used here (there are inputs, opentf, secrets, variables) [needs]',
      ],
    ],
    [
      'arguments of functions that take none',
      job('if: success(1), steps: [{run: x, if: "Always( 1 , 2)"}]'),
      [
        'jobs.a.if: Invalid expression "success(1)": success() takes no argument at position 1. [success]',
        'jobs.a.steps[0].if: Invalid expression "Always( 1 , 2)": Always() takes no argument at position 1. [Always]',
      ],
    ],
    [
      // Language 6.7: `needs`: result and outputs.
      'a job that is not needed',
      `jobs:\n  build: {${STEPS}}\n  a: {needs: [build], if: needs.biuld.result, ${STEPS}}`,
      ['jobs.a.if: "biuld" is not in the "needs" of this job (did you mean "build"?) [biuld]'],
    ],
    [
      'what a job does not have',
      `jobs:\n  b: {${STEPS}}\n  a: {needs: b, if: needs.b.output.x, ${STEPS}}`,
      [
        'jobs.a.if: of a job there are "result" and "outputs", not "output" (did you mean "outputs"?) [output]',
      ],
    ],
    [
      'an output that a job does not set',
      `jobs:\n  b: {outputs: {version: x}, ${STEPS}}\n  a: {needs: b, if: needs.b.outputs.verison, ${STEPS}}`,
      [
        'warning: jobs.a.if: job "b" has no output "verison", so this is empty (did you mean "version"?) [verison]',
      ],
    ],
    [
      // Language 6.5: A last segment that is missing is the empty text, one before it an error.
      'what a job does not have, at the end',
      `jobs:\n  b: {${STEPS}}\n  a: {needs: b, if: needs.b.outcome, ${STEPS}}`,
      [
        'warning: jobs.a.if: of a job there are "result" and "outputs", not "outcome", so this is empty [outcome]',
      ],
    ],
    [
      'what a step does not have, at the end and before it',
      job('steps: [{id: s, run: x}, {run: "${{ steps.s.out }} ${{ steps.s.output.x }}"}]'),
      [
        'jobs.a.steps[1].run: of a step there are "outputs", "outcome" and "conclusion", not "output" (did you mean "outputs"?) [output]',
        'warning: jobs.a.steps[1].run: of a step there are "outputs", "outcome" and "conclusion", not "out", so this is empty [out]',
      ],
    ],
    [
      'an entry of what is not there, under a name that is computed',
      job('steps: [{run: "${{ inputs.none[opentf.step] }}"}]'),
      ['jobs.a.steps[0].run: there is no input "none" [none]'],
    ],
    [
      'a step that has run, though a later one has the same id',
      job('steps: [{id: s, run: x}, {run: "${{ steps.s.outcome }}"}, {id: s, run: x}]'),
      [
        'warning: jobs.a.steps[2].id: Job "a" has several steps with the id "s". (expressions read the one that ended last)',
      ],
    ],
    [
      // Language 6.7: `steps`: outputs, outcome, conclusion, of the steps before.
      'a later step',
      job('steps: [{run: "${{ steps.s.outcome }}"}, {id: s, run: x}]'),
      ['jobs.a.steps[0].run: the step "s" has not run yet here [s]'],
    ],
    [
      'a step that is not there',
      job('outputs: {o: "${{ steps.t.outputs.x }}"}, steps: [{id: s, run: x}]'),
      ['jobs.a.outputs.o: no step of this job has the id "t" [t]'],
    ],
    [
      // Language 6.7: `inputs`.
      'an input that is not declared',
      `${job('steps: [{run: "${{ inputs.brwoser }}"}]')}inputs: {browser: {description: d}}`,
      [
        'warning: jobs.a.steps[0].run: there is no input "brwoser", so this is empty (did you mean "browser"?) [brwoser]',
      ],
    ],
    [
      // Language 6.7: `resources`: test managers, repositories, files.
      'a resource that is not there',
      `${job('steps: [{run: "${{ resources.file.x }} ${{ resources.files.x }}"}]')}`,
      [
        'jobs.a.steps[0].run: the context "resources" has no "file" (did you mean "files"?) [file]',
        'warning: jobs.a.steps[0].run: there is no resource file "x", so this is empty [x]',
      ],
    ],
    [
      'what is not there of the run',
      job('if: opentf.workflw, steps: [{run: "${{ opentf.token }} ${{ squashtf.namspace }}"}]'),
      [
        'warning: jobs.a.if: the context "opentf" has no "workflw", so this is empty (did you mean "workflow"?) [workflw]',
        'warning: jobs.a.steps[0].run: the context "opentf" has no "namspace", so this is empty (did you mean "namespace"?) [namspace]',
      ],
    ],
    [
      'a matrix of none',
      job('steps: [{run: "${{ matrix.os }}"}]'),
      ['jobs.a.steps[0].run: this job has no matrix [os]'],
    ],
    [
      'a secret that is not declared',
      job('steps: [{run: "${{ secrets.TOKEN }}"}]'),
      ['warning: jobs.a.steps[0].run: there is no secret "TOKEN", so this is empty [TOKEN]'],
    ],
    [
      // Language 6.7: `test`, in scopes alone.
      'a context of test cases',
      job('steps: [{run: x, if: "test.outcome"}]'),
      [
        'jobs.a.steps[0].if: the context "test" cannot be used here (there are inputs, job, matrix, needs, opentf, resources, runner, secrets, steps, variables) [test]',
      ],
    ],
    [
      'a missing bracket, where it is missed',
      job('if: "(true", steps: [{run: x}]'),
      ['jobs.a.if: Invalid expression "(true": expected ")" but found the end at position 6. [e]'],
    ],
  ])('%s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });
});

describe('everything is told at once', () => {
  test('a wrong shape of one part, and mistakes in others', () => {
    const text = `variables: {A: 1}
jobs:
  a: {needs: [b, x], ${STEPS}}
  b: {step: []}
  c: {steps: [{run: "\${{ foo }}"}]}
`;
    expect(problemsOf(text)).toEqual([
      'variables.A: must be a text or an object, not a number (put it in quotes if it is a text)',
      'jobs.b: unknown key "step" (did you mean "steps"?)',
      'jobs.a.needs[1]: Job "a" has a dependency on job "x" which does not exist.',
      'jobs.c.steps[0].run: unknown context "foo" [foo]',
    ]);
  });

  test('wrong keys of a part that may be a text, and mistakes in the text', () => {
    const text = `variables: {A: {vlaue: x, verbatim: maybe}, D: {value: 3, vrbatim: 3}}
resources: {files: [{nam: a, url: "ftp://x"}, {name: 3, ulr: c}]}
outputs: {o: {vlaue: x, description: 3}}
jobs: {a: {${STEPS}}}
`;
    expect(problemsOf(text)).toEqual([
      'variables.A: unknown key "vlaue" (did you mean "value"?)',
      'variables.A.verbatim: must be true or false, not "maybe"',
      'variables.D: unknown key "vrbatim" (did you mean "verbatim"?)',
      'variables.D.value: must be a text, not 3',
      'resources.files[0]: unknown key "nam" (did you mean "name"?)',
      'resources.files[0].url: must be text that matches ^[hH][tT][tT][pP][sS]?://, not "ftp://x"',
      'resources.files[1]: unknown key "ulr" (did you mean "url"?)',
      'resources.files[1].name: must be a text, not 3',
      'outputs.o: unknown key "vlaue" (did you mean "value"?)',
      'outputs.o.description: must be a text, not 3',
    ]);
  });

  test('mistakes in other inputs, hooks, resources and matrices than the misshapen one', () => {
    const text = `inputs:
  a: {description: d, typ: string}
  b: {description: d, type: number, default: x}
hooks:
  - {name: h, events: [{channel: before}], before: [{run: "\${{ foo }}"}, {runs: x}]}
  - {name: i, events: [{channel: setup}, {category: c}], before: [{run: x}]}
resources:
  files: [constructor, {name: f}]
  repositories: [{name: r, type: git, repository: x}, {name: r, type: git, repository: x, endpoint: y}]
jobs:
  a:
    strategy: {matrix: {os: linux, exclude: [{os: mac}]}}
    steps: [{run: "\${{ inputs.a }} \${{ inputs.c }} \${{ matrix.os }} \${{ resources.files.f }}"}]
  b:
    strategy: {matrx: {os: [linux]}}
    steps: [{run: "\${{ matrix.os }} \${{ resources.repositories.r }}"}]
  c: {strategy: {matrix: {}}, ${STEPS}}
`;
    expect(problemsOf(text)).toEqual([
      'hooks[0].before[1]: unknown key "runs" (did you mean "run"?)',
      'resources.files[1]: "url" is missing',
      'resources.repositories[0]: "endpoint" is missing',
      'inputs.a: unknown key "typ" (did you mean "type"?)',
      'jobs.a.strategy.matrix.os: must be a list or an expression, not "linux"',
      'jobs.b.strategy: unknown key "matrx" (did you mean "matrix"?)',
      'jobs.c.strategy.matrix: must not be empty',
      'inputs.b.default: Invalid "inputs" section, default value for "b" must be a number, got "x".',
      'resources.files[0]: The resource file "constructor" cannot be attached: no part of the request may have this name.',
      'hooks[0].before[0].run: unknown context "foo" [foo]',
      'warning: hooks[0].events[0].channel: Hook "h" has the channel "before", which is neither "setup" nor "teardown".',
      'warning: resources.repositories[1]: There are several resources with the name "r". (expressions read the last one)',
      'warning: jobs.a.steps[0].run: there is no input "c", so this is empty [c]',
    ]);
  });

  test('the type alone of a job that is no map', () => {
    expect(problemsOf('jobs: {a: , b: [], c: 1}')).toEqual([
      'jobs.a: must be an object, not null',
      'jobs.b: must be an object, not a list',
      'jobs.c: must be an object, not 1',
    ]);
  });

  test('no more than the shape where there are no jobs', () => {
    expect(problemsOf('variables: {A: "${{ foo }}"}\njobs: []')).toEqual([
      'jobs: must be an object, not a list',
    ]);
  });
});

test('hooks around any workflow: only mistakes that count in every workflow are reported', () => {
  const hooks = [
    {
      name: 'h',
      if: "steps.any.outcome && inputs.any && resources.files.any && test.outcome == 'x'",
      events: [{ category: '_' }],
      before: [{ run: '${{ a b }}' }],
    },
  ];
  expect(hookExpressionProblems(hooks).map(({ path, piece }) => [formatPath(path), piece])).toEqual(
    [
      ['hooks[0].if', { at: 58, length: 4 }],
      ['hooks[0].before[0].run', { at: 6, length: 1 }],
    ],
  );
});

describe('thousands of problems are told at the cost of each', () => {
  const many = (count: number, make: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => make(index));
  test.each<[what: string, text: string, count: number]>([
    [
      'of one text',
      `jobs: {a: {steps: [{run: "${'${{ foo }} ${{ a b }} '.repeat(10_000)}"}]}}`,
      20_000,
    ],
    [
      'of needs',
      `jobs:\n${many(250, (n) => `  j${n}: {needs: [${many(20, (m) => `x${m}`)}], ${STEPS}}\n`).join('')}`,
      5000,
    ],
    ['of the shape', `variables: {${many(4000, (n) => `v${n}: 1`)}}\njobs: {a: {${STEPS}}}`, 4000],
    ['of names', `variables: {${many(4000, (n) => `v-${n}: x`)}}\njobs: {a: {${STEPS}}}`, 4000],
  ])('%s', (_, text, count) => {
    const { diagnostics, moreCount } = createWorkflowReporter({ yaml, schemas: ajv })(
      `metadata: {name: x}\n${text}`,
    );
    expect(diagnostics).toHaveLength(50);
    expect(moreCount).toBe(count - 50);
  });
});
