/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so. */
import { DOCUMENT_LIMITS } from '@tutti/manifests/documents';
import { expect, test } from 'vitest';
import { created, file, openReception, type Part, workflow } from './testing.ts';

const started = (uses: string, files: readonly string[], more = '') =>
  workflow(
    `metadata: {name: demo}\nresources: {files: [${files}]}\njobs: {a: {jobs: {b: {uses: ${uses}${more}}}}}\n`,
  );
const named = (name: string, content: string): Part => ({ ...file(name), content });
const CHECKS = 'metadata: {name: checks}\njobs: {c: {runs-on: linux, steps: [{run: x}]}}\n';
const WITH_INPUT = `${CHECKS}inputs: {browser: {description: d, required: true}}\n`;
const MISSPELT = 'metadata: {name: checks}\njobs:\n  c:\n    run-on: x\n    steps: []\n';
/** The limit of a file here, and half that of a workflow. */
const LARGE = CHECKS.padEnd(49_900, '\n');
const PROBLEMS =
  'jobs.c: unknown key "run-on", did you mean "runs-on"? (line 4)\njobs.c.steps: must not be empty (line 5)';

async function refusals(parts: readonly Part[]) {
  const { multipart, published, blobScopes } = await openReception();
  const answers: unknown[] = [];
  for (const query of ['', '?dryRun']) {
    for (const order of [parts, parts.toReversed()]) answers.push(await multipart(order, query));
  }
  expect(published).toEqual([]);
  expect(blobScopes()).toEqual([]);
  expect(answers).toEqual(answers.map(() => answers[0]));
  return answers[0];
}

test('a file that is no workflow is refused with the request, also by a dry run', async () => {
  const parts = [started('./checks.yaml', ['checks.yaml']), named('checks.yaml', MISSPELT)];
  expect(await refusals(parts)).toMatchObject({
    code: 422,
    reason: 'Invalid',
    message: expect.stringContaining(
      'Workflow "checks.yaml" cannot be called: Not a valid Workflow manifest: jobs.c: unknown key',
    ),
    details: { error: `Workflow "checks.yaml" cannot be called:\n${PROBLEMS}` },
  });
});

test('so is one that a called workflow calls, and all of them are listed', async () => {
  const middle =
    'metadata: {name: m}\nresources: {files: [c, d, m]}\njobs: {x: {uses: ./c}, y: {uses: ./d}, z: {uses: ./m}}\n';
  const parts = [
    started('./m', ['m', 'c', 'd']),
    named('m', middle),
    named('c', MISSPELT),
    named('d', '- a list'),
  ];
  expect(await refusals(parts)).toMatchObject({
    message: expect.stringContaining('Workflow "c" cannot be called: '),
    details: {
      error: expect.stringMatching(
        /^Workflow "c" cannot be called:\n[\s\S]*\nWorkflow "d" cannot be called: /,
      ),
    },
  });
});

test('the number of problems has the same limit as for a document', async () => {
  const calls = Array.from({ length: 300 }, (_, index) => `j${index}: {uses: ./c, with: {x: 1}}`);
  const manifest = `metadata: {name: demo}\nresources: {files: [c]}\njobs: {${calls}}\n`;
  const answer = await refusals([workflow(manifest), named('c', CHECKS)]);
  expect(answer).toMatchObject({ code: 422 });
  const { message, details } = answer as { message: string; details: { error: string } };
  const actual = [message, ...details.error.split('\n')];
  expect(actual).toHaveLength(DOCUMENT_LIMITS.problemsMax);
  expect(new Set(actual).size).toBe(actual.length);
});

test('inputs that are written out must fit', async () => {
  const parts = [started('./c', ['c'], ', with: {other: 1}'), named('c', WITH_INPUT)];
  expect(await refusals(parts)).toMatchObject({
    code: 422,
    message:
      'jobs.a.jobs.b.with: Workflow "c" cannot be called: Unexpected inputs "other" found.  Allowed inputs: "browser". (line 3)',
  });
});

test('each job with wrong inputs is listed, with the lines of the calling workflow', async () => {
  const middle =
    'metadata: {name: m}\nresources: {files: [c]}\njobs:\n  x: {uses: ./c, with: {no: 1}}\n';
  const jobs = 'a: {uses: ./c, with: {other: 1}}\n  b:\n    uses: ./c\n  m: {uses: ./m}';
  const manifest = `metadata: {name: demo}\nresources: {files: [c, m]}\njobs:\n  ${jobs}\n`;
  const parts = [workflow(manifest), named('c', WITH_INPUT), named('m', middle)];
  const why = 'Workflow "c" cannot be called: ';
  expect(await refusals(parts)).toMatchObject({
    message: `jobs.a.with: ${why}Unexpected inputs "other" found.  Allowed inputs: "browser". (line 4)`,
    details: {
      error: [
        `jobs.a.with: ${why}Mandatory input "browser" not provided. (line 4)`,
        `jobs.b: ${why}Mandatory input "browser" not provided. (line 5)`,
        `Workflow "m" cannot be called: jobs.x.with: ${why}Unexpected inputs "no" found.  Allowed inputs: "browser". (line 4)`,
        `Workflow "m" cannot be called: jobs.x.with: ${why}Mandatory input "browser" not provided. (line 4)`,
      ].join('\n'),
    },
  });
});

