// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Running some jobs alone, running a workflow again, and forgetting it, with a real server and a real agent. */
import { existsSync, readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseOf } from '../../server/src/runtime/data-directory.ts';
import { filesLockOf, takeLock } from '../../server/src/store/sqlite/lock-file.ts';
import { type Answer, bodyOf, itemsOf } from '../support/api.ts';
import {
  allEvents,
  ended,
  logged,
  logOf,
  type Manifest,
  oneJob,
  only,
  sh,
  start,
  startedId,
  workersEnded,
} from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'] });
});

afterAll(() => bench.close());

const job = (steps: readonly Manifest[], more: Manifest = {}): Manifest => ({
  'runs-on': 'linux',
  steps,
  ...more,
});
const rerun = (id: string, query = ''): Promise<Answer> =>
  server.call('POST', `/workflows/${id}/rerun`, { query });
const forget = (id: string): Promise<Answer> => server.call('DELETE', `/workflows/${id}/history`);
const refusal = ({ code, text }: Answer) => [code, JSON.parse(text).message];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** Names of the jobs that asked for an environment. */
const ran = async (id: string): Promise<readonly string[]> =>
  only(await allEvents(server, id), 'ExecutionCommand')
    .filter(({ metadata }) => metadata.step_sequence_id === -1)
    .map(({ metadata }) => metadata.name)
    .toSorted();

const builds = job(
  [
    sh('echo built > out.txt; echo "::upload::$PWD/out.txt"; echo ::add-mask::hushhush'),
    sh('echo "::set-output name=word::hushhush"', { id: 'say' }),
  ],
  { outputs: { word: '${{ steps.say.outputs.word }}' } },
);

/** Fails until the file is there. The workflow is started with a file, an input and a variable. */
function startBroken(mended: string): Promise<Answer> {
  const test = job(
    [
      sh('echo "::download file=out.txt::"'),
      sh('echo "::put file=data::data"'),
      sh('cat out.txt data'),
      sh(`echo "word=\${#WORD} $GIVEN ${'${{ inputs.stage }}'}"`, {
        variables: { WORD: '${{ needs.build.outputs.word }}' },
      }),
      sh(`test "${'${{ matrix.part }}'}" = sound || test -e '${mended}'`),
    ],
    { needs: 'build', strategy: { 'fail-fast': false, matrix: { part: ['sound', 'broken'] } } },
  );
  const manifest = {
    metadata: { name: 'broken' },
    inputs: { stage: { description: 'Stage', type: 'string' } },
    resources: { files: ['data'] },
    variables: { GIVEN: 'default' },
    jobs: { build: builds, test, after: job([sh('echo after')], { needs: 'test' }) },
  };
  const form = new FormData();
  form.set('workflow', new Blob([JSON.stringify(manifest)]));
  form.set('variables', 'GIVEN=given');
  form.set('inputs', 'stage=qa');
  form.set('data', new Blob(['of the request\n']), 'data');
  return server.call('POST', '/workflows', { body: form });
}

test('what failed runs again with all that the run had, also when the server is killed after its answer', async () => {
  const mended = bench.path('mended');
  const first = startedId(await startBroken(mended));
  expect(await ended(server, first)).toBe('FAILED');
  await workersEnded(server, first);
  await writeFile(mended, '');

  const answer = await rerun(first, 'failed');
  const { dataDir, url } = server;
  await server.child.kill('SIGKILL');
  expect(answer.code).toBe(201);
  const id = startedId(answer);
  expect(bodyOf(answer).message).toBe(`Workflow broken accepted (workflow_id=${id}).`);
  server = await bench.server({ dataDir, port: Number(new URL(url).port) });
  // Nothing of the later run is in the earlier one.
  expect((await forget(first)).code).toBe(200);

  expect(await ended(server, id), await logOf(server, id)).toBe('DONE');
  expect(await ran(id)).toEqual(['after', 'test (broken)']);
  const log = await logOf(server, id);
  expect(log).toContain('] built\n');
  expect(log).toContain('] of the request\n');
  expect(log).toContain('] word=8 given qa\n');
  expect(log).toContain(`Job "build" taken over from workflow ${first}, where it succeeded.`);
  const events = JSON.stringify(await allEvents(server, id));
  expect(events).toContain(`"tutti.rerun-of":"${first}"`);
  expect(events).not.toContain('hushhush');
  expect(events).not.toContain('"tutti.taken"');
});

