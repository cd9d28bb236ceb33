import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const RELEASE = JSON.stringify(new URL('./startup-memory.ts', import.meta.url).href);

/** Ends once a full collection has removed an object. */
const IS_COLLECTED = `
  async function isCollected() {
    const held = new WeakRef(new Array(1000).fill({}));
    while (held.deref() !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    return true;
  }`;
const THREAD = `
  import { parentPort } from 'node:worker_threads';
  import { releaseWhenIdle } from ${RELEASE};
  ${IS_COLLECTED}
  releaseWhenIdle().postpone();
  parentPort.postMessage(await isCollected());`;
const MAIN = `
  import { cachedDataVersionTag } from 'node:v8';
  import { Worker } from 'node:worker_threads';
  import { createStartupMemoryRelease } from ${RELEASE};
  ${IS_COLLECTED}
  const usual = cachedDataVersionTag();
  await createStartupMemoryRelease().start();
  const inMain = await isCollected();
  const url = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(THREAD)}));
  const inThread = await new Promise((resolve) => new Worker(url).once('message', resolve));
  console.log(JSON.stringify({ inMain, inThread, isUsual: cachedDataVersionTag() === usual }));`;

test('memory for the start alone is freed, and later compiled code can be kept as before', () => {
  const args = ['--input-type=module', '-e', MAIN];
  const actual = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 25_000 });
  expect(JSON.parse(actual)).toEqual({ inMain: true, inThread: true, isUsual: true });
});