test('all wrong inputs of one job are listed, each with its line', async () => {
  const called = `${CHECKS}inputs:
  browser: {description: d, type: choice, options: [firefox, chromium]}
  n-um: {description: d, type: number}
  flag: {description: d, type: boolean}
`;
  const given = 'browser: firefoxx\n      n_um: abc\n      flag: yes\n      flga: 1';
  const manifest = `metadata: {name: demo}\nresources: {files: [c]}\njobs:\n  a:\n    uses: ./c\n    with:\n      ${given}\n`;
  const why = 'Workflow "c" cannot be called: ';
  expect(await refusals([workflow(manifest), named('c', called)])).toMatchObject({
    message: `jobs.a.with: ${why}Unexpected inputs "flga" found.  Allowed inputs: "browser", "n-um", "flag". (line 6)`,
    details: {
      error: [
        `jobs.a.with.browser: ${why}Input "browser": Invalid value "firefoxx".  Allowed values: "firefox", "chromium". (line 7)`,
        `jobs.a.with.n_um: ${why}Input "n-um": Invalid value "abc".  Expected a number. (line 8)`,
        `jobs.a.with.flag: ${why}Input "flag": Invalid value "yes".  Allowed values: "true", "false". (line 9)`,
      ].join('\n'),
    },
  });
});

test.each<[string, readonly Part[]]>([
  ['a file that fits', [started('./c', ['c'], ', with: {browser: x}'), named('c', WITH_INPUT)]],
  [
    'inputs with expressions',
    [started('./c', ['c'], ', with: {"x": "${{ variables.X }}"}'), named('c', WITH_INPUT)],
  ],
  ['a name with expressions', [started('"./${{ variables.X }}"', ['c']), named('c', MISSPELT)]],
  ['a file that no job calls', [started('./c', ['c', 'd']), named('c', CHECKS), named('d', '[')]],
  [
    'workflows that call each other',
    [
      started('./c', ['c']),
      named('c', 'metadata: {name: c}\nresources: {files: [c]}\njobs: {a: {uses: ./c}}\n'),
    ],
  ],
  [
    'more text than a workflow may have',
    [
      started('./big', ['big', 'large', 'next'], '}, d: {uses: ./large}, e: {uses: ./next'),
      named('big', LARGE),
      named('large', LARGE),
      named('next', MISSPELT.padEnd(300, '\n')),
    ],
  ],
])('the rest is left to the run: %s', async (_, parts) => {
  const { multipart, published } = await openReception();
  expect(await multipart(parts)).toEqual(created());
  expect(await multipart(parts, '?dryRun')).toEqual(created());
  expect(published).toHaveLength(1);
});

test('missing outputs of called files give warnings where they are read, with suggestions', async () => {
  const outputs = 'outputs: {report: "${{ jobs.c.result }}"}\n';
  const manifest = `metadata: {name: demo}
resources: {files: [c, m]}
jobs:
  call: {uses: ./c}
  other: {uses: "./\${{ variables.X }}"}
  middle: {uses: ./m}
  read:
    needs: [call, other, middle]
    steps:
    - run: echo \${{ needs.call.outputs.report }} \${{ needs.other.outputs.any }}
    - run: echo \${{ needs.call.outputs.reprot }}
    - run: echo \${{ needs.middle.outputs.none }}
outputs: {o: "\${{ jobs.call.outputs.nosuch }}"}
`;
  const middle =
    'metadata: {name: m}\nresources: {files: [c]}\njobs:\n  x: {uses: ./c}\n  y: {needs: x, steps: [{run: "${{ needs.x.outputs.no }}"}]}\n';
  const parts = [workflow(manifest), named('c', `${CHECKS}${outputs}`), named('m', middle)];
  const empty = (job: string, file: string, output: string) =>
    `job "${job}" calls "${file}", which has no output "${output}", so this is empty`;
  const warnings = [
    `jobs.read.steps[1].run: ${empty('call', 'c', 'reprot')}, did you mean "report"? (line 11)`,
    `jobs.read.steps[2].run: ${empty('middle', 'm', 'none')} (line 12)`,
    `outputs.o: ${empty('call', 'c', 'nosuch')} (line 13)`,
    `Workflow "m": jobs.y.steps[0].run: ${empty('x', 'c', 'no')} (line 5)`,
  ];
  const { multipart, published } = await openReception();
  for (const query of ['?dryRun', '']) {
    const answer = await multipart(parts, query);
    expect(answer).toMatchObject({ code: 201, details: { warnings } });
  }
  expect(published).toHaveLength(1);
  expect(await multipart(parts, '?strict')).toMatchObject({
    code: 422,
    message: warnings[0],
    details: { error: warnings.slice(1).join('\n') },
  });
  expect(published).toHaveLength(1);
});

test('warnings about called files come with the request, each once', async () => {
  const file = `${CHECKS}outputs: {o: "\${{ inputs.none }}"}\n`;
  const parts = [started('./c', ['c'], '}, d: {uses: ./c'), named('c', file)];
  const { multipart } = await openReception();
  expect(await multipart(parts)).toMatchObject({
    code: 201,
    details: {
      warnings: ['Workflow "c": outputs.o: there is no input "none", so this is empty (line 3)'],
    },
  });
});
