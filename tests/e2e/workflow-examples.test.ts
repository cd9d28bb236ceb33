/** The examples of the documents that need nothing but a shell, on a real server and a real agent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended, logOf, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { workflowExamples } from '../support/workflow-examples.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  // Two at once: what some examples show is that jobs run side by side.
  await Promise.all(
    ['one', 'two'].map((name) => bench.agent(server, { name, tags: ['linux', 'node'] })),
  );
});

afterAll(() => bench.close());

/** Things that need more than a shell: other machines, repositories, files of a request. */
const NEEDS_MORE = /"uses":|"(?:resources|generator|use-workspace)":|https?:|"windows"/;
const examples = workflowExamples().filter(
  ({ manifest, isWhole }) => isWhole && !NEEDS_MORE.test(JSON.stringify(manifest)),
);

describe('the workflows that documents show end well', () => {
  test.each(examples)('$place', async ({ manifest }) => {
    const id = await start(server, manifest);
    const status = await ended(server, id);
    expect(status, await logOf(server, id)).toBe('DONE');
  });
});
