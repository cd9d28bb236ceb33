// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Jobs that plugins give: a generator over HTTP, as existing plugins are. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose } from '../support/api.ts';
import { type Inbox, openInbox } from '../support/inbox.ts';
import { allEvents, ended, logOf, type Manifest, only, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

let bench: Workbench;
let server: ServerChild;
let inbox: Inbox;
/** By the input `plan` of the command. */
const plans = new Map<string, Manifest>();

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'one' });
  inbox = await openInbox(answer);
  const matchLabels = {
    'opentestfactory.org/category': 'plan',
    'opentestfactory.org/categoryPrefix': 'examples',
  };
  const selector = { matchKind: 'GeneratorCommand', matchLabels };
  await server.call('POST', '/subscriptions', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Subscription',
      metadata: { name: 'planner' },
      spec: { selector, subscriber: { endpoint: inbox.endpoint } },
    },
  });
});

afterAll(async () => {
  await inbox.close();
  await bench.close();
});

/** As plugins of both generations do, with the metadata of the command. */
function answer({ metadata, with: inputs }: Loose): void {
  const body = {
    kind: 'GeneratorResult',
    metadata,
    ...plans.get((inputs as Loose).plan as string),
  };
  void server.call('POST', '/publications', { body });
}

const run = (plan: string, more: Manifest = {}): Promise<string> =>
  start(server, {
    metadata: { name: plan },
    jobs: {
      tests: { generator: 'examples/plan@v1', with: { plan }, 'runs-on': 'linux', ...more },
      after: { needs: 'tests', steps: [sh('echo "got ${{ needs.tests.outputs.word }}"')] },
    },
  });

test.each(['v1alpha1', 'v1beta1', 'v1'])(
  'a generator gives jobs that need each other, and outputs, in version %s',
  async (version) => {
    plans.set('good', {
      apiVersion: `opentestfactory.org/${version}`,
      jobs: {
        first: {
          steps: [{ id: 's', run: 'echo "::set-output name=word::hello"' }],
          outputs: { word: '${{ steps.s.outputs.word }}' },
        },
        second: { needs: 'first', 'runs-on': 'linux', steps: [sh('echo second')] },
      },
      outputs: { word: '${{ jobs.first.outputs.word }}' },
    });
    const id = await run('good');
    expect(await ended(server, id)).toBe('DONE');
    const events = await allEvents(server, id);
    const printed = only(events, 'ExecutionResult').flatMap(({ logs }) => logs ?? []);
    expect(printed).toEqual(['second', 'got hello']);
    const [command] = only(events, 'GeneratorCommand');
    expect(command).toMatchObject({
      apiVersion: 'opentestfactory.org/v1alpha1',
      generator: 'examples/plan@v1',
      metadata: { labels: { 'opentestfactory.org/categoryVersion': 'v1' }, job_origin: [] },
    });
    expect(command?.metadata).not.toHaveProperty('step_id');
    const [result] = only(events, 'GeneratorResult');
    expect(result?.jobs.second?.steps).toEqual([{ id: expect.any(String), run: 'echo second' }]);
    expect(await logOf(server, id)).toContain('Running job bundle: "tests"');
  },
);

test('what is probably wrong with jobs is in the log, and they run', async () => {
  const step = { id: 's', run: 'echo "::set-output name=word::hello"' };
  plans.set('warned', {
    apiVersion: 'opentestfactory.org/v1',
    jobs: {
      first: { steps: [step, step, sh('echo "[${{ steps.s.nope }}]"')] },
    },
    outputs: { word: { description: 'd', value: '${{ jobs.first.outputs.word }}' } },
  });
  const id = await run('warned');
  expect(await ended(server, id)).toBe('DONE');
  const log = await logOf(server, id);
  expect(log).toContain(
    'WARNING,jobs.first.steps[1].id: Job "first" has several steps with the id "s". Expressions read the one that ended last.',
  );
  expect(log).toContain(
    'WARNING,outputs.word.value: job "first" has no output "word", so this is empty.',
  );
  expect(log).toMatch(/WARNING,jobs\.first\.steps\[2\]\.run: of a step there are .* not "nope"/);
});

test('jobs that are not valid end the run with what is wrong with them', async () => {
  plans.set('bad', {
    apiVersion: 'opentestfactory.org/v1beta1',
    jobs: { first: { 'run-on': 'x', needs: 'none', steps: [{ run: '${{ nobody }}' }] } },
    outputs: { word: '${{ jobs.g1.outputs.o }}' },
  });
  const id = await run('bad');
  expect(await ended(server, id)).toBe('FAILED');
  expect(await logOf(server, id)).toContain(
    'ERROR: The generator of job "tests" gave jobs that are not valid: jobs.first: unknown key "run-on", did you mean "runs-on"? jobs.first.needs: Job "first" has a dependency on job "none" which does not exist. outputs.word: there is no job "g1" here. jobs.first.steps[0].run: unknown context "nobody".',
  );
  plans.set('worse', { apiVersion: 'opentestfactory.org/v1beta1', jobs: {} });
  const other = await run('worse');
  expect(await ended(server, other)).toBe('FAILED');
  expect(await logOf(server, other)).toContain(
    'gave jobs that are not valid: jobs: must not be empty.',
  );
});

test('a generator that nobody offers ends the run with an error that names it', async () => {
  const id = await run('none', { generator: 'nobody/plan@v1' });
  expect(await ended(server, id)).toBe('FAILED');
  expect(await logOf(server, id)).toContain('No plugin offers the generator "nobody/plan@v1".');
  const mistyped = await run('mistyped', { generator: 'exmaples/plan' });
  expect(await ended(server, mistyped)).toBe('FAILED');
  expect(await logOf(server, mistyped)).toContain('did you mean "examples/plan"?');
});
