// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Each key of a workflow, with each kind of mistake that authors make. All mistakes are reported, and nothing is thrown. */
import { workflowManifestSchema } from '@tutti/manifests';
import { formatProblem } from '@tutti/manifests/documents';
import * as ajv from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import { keysOf, nameOf, namesOf, type SchemaKey } from './testing/schema-keys.ts';
import { createWorkflowCheck } from './workflow-problems.ts';

const check = createWorkflowCheck(() => ajv);

/** Has every construct of the language; two of a kind where others are compared with them. */
const WORKFLOW = {
  apiVersion: 'opentestfactory.org/v1',
  kind: 'Workflow',
  metadata: { name: 'all', namespace: 'default', labels: { a: 'b' }, annotations: { c: 'd' } },
  variables: { A: 'x', B: { value: '${{ variables.A }}', verbatim: true } },
  secrets: { TOKEN: 'hidden' },
  defaults: { run: { shell: 'bash', 'working-directory': 'd' }, 'runs-on': ['linux'] },
  concurrency: { group: 'g-${{ variables.A }}', 'cancel-in-progress': true },
  strategy: { 'max-parallel': 4, 'fail-fast': false },
  hooks: [
    {
      name: 'workspace',
      if: 'always()',
      events: [{ channel: 'setup' }],
      before: [{ 'use-workspace': 'w' }, { run: 'echo', id: 'h', shell: 'bash' }],
    },
    {
      name: 'kept',
      events: [{ channel: 'teardown' }],
      before: [{ 'keep-workspace': true }],
      after: [{ run: 'echo' }],
    },
    {
      name: 'function',
      events: [
        { category: 'checkout', categoryPrefix: 'actions', categoryVersion: 'v1' },
        { categoryPrefix: 'other' },
      ],
      before: [{ uses: 'actions/checkout@v1', with: { repository: 'x' } }],
      after: [
        {
          name: 'script',
          id: 'a',
          if: 'always()',
          run: 'echo',
          'timeout-minutes': 1,
          'continue-on-error': true,
          variables: { A: '1' },
          'working-directory': 'd',
        },
      ],
    },
  ],
  'timeout-minutes': 60,
  resources: {
    testmanagers: [
      { name: 't', type: 'squashtm', testmanager: 'x', endpoint: 'https://t.example' },
      { name: 'u', type: 'squashtm', testmanager: 'x', endpoint: 'https://u.example' },
    ],
    repositories: [
      { name: 'r', type: 'git', repository: 'a/b', endpoint: 'https://r.example' },
      { name: 's', type: 'git', repository: 'a/c', endpoint: 'https://r.example' },
    ],
    files: ['data', { name: 'more', url: 'https://f.example' }],
  },
  inputs: {
    browser: {
      description: 'which',
      required: false,
      default: 'firefox',
      type: 'choice',
      options: ['firefox', 'chromium'],
      depreciationMessage: 'old',
    },
    count: { description: 'how many', type: 'number', default: 1 },
  },
  outputs: {
    a: '${{ jobs.a.result }}',
    b: { description: 'b', value: '${{ jobs.a.outputs.o }}' },
  },
  jobs: {
    a: {
      name: 'first',
      'runs-on': ['linux', '${{ variables.A }}'],
      defaults: { run: { shell: 'bash', 'working-directory': 'd' } },
      variables: { A: 'y', B: { value: 'z', verbatim: false } },
      concurrency: { group: 'h', 'cancel-in-progress': false },
      'timeout-minutes': 5,
      'continue-on-error': false,
      outputs: { o: '${{ steps.s.outputs.o }}' },
      steps: [
        {
          name: 'script',
          id: 's',
          if: 'always()',
          run: 'echo ${{ inputs.browser }}',
          shell: 'bash',
          variables: { A: '1' },
          'timeout-minutes': 1,
          'continue-on-error': true,
          'working-directory': 'd',
        },
        { uses: 'actions/checkout@v1', with: { repository: '${{ resources.repositories.r }}' } },
        {
          uses: 'pytest/pytest@v1',
          tests: {
            retry: { times: 2, 'at-most': 20, 'delay-seconds': 5 },
            quarantine: true,
            'fail-on-flaked': true,
          },
        },
      ],
    },
    m: {
      if: 'success()',
      needs: ['a'],
      strategy: {
        matrix: {
          os: ['linux', 'windows'],
          include: [{ os: 'macos' }],
          exclude: [{ os: 'linux' }],
        },
        'max-parallel': 2,
        'fail-fast': true,
      },
      steps: [{ run: 'echo ${{ matrix.os }}' }],
    },
    bundle: {
      needs: 'a',
      jobs: { c: { steps: [{ run: 'echo' }] }, d: { needs: 'c', steps: [{ run: 'echo' }] } },
    },
    g: { generator: 'some/generator@v1', with: { x: 1 } },
    u: { uses: './data', with: { y: 2 }, needs: ['a', 'm'] },
  },
} as const;

