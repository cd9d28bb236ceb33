// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { created, openReception, refused, workflow, YAML } from './testing.ts';

describe('manifests with warnings', () => {
  const demo = (job: string, more = '') =>
    `metadata: {name: demo}\njobs:\n  b: {steps: [{run: x}]}\n  a: {needs: b, ${job}}\n${more}`;
  const run = (text: string) => demo(`steps: [{run: "${text}"}]`);
  const empty = 'so this is empty';

  test.each([
    [
      'an output that a job does not set',
      run('${{ needs.b.outputs.undeclared }}'),
      `jobs.a.steps[0].run: job "b" has no output "undeclared", ${empty} (line 4)`,
    ],
    [
      'what a job does not have',
      run('${{ needs.b.nope }}'),
      `jobs.a.steps[0].run: of a job there are "result" and "outputs", not "nope", ${empty} (line 4)`,
    ],
    [
      'an input that is not declared',
      run('${{ inputs.undeclared }}'),
      `jobs.a.steps[0].run: there is no input "undeclared", ${empty} (line 4)`,
    ],
    [
      'what is not there of the run',
      run('${{ opentf.actr }}'),
      `jobs.a.steps[0].run: the context "opentf" has no "actr", ${empty}, did you mean "actor"? (line 4)`,
    ],
    [
      'two steps with one id',
      demo('steps: [{id: s, run: x}, {id: s, run: y}]'),
      'jobs.a.steps[1].id: Job "a" has several steps with the id "s". Expressions read the one that ended last (line 4)',
    ],
    [
      'a secret with an expression',
      demo('steps: [{run: x}]', 'secrets: {S: "${{ inputs.s }}"}'),
      'secrets.S: an expression is not evaluated here, give its value when the run is started, or make it a variable (line 5)',
    ],
    [
      'annotations that are no map',
      demo('steps: [{run: x}]').replace('demo', 'demo, annotations: [5]'),
      'metadata.annotations: metadata.annotations is no object, and is left out. (line 1)',
    ],
    [
      'a matrix of the workflow',
      demo('steps: [{run: x}]', 'strategy: {matrix: {os: ["${{ needs.x }}"]}}'),
      'strategy: the matrix of a workflow has no effect, a job can have one (line 5)',
    ],
    [
      'another kind of resource',
      demo('steps: [{run: x}]', 'resources: {file: [a]}'),
      'resources: unknown key "file", did you mean "files"? (line 5)',
    ],
    [
      'another key of a repository',
      demo(
        'steps: [{run: "${{ resources.repositories.r.url }}"}]',
        'resources: {repositories: [{name: r, type: git, repository: a, endpoint: b, testmanager: 1}]}',
      ),
      'resources.repositories[0]: unknown key "testmanager" (line 5)',
    ],
    [
      'another default',
      demo('defaults: {run: {shel: bash}}, steps: [{run: x}]'),
      'jobs.a.defaults.run: unknown key "shel", did you mean "shell"? (line 4)',
    ],
  ])('%s is started, and refused only where that is asked for', async (_, text, warning) => {
    const { yaml, json, published } = await openReception();
    for (const query of ['?dryRun', '']) {
      const { code, details } = await yaml(text, query);
      expect({ code, warnings: details.warnings }).toEqual({ code: 201, warnings: [warning] });
    }
    expect(published).toHaveLength(1);
    const refusal = await yaml(text, '?strict');
    const refused = { code: 422, reason: 'Invalid', message: warning, details: null };
    expect(refusal).toMatchObject(refused);
    expect(published).toHaveLength(1);
    const [asJson] = (await json(parse(text))).details.warnings;
    expect(asJson).toBe(warning.replace(/line \d+\)$/, asJson.slice(asJson.lastIndexOf('line '))));
  });

  test('a test manager of any type is no reason for one', async () => {
    const { yaml } = await openReception();
    const managers = '[{name: t, type: "Squash TM", testmanager: a, endpoint: b}]';
    const text = demo('steps: [{run: x}]', `resources: {testmanagers: ${managers}}`);
    expect(await yaml(text, '?strict')).toEqual(created());
  });

  test('errors are listed without the warnings', async () => {
    const { yaml } = await openReception();
    expect((await yaml(run('${{ inputs.a }} ${{ foo }}'))).details).toEqual({
      error: 'jobs.a.steps[0].run: unknown context "foo" (line 4)',
    });
  });

  test('warnings have the same limit as errors', async () => {
    const { yaml } = await openReception();
    const names = Array.from({ length: 60 }, (_, index) => `\${{ inputs.i${index} }}`);
    const { warnings } = (await yaml(run(names.join(' ')))).details;
    expect(warnings).toHaveLength(51);
    expect(warnings.at(-1)).toBe('... and 10 more warnings');
  });
});

