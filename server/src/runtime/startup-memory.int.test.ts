import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const RELEASE = JSON.stringify(new URL('./startup-memory.ts', import.meta.url).href);

/** Ends once an object is gone that only a collection of everything takes. */
const IS_COLLECTED = `
  async function isCollected() {
    const held = new WeakRef(new Array(1000).fill({}));
    while (held.deref() !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    return true;
  }`;
const THREAD = `
  import { parentPort } from 'node:worker_threads';
  import { releaseStartupMemory } from ${RELEASE};
  ${IS_COLLECTED}
  releaseStartupMemory();
  parentPort.postMessage(await isCollected());`;

test('memory that only the start needed is given back in all threads', () => {
  const lines = `
    import { Worker } from 'node:worker_threads';
    import { createStartupMemoryRelease } from ${RELEASE};
    ${IS_COLLECTED}
    const url = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(THREAD)}));
    const inThread = new Promise((resolve) => new Worker(url).once('message', resolve));
    await createStartupMemoryRelease().start();
    console.log(JSON.stringify(await Promise.all([isCollected(), inThread])));`;
  const args = ['--input-type=module', '-e', lines];
  const told = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 25_000 });
  expect(JSON.parse(told)).toEqual([true, true]);
});