type Entries = Record<string, unknown>;

const isMap = (value: unknown): value is Entries => typeof value === 'object' && value !== null;

/** Ways to spoil a key, applied to its map. */
const WAYS: Readonly<Record<string, (around: Entries, key: string) => void>> = {
  misspelt: (around, key) => {
    around[`${key}x`] = around[key];
    delete around[key];
  },
  'cut off': (around, key) => {
    around[key.slice(0, -1)] = around[key];
    delete around[key];
  },
  absent: (around, key) => {
    delete around[key];
  },
  null: (around, key) => {
    around[key] = null;
  },
  'of a wrong type': (around, key) => {
    around[key] = [null];
  },
};
const KINDS: Readonly<Record<string, 'misspelt' | 'absent' | 'null'>> = {
  misspelt: 'misspelt',
  'cut off': 'misspelt',
  absent: 'absent',
  null: 'null',
};
/** Sections of a workflow that are the same as absent then. */
const MAY_BE_NULL: readonly string[] = [
  'variables',
  'resources',
  'hooks',
  'defaults',
  'concurrency',
  'inputs',
  'outputs',
];

const keys = keysOf(workflowManifestSchema, WORKFLOW);
const required = keys.filter(({ isRequired }) => isRequired);

/** Problems and warnings of the workflow for the key with this kind of mistake, and for the next key. */
function problemsWith(wrong: readonly { readonly at: SchemaKey; readonly way: string }[]) {
  const value: unknown = structuredClone(WORKFLOW);
  // Finds the maps before renaming: paths no longer lead to them afterwards.
  const maps = wrong.map(({ at }) =>
    at.path.reduce<unknown>((map, key) => (isMap(map) ? map[key] : undefined), value),
  );
  for (const [index, { at, way }] of wrong.entries()) {
    const around = maps[index];
    if (isMap(around)) WAYS[way]?.(around, at.key);
  }
  const checked = check(value);
  return [...(checked.ok ? [] : checked.problems), ...checked.warnings].map(formatProblem);
}

test('the workflow is valid, and has every key of the schema', () => {
  expect(problemsWith([])).toEqual([]);
  expect(new Set(keys.map(nameOf))).toEqual(namesOf(workflowManifestSchema));
});

describe.each(Object.keys(WAYS))('a key that is %s', (way) => {
  test.each(keys.map((at) => [[...at.path, at.key].join('.'), at] as const))('%s', (_, at) => {
    const problems = problemsWith([{ at, way }]);
    const mayBe = {
      misspelt: at.isOpen && !at.isRequired,
      absent: !at.isRequired,
      null: !at.isTyped || (at.path.length === 0 && MAY_BE_NULL.includes(at.key)),
      value: !at.isTyped,
    };
    if (mayBe[KINDS[way] ?? 'value']) return;
    expect(problems.filter((text) => text.includes(at.key.slice(0, -1)))).not.toEqual([]);
    expect(problems.filter((text) => text.includes('undefined'))).toEqual([]);
  });
});

test('two required keys that are wrong together are told, each', () => {
  for (const [index, first] of required.entries()) {
    for (const second of required.slice(index + 1)) {
      const wrong = [first, second].map((at) => ({ at, way: 'misspelt' }));
      const problems = problemsWith(wrong).join();
      expect(problems).toContain(`"${first.key}`);
      // The check ignores everything inside an unknown key.
      const inside = JSON.stringify([...first.path, first.key]).slice(0, -1);
      const isLost = JSON.stringify(second.path).startsWith(inside);
      if (!isLost) expect(problems).toContain(`"${second.key}`);
    }
  }
});

test.each(['event', 'EVENTSx'])('a hook whose events are called "%s" is told once', (key) => {
  const hook = { name: 'h', [key]: [{ channel: 'setup' }], before: [{ 'use-workspace': 'w' }] };
  const jobs = { a: { steps: [{ run: 'x' }] } };
  const checked = check({ metadata: { name: 'x' }, hooks: [hook], jobs });
  expect(checked.ok ? [] : checked.problems.map(formatProblem)).toEqual([
    `hooks[0]: unknown key "${key}", did you mean "events"?`,
  ]);
});
