/** Whatever fails, crashes or comes again: each line of output is in the log once, in its order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OwnAgent } from './testing/scripted-agents.ts';
import { dataFolder, ended, logOf, resultsOf, startServer } from './testing/test-server.ts';

/** One batch of output, and what happens to its sender before the server has taken it. */
interface Batch {
  /** Sizes of its lines; several large ones need a notification each. */
  readonly lines: readonly number[];
  readonly troubles: readonly ('fails' | 'fails late' | 'crashes' | 'answer lost' | 'polls')[];
}

const batch: fc.Arbitrary<Batch> = fc.record({
  lines: fc.array(fc.constantFrom(1, 60_000), { maxLength: 5 }),
  troubles: fc.array(
    fc.constantFrom('fails', 'fails late', 'crashes', 'answer lost', 'polls' as const),
    { maxLength: 3 },
  ),
});

test('a command whose server has every trouble is told of once', async () => {
  await fc.assert(fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 4 }), play), {
    numRuns: 8,
  });
});

async function play(batches: readonly Batch[]): Promise<void> {
  const folder = await dataFolder();
  let server = await startServer({ folder });
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const command = agent.running;
  const sent: string[] = [];
  for (const [sequence, { lines: sizes, troubles }] of batches.entries()) {
    const isLast = sequence === batches.length - 1;
    const lines = sizes.map((size, index) => `line ${sequence}.${index} ${'x'.repeat(size)}`);
    const send = () =>
      agent.send({ sequence, lines, ...(isLast ? { exitStatus: 3 } : {}) }, command);
    sent.push(...lines);
    for (const trouble of troubles) {
      if (trouble === 'fails') server.faults.fail();
      if (trouble === 'fails late') server.faults.fail(`line ${sequence}.${lines.length - 1}`);
      if (trouble === 'polls') await agent.poll();
      if (trouble === 'crashes') {
        await server.crash();
        server = await startServer({ folder, clock: server.clock });
        agent.server = server;
      } else if (trouble !== 'polls') {
        await send();
      }
      server.faults.heal();
    }
    expect(await send()).toBe(200);
  }
  // The release, whether it was handed out before or not.
  agent.running = null;
  agent.last = command;
  await agent.run();
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await logOf(server, workflowId)).filter((text) => text.startsWith('line '))).toEqual(
    sent,
  );
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 3],
    [-2, 0],
  ]);
  await server.crash();
}
