import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const file = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
const PARTS = `
  import { Worker } from 'node:worker_threads';
  import { setServerFlags } from ${file('../bin/server-flags.js')};
  import { createStartupMemoryRelease } from ${file('../../server/src/runtime/startup-memory.ts')};
`;

/** What a process prints that runs these lines after the imports of a server's start. */
function told(lines: string): unknown {
  const args = ['--allow-natives-syntax', '--input-type=module', '-e', `${PARTS}${lines}`];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('a server starts without the optimizing compilers, and has them when its services start', () => {
  // Bits 5 and 6 of the status stand for the two compilers.
  const status = told(`
    const newFunction = () => new Function('n', 'let sum = 0; for (let i = 0; i < n; i++) sum += i; return sum');
    function isOptimized() {
      const work = newFunction();
      for (let i = 0; i < 2_000_000; i++) work(10);
      return (%GetOptimizationStatus(work) & (3 << 5)) !== 0;
    }
    setServerFlags();
    const before = isOptimized();
    await createStartupMemoryRelease().start();
    console.log(JSON.stringify({ before, after: isOptimized() }));
  `);
  expect(status).toEqual({ before: false, after: true });
});

test('memory that only the start needed is given back in all threads', () => {
  // Each thread has an object that only a collection of everything takes.
  const isCollected = `
    async function isCollected() {
      const held = new WeakRef(new Array(1000).fill({}));
      while (held.deref() !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      return true;
    }`;
  const thread = `
    import { releaseStartupMemory } from ${file('../../server/src/runtime/startup-memory.ts')};
    import { parentPort } from 'node:worker_threads';
    ${isCollected}
    releaseStartupMemory();
    parentPort.postMessage(await isCollected());`;
  const collected = told(`
    ${isCollected}
    setServerFlags();
    const url = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(thread)}));
    const inThread = new Promise((resolve) => new Worker(url).once('message', resolve));
    await createStartupMemoryRelease().start();
    console.log(JSON.stringify(await Promise.all([isCollected(), inThread])));
  `);
  expect(collected).toEqual([true, true]);
});
