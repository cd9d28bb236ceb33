import { Readable } from 'node:stream';
import { OrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { createTestClock } from '../../auth/testing.ts';
import { silentLogger } from '../../bus/testing.ts';
import { type GenerateInsightDeps, generateInsight } from './generate-insight.ts';
import { wantedInsight } from './insight-request.ts';
import { COLLECTOR_LIMITS } from './limits.ts';
import { gathered, RUN_ID, sampleRun, storeOf } from './testing.ts';

const signal = new AbortController().signal;
const request = { requestId: 'r', workflowId: RUN_ID, acceptedMs: 0, insights: [], published: 0 };

/** Files are kept as text, by key; `before`, which is called for each file of the run, may fail. */
function createDeps(before: () => void = () => undefined) {
  const files = new Map<string, string>();
  const deps: GenerateInsightDeps = {
    store: { ...storeOf([{}]), events: async () => null },
    blobs: {
      put: async (key, content) => {
        if (key.startsWith(RUN_ID)) before();
        files.set(key, await gathered(content));
        return { size: 1 };
      },
      get: async (key) => {
        const file = files.get(key);
        return file === undefined
          ? null
          : { size: file.length, content: Readable.from([Buffer.from(file)]) };
      },
      deleteScope: async (scope) => {
        for (const key of files.keys()) if (key.startsWith(`${scope}/`)) files.delete(key);
      },
    },
    clock: createTestClock(),
    logger: silentLogger,
    fileBytesMax: 1_000_000,
    retryDelayMs: 0,
  };
  return { deps, files };
}

const surefire = (scope: string) =>
  wantedInsight({ name: 'x', kind: 'SurefireXmlReport', spec: { scope } });
const generate = (deps: GenerateInsightDeps, scope = "test.job == 'unit'") =>
  generateInsight(deps, { request, insight: surefire(scope), run: sampleRun() }, signal);

test('a report is a file under an id that follows from its request', async () => {
  const { deps, files } = createDeps();
  const [first, second] = [await generate(deps), await generate(deps)];
  expect(first).toEqual(second);
  expect([...files.keys()]).toEqual([`${RUN_ID}/${first.attachmentId}`]);
});

test('a report whose scope is wrong says so at once, and leaves no file', async () => {
  let tries = 0;
  const { deps, files } = createDeps(() => {
    tries += 1;
  });
  expect(await generate(deps, 'test.data.b.c == 2')).toEqual({
    name: 'x',
    attachmentId: null,
    skipped: expect.stringMatching(/^\[SCOPE ERROR\] Nonexisting context entry/),
  });
  expect([tries, files.size]).toEqual([1, 0]);
});

test('a report that is too large says so at once', async () => {
  let tries = 0;
  const { deps } = createDeps(() => {
    tries += 1;
    throw new OrchestratorError('PayloadTooLarge', 'There is more content than 10 bytes.');
  });
  expect(await generate({ ...deps, fileBytesMax: 10 })).toEqual({
    name: 'x',
    attachmentId: null,
    skipped: 'The report is larger than 10 bytes. Choose fewer test cases by a scope.',
  });
  expect(tries).toBe(1);
});

test('a report that cannot be written is tried again, and then told', async () => {
  let tries = 0;
  const { deps } = createDeps(() => {
    tries += 1;
    throw new Error('full');
  });
  const skipped = 'The report could not be generated.';
  expect(await generate(deps)).toEqual({ name: 'x', attachmentId: null, skipped });
  expect(tries).toBe(COLLECTOR_LIMITS.tries);
});

test('a report on a run that is gone is NotFound', async () => {
  const { deps } = createDeps(() => {
    throw new OrchestratorError('NotFound', 'gone');
  });
  await expect(generate(deps)).rejects.toMatchObject({ reason: 'NotFound' });
});
