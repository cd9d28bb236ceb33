/** `tutti validate` and a server must agree on every workflow. TUTTI_FUZZ_RUNS searches longer than the suite does. */
import * as ajv from 'ajv/dist/2019.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as yaml from 'yaml';
import { randomWorkflow } from '../../packages/workflow/src/validation/testing/random-workflow.ts';
import { repaired } from '../../packages/workflow/src/validation/testing/repaired.ts';
import { createWorkflowCheck } from '../../packages/workflow/src/validation/workflow-problems.ts';
import { createWorkflowReporter } from '../../packages/workflow/src/validation/workflow-report.ts';
import { bodyOf } from '../support/api.ts';
import { processorMs } from '../support/process-facts.ts';
import { SlowestInput } from '../support/slowest-input.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const numRuns = Number(process.env.TUTTI_FUZZ_RUNS ?? 60);
const seed = Number(process.env.TUTTI_FUZZ_SEED ?? Date.now());
const check = createWorkflowCheck(() => ajv);
const report = createWorkflowReporter({ yaml, schemas: ajv });

const slowest = new SlowestInput(seed);
let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(async () => {
  slowest.report();
  await bench.close();
});

async function codeOf(text: string): Promise<unknown> {
  const headers = { 'content-type': 'application/x-yaml' };
  const answer = await slowest.measureOther(
    text,
    () => processorMs(server.child.pid),
    () => server.call('POST', '/workflows', { body: text, headers, query: 'dryRun' }),
  );
  return bodyOf(answer).code;
}

/** True for workflows that need more than themselves: files in the request, and inputs. */
const asksForMore = (manifest: object) => /"files":|"required":true/.test(JSON.stringify(manifest));

test('a workflow is accepted by a server if and only if it has no problems', {
  timeout: 60_000 + 100 * numRuns,
}, async () => {
  const workflows = fc.oneof(
    randomWorkflow,
    randomWorkflow.map((value) => repaired(value, check) ?? value),
  );
  await fc.assert(
    fc.asyncProperty(workflows, async (value) => {
      const text = yaml.stringify(value, { aliasDuplicateObjects: false });
      const { manifest } = report(text);
      if (manifest !== null && asksForMore(manifest)) return;
      expect(await codeOf(text), text).toBe(manifest === null ? 422 : 201);
    }),
    { numRuns, seed },
  );
});