describe('a run', () => {
  test('of some jobs runs these and what they need', async () => {
    const jobs = {
      a: job([sh('echo a')]),
      b: job([sh('echo b')], { needs: 'a' }),
      c: job([sh('echo c')], { needs: 'b' }),
    };
    const manifest = { metadata: { name: 'parts' }, jobs };
    const id = await start(server, manifest, 'jobs=b');
    expect(await ended(server, id)).toBe('DONE');
    expect(await ran(id)).toEqual(['a', 'b']);
    expect(await logOf(server, id)).toContain('Job "c" skipped: it was not asked for.');
    const again = startedId(await rerun(id));
    expect(await ended(server, again)).toBe('DONE');
    expect(await ran(again)).toEqual(['a', 'b']);
    const other = startedId(await rerun(id, 'jobs=a'));
    expect(await ended(server, other)).toBe('DONE');
    expect(await ran(other)).toEqual(['a']);
    const unknown = await server.call('POST', '/workflows', { body: manifest, query: 'jobs=aa' });
    expect(refusal(unknown)).toEqual([
      422,
      'The workflow has no job "aa", did you mean "a"? It has "a", "b", "c".',
    ]);
  });

  test('is refused to run again where there is nothing to run, or no run', async () => {
    const id = await start(server, oneJob('fine', [sh('true')]));
    await ended(server, id);
    expect(refusal(await rerun(id, 'failed'))).toEqual([
      409,
      `Nothing of workflow ${id} failed or did not run. To run it again as a whole, leave "failed" out.`,
    ]);
    expect(refusal(await rerun(UNKNOWN))).toEqual([404, `Workflow ${UNKNOWN} not found.`]);
  });

  test('that goes on is not forgotten, nor is its rest run', async () => {
    const id = await start(server, oneJob('held', [sh('echo on; sleep 600')]));
    await logged(server, id, '] on\n');
    const goesOn = `Workflow ${id} goes on. Wait for its end, or cancel it; then try again.`;
    expect(refusal(await forget(id))).toEqual([409, goesOn]);
    expect(refusal(await rerun(id, 'failed'))).toEqual([409, goesOn]);
    await server.call('DELETE', `/workflows/${id}`);
    expect(await ended(server, id)).toBe('FAILED');
    await workersEnded(server, id);
    expect(refusal(await forget(id))).toEqual([200, `Workflow ${id} is forgotten.`]);
  });

  test('that is forgotten is gone with its files', async () => {
    const attach = sh('echo x > f.txt; echo "::attach::$PWD/f.txt"');
    const id = await start(server, oneJob('with files', [attach]));
    await ended(server, id);
    await workersEnded(server, id);
    const blobs = join(server.dataDir, 'blobs');
    expect(readdirSync(blobs)).toContain(id);
    expect((await forget(id)).code).toBe(200);
    expect(existsSync(join(blobs, id))).toBe(false);
    expect(itemsOf(await server.call('GET', '/workflows'))).not.toContain(id);
    expect(refusal(await forget(id))).toEqual([404, `Workflow ${id} not found.`]);
  });

  test('is forgotten beside others that are forgotten at the same time', async () => {
    const starts = Array.from({ length: 8 }, () => start(server, oneJob('one', [sh('true')])));
    const ids = await Promise.all(starts);
    for (const id of ids) await ended(server, id);
    const answers = await Promise.all(ids.map(forget));
    expect(answers.map(refusal)).toEqual(ids.map((id) => [200, `Workflow ${id} is forgotten.`]));
  });

  test('stays while somebody copies files', async () => {
    const id = await start(server, oneJob('copied', [sh('true')]));
    await ended(server, id);
    const lock = takeLock(filesLockOf(databaseOf(server.dataDir)), 1_000);
    try {
      expect(refusal(await forget(id))).toEqual([
        503,
        'A backup or a check of the data is being made, and files of workflows stay until it is done. Try again later.',
      ]);
    } finally {
      lock?.release();
    }
    expect((await forget(id)).code).toBe(200);
  });

  test('whose file is lost is not run again', async () => {
    const first = startedId(await startBroken(bench.path('never')));
    await ended(server, first);
    await rm(join(server.dataDir, 'blobs', first), { recursive: true });
    expect(refusal(await rerun(first))).toEqual([
      409,
      `The file "data" of workflow ${first} is no longer there, so that it cannot run again. Start it anew with its files.`,
    ]);
  });
});
