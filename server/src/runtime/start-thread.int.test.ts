import { once } from 'node:events';
import { cachedDataVersionTag } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';

// Other files of this process have started threads; the module of this test has not.
vi.resetModules();
const { startThread } = await import('./start-thread.ts');

const SPEAKS = new URL(
  `data:text/javascript,import { parentPort } from 'node:worker_threads';
  parentPort.postMessage('begun'); parentPort.once('message', () => {});`,
);
const FAILS = new URL('data:text/javascript,process.exit(1)');

/** Made of the flags of V8, among others. */
const flags = cachedDataVersionTag;

function start(entry: URL): Worker {
  return startThread(entry, { name: 'thread of a test' });
}

test('from the second thread on, a thread begins with a compiler that joins nothing; then all is as before', async () => {
  const usual = flags();
  const first = start(SPEAKS);
  expect(flags()).toBe(usual);
  const second = start(SPEAKS);
  const third = start(FAILS);
  const others = flags();
  expect(others).not.toBe(usual);
  await Promise.all([once(second, 'message'), once(third, 'exit')]);
  expect(flags()).toBe(usual);
  const fourth = start(FAILS);
  expect(flags()).toBe(others);
  await once(fourth, 'exit');
  expect(flags()).toBe(usual);
  await Promise.all([first.terminate(), second.terminate()]);
  expect(flags()).toBe(usual);
});