describe('refused manifests', () => {
  test.each<[string, string, string, string]>([
    [
      'an unknown dependency',
      'metadata: {name: demo}\njobs:\n  a: {needs: b, steps: [{run: x}]}\n',
      'Job "a" has a dependency on job "b" which does not exist.',
      'jobs.a.needs: Job "a" has a dependency on job "b" which does not exist. (line 3)',
    ],
    [
      'a cycle',
      'metadata: {name: demo}\njobs:\n  a: {needs: [c], steps: [{run: x}]}\n  b: {needs: a, steps: [{run: x}]}\n  c: {needs: b, steps: [{run: x}]}\n',
      'Jobs wait for each other: "a" needs "c" needs "b" needs "a".',
      'jobs.a.needs: Jobs wait for each other: "a" needs "c" needs "b" needs "a". (line 3)',
    ],
    [
      'a default of the wrong type',
      `${YAML}inputs: {k: {description: d, type: number, default: x}}\n`,
      'Invalid "inputs" section, default value for "k" must be a number, got "x".',
      'inputs.k.default: Invalid "inputs" section, default value for "k" must be a number, got "x". (line 6)',
    ],
    ...['workflow', 'variables', 'inputs'].map((name): [string, string, string, string] => [
      `a file named ${name}`,
      `${YAML}resources:\n  files:\n  - data.csv\n  - ${name}\n`,
      `The resource file "${name}" cannot be attached: this part of the request has a meaning of its own.`,
      `resources.files[1]: The resource file "${name}" cannot be attached: this part of the request has a meaning of its own. (line 9)`,
    ]),
    ...['constructor', '__proto__', 'toString'].map((name): [string, string, string, string] => [
      `a file named ${name}`,
      `${YAML}resources: {files: [${name}]}\n`,
      `The resource file "${name}" cannot be attached: no part of the request may have this name.`,
      `resources.files[0]: The resource file "${name}" cannot be attached: no part of the request may have this name. (line 6)`,
    ]),
    [
      'a bad condition',
      'metadata: {name: demo}\njobs:\n  a:\n    if: (true\n    steps: [{run: x}]\n',
      'Invalid expression "(true": ',
      'jobs.a.if: Invalid expression "(true": ',
    ],
    [
      'a bad expression in a script',
      `metadata: {name: demo}\njobs:\n  a:\n    steps:\n    - run: echo \${{ a b }}\n`,
      'Invalid expression ',
      'jobs.a.steps[0].run: Invalid expression ',
    ],
    [
      'a bad condition in jobs in jobs',
      'metadata: {name: demo}\njobs:\n  a:\n    jobs:\n      b:\n        if: (true\n        steps: [{run: x}]\n',
      'Invalid expression "(true": ',
      'jobs.a.jobs.b.if: Invalid expression "(true": ',
    ],
    [
      'an unknown key in jobs in jobs',
      'metadata: {name: demo}\njobs:\n  a:\n    jobs:\n      b: {run-on: x, steps: [{run: x}]}\n',
      'Not a valid Workflow manifest: jobs.a.jobs.b: unknown key "run-on", did you mean "runs-on"? (line 5)',
      'jobs.a.jobs.b: unknown key "run-on", did you mean "runs-on"? (line 5)',
    ],
    [
      // Language 1.3: A job has exactly one of steps, jobs, generator and called workflow.
      'steps beside jobs',
      'metadata: {name: demo}\njobs:\n  a:\n    steps: [{run: x}]\n    jobs: {b: {steps: [{run: x}]}}\n',
      'Not a valid Workflow manifest: jobs.a: must have only one of "steps" and "jobs"',
      'jobs.a: must have only one of "steps" and "jobs"',
    ],
    [
      'neither steps nor jobs',
      'metadata: {name: demo}\njobs:\n  a: {runs-on: linux}\n',
      'Not a valid Workflow manifest: jobs.a: must have "steps", "jobs", "generator" or "uses"',
      'jobs.a: must have "steps", "jobs", "generator" or "uses"',
    ],
    [
      'outputs beside a generator',
      'metadata: {name: demo}\njobs:\n  a:\n    generator: x/y\n    outputs: {b: c}\n',
      'Job "a" must not have "outputs": they come from where its jobs come from.',
      'jobs.a.outputs: Job "a" must not have "outputs": they come from where its jobs come from. (line 5)',
    ],
    [
      'inputs of jobs',
      'metadata: {name: demo}\njobs:\n  a:\n    with: {}\n    jobs: {b: {steps: [{run: x}]}}\n',
      'Job "a" must not have "with": only generators and called workflows have inputs.',
      'jobs.a.with: Job "a" must not have "with": only generators and called workflows have inputs. (line 4)',
    ],
    [
      'a call of a file that is not attached',
      'metadata: {name: demo}\nresources: {files: [b.yaml]}\njobs:\n  a: {uses: ./a.yaml}\n',
      'Job "a" calls "./a.yaml", but "a.yaml" is not in "resources.files".',
      'jobs.a.uses: Job "a" calls "./a.yaml", but "a.yaml" is not in "resources.files". Did you mean "b.yaml"? (line 4)',
    ],
    [
      'a call of a workflow in a repository that is not declared',
      'metadata: {name: demo}\njobs:\n  b:\n    jobs:\n      a: {uses: shop/ci/checks.yaml@main}\n',
      'Job "a" calls "shop/ci/checks.yaml@main", but "shop" is no repository of the resources; ',
      'jobs.b.jobs.a.uses: Job "a" calls "shop/ci/checks.yaml@main", but "shop" is no repository of the resources; files that come with the run are called as "./NAME". (line 5)',
    ],
    [
      'a dependency on a job around',
      'metadata: {name: demo}\njobs:\n  a: {steps: [{run: x}]}\n  b:\n    jobs: {c: {needs: a, steps: [{run: x}]}}\n',
      'Job "c" has a dependency on job "a" which does not exist.',
      'jobs.b.jobs.c.needs: Job "c" has a dependency on job "a" which does not exist. (line 5)',
    ],
    [
      'an unknown key',
      'metadata: {name: demo}\njobs:\n  a:\n    run-on: x\n    steps: [{run: x}]\n',
      'Not a valid Workflow manifest: jobs.a: unknown key "run-on", did you mean "runs-on"? (line 4).',
      'jobs.a: unknown key "run-on", did you mean "runs-on"? (line 4)',
    ],
    [
      'an unknown key below another',
      'metadata: {name: demo}\njobs:\n  a:\n    steps: [{run: x}]\nmore:\n  b: 1\n',
      'Not a valid Workflow manifest: unknown key "more" (line 5).',
      'unknown key "more" (line 5)',
    ],
    [
      'several problems of shape',
      'metadata: {}\njobs:\n  a:\n    steps: []\n',
      'Not a valid Workflow manifest: metadata: "name" is missing (line 1) (and 1 more).',
      'metadata: "name" is missing (line 1)\njobs.a.steps: must not be empty (line 4)',
    ],
    [
      'no object',
      '- a\n',
      'Not a valid Workflow manifest: must be an object, not a list (line 1).',
      'must be an object, not a list (line 1)',
    ],
    // HTTP 4.6: Files have parts of their own: names of the other parts are refused.
  ])('%s', async (_, text, message, error) => {
    const { yaml, published } = await openReception();
    for (const query of ['', '?dryRun']) {
      const answer = await yaml(text, query);
      expect(answer).toMatchObject({ code: 422, reason: 'Invalid', status: 'Failure' });
      expect(answer.message.startsWith(message)).toBe(true);
      expect(answer.details.error.startsWith(error)).toBe(true);
    }
    expect(published).toEqual([]);
  });

  test('an input of a provider that is called "if" is no condition', async () => {
    const { yaml } = await openReception();
    const text = 'metadata: {name: demo}\njobs: {a: {steps: [{uses: a/b, with: {if: "(("}}]}}\n';
    expect(await yaml(text)).toEqual(created());
  });

  // Language 1.12: All that follows the first problem.
  test('all kinds of content problems are told at once, in the order of the text', async () => {
    const { yaml } = await openReception();
    const text = `metadata: {name: demo}\njobs:\n  a:\n    needs: b\n    if: "(("\n    steps: [{run: x}]\n`;
    const { details, message } = await yaml(text);
    expect(message).toBe('Job "a" has a dependency on job "b" which does not exist. (and 1 more).');
    expect(details.error.split('\n')).toEqual([
      'jobs.a.needs: Job "a" has a dependency on job "b" which does not exist. (line 4)',
      expect.stringMatching(/^jobs\.a\.if: .* \(line 5\)$/),
    ]);
  });

  test('the message has the place and the hint of a mistake in an expression', async () => {
    const { yaml } = await openReception();
    const text = `metadata: {name: demo}\njobs: {a: {steps: [{run: "\${{ variable.A }}"}]}}\n`;
    expect((await yaml(text)).message).toBe(
      'unknown context "variable", did you mean "variables"? (jobs.a.steps[0].run, line 2).',
    );
  });

  test.each<[what: string, text: string, error: string]>([
    [
      'in one line',
      '{"metadata": {"name": "d"}, "jobs": {"a": {"run-on": "x", "steps": [{"run": "x"}]}}}',
      'jobs.a: unknown key "run-on", did you mean "runs-on"? (line 1, column 44)',
    ],
    [
      'in several lines',
      `{\n  "metadata": {"name": "d"},\n  "jobs": {"a": {"steps": [{"run": "\\u20ac \${{ nobody }}"}]}}\n}\n`,
      'jobs.a.steps[0].run: unknown context "nobody" (line 3, column 48)',
    ],
    [
      'behind a byte order mark',
      '\ufeff{"metadata": {"name": "d"}, "jobs": {"a": {"needs": "b", "steps": [{"run": "x"}]}}}',
      'jobs.a.needs: Job "a" has a dependency on job "b" which does not exist. (line 1, column 53)',
    ],
    [
      'too long for places',
      `{"metadata": {"name": "${'d'.repeat(65_536)}"}, "jobs": {"a": {"steps": []}}}`,
      'jobs.a.steps: must not be empty',
    ],
  ])('JSON %s is refused with its places', async (_, text, error) => {
    const { post, yaml } = await openReception();
    const headers = { 'content-type': 'application/json' };
    for (const answer of [await post({ payload: text, headers }), await yaml(text)]) {
      expect(answer).toMatchObject({ code: 422, details: { error } });
    }
  });

  test('mistakes in YAML hide no mistakes in the workflow', async () => {
    const { yaml } = await openReception();
    const text = `metadata: {name: a, name: b}\njobs: {a: {run-on: x, if: !cancelled(), steps: [{run: "\${{ nope }}"}]}}\n`;
    const { details, message } = await yaml(text);
    expect(message).toBe(
      'Not a valid YAML document: the key "name" is given twice (line 1, column 21).',
    );
    expect(details.error.split('\n')).toEqual([
      'the key "name" is given twice (line 1, column 21).',
      'jobs.a: unknown key "run-on", did you mean "runs-on"? (line 2)',
      '"!" begins a tag in YAML, write if: "!cancelled()" (line 2, column 27).',
      'jobs.a.steps[0].run: unknown context "nope" (line 2)',
    ]);
  });

  test('text that is no YAML is refused with its place', async () => {
    const { yaml } = await openReception();
    expect(await yaml('a: [1\nb: 2')).toEqual(
      refused(
        422,
        'Invalid',
        expect.stringMatching(/^Not a valid YAML document: .*line 1, column/),
        { error: expect.stringMatching(/^"\[" is not closed: .* \(line 1, column 4\)\.$/) },
      ),
    );
    expect(await yaml('{"a": 1, "a": 2}x')).toMatchObject({ code: 422 });
  });

  test('text that is no JSON is a bad request', async () => {
    const { post } = await openReception();
    const headers = { 'content-type': 'application/json' };
    expect(await post({ payload: '{"a"', headers })).toEqual(
      refused(400, 'BadRequest', expect.stringMatching(/^Not a valid JSON document: /)),
    );
  });

  test('a body that is too large', async () => {
    const { yaml, multipart } = await openReception();
    const payload = `# ${'x'.repeat(100_000)}\n${YAML}`;
    expect(await yaml(payload)).toEqual(
      refused(413, 'PayloadTooLarge', 'A request body may have 100000 bytes at most.'),
    );
    expect(await multipart([workflow(payload)])).toEqual(
      refused(413, 'PayloadTooLarge', 'The part "workflow" may have 100000 bytes at most.'),
    );
  });
});
