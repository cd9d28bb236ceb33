/**
 * Any workflow is reported on or accepted; an accepted one can be planned and begins as a run. TUTTI_FUZZ_RUNS searches longer than the
 * suite does, TUTTI_FUZZ_SEED where a failure was found.
 */
import {
  formatTimestamp,
  type WorkflowEvent,
  type WorkflowId,
  type WorkflowManifest,
} from '@tutti/manifests';
import * as ajv from 'ajv/dist/2019.js';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import * as yaml from 'yaml';
import { SlowestInput } from '../../../../tests/support/slowest-input.ts';
import { planWorkflow } from '../plan/workflow-plan.ts';
import { decide } from '../run/decide.ts';
import { emptyRun } from '../run/run.ts';
import { randomWorkflow } from './testing/random-workflow.ts';
import { repaired } from './testing/repaired.ts';
import { createWorkflowCheck } from './workflow-problems.ts';
import { createWorkflowReporter } from './workflow-report.ts';

const numRuns = Number(process.env.TUTTI_FUZZ_RUNS ?? 50);
const seed = Number(process.env.TUTTI_FUZZ_SEED ?? Date.now());
const slowest = new SlowestInput(seed);
afterAll(() => slowest.report());
const options = { timeout: 30_000 + 200 * numRuns };

const check = createWorkflowCheck(() => ajv);
const report = createWorkflowReporter({ yaml, schemas: ajv });

/** Every problem lies in the text. */
function checkReport(text: string): void {
  const { manifest, diagnostics, moreCount } = slowest.measure(text, () => report(text));
  expect(manifest === null).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  expect(moreCount > 0 && diagnostics.length < 50).toBe(false);
  const lines = text.split('\n');
  for (const { span, message, topic } of diagnostics) {
    expect(message).not.toBe('');
    expect(topic).not.toBe('');
    if (span === null) continue;
    expect(span.line).toBeGreaterThanOrEqual(1);
    expect(span.endLine).toBeLessThanOrEqual(lines.length);
    expect(span.endLine).toBeGreaterThanOrEqual(span.line);
    expect(span.column).toBeLessThanOrEqual((lines[span.line - 1]?.length ?? 0) + 1);
    expect(span.endColumn).toBeLessThanOrEqual((lines[span.endLine - 1]?.length ?? 0) + 1);
  }
}

test('any text is reported on', options, () => {
  const pieces = fc.constantFrom(
    ...['metadata', 'jobs', 'steps', 'run', 'a', ':', ': ', '- ', '\n', '\n  ', '\n    ', '{', '}'],
    ...['[', ']', '"', "'", '|', '>', '&x', '*x', '<<', '!t ', '#', '%', '\t', '\r\n', '${{', '}}'],
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
  );
  fc.assert(fc.property(texts, checkReport), { numRuns: 3 * numRuns, seed });
});

test('any workflow is reported on, in YAML and in JSON, whole and cut off', options, () => {
  fc.assert(
    fc.property(randomWorkflow, fc.nat(), (value, cut) => {
      const text = yaml.stringify(value, { aliasDuplicateObjects: false });
      checkReport(text);
      checkReport(text.slice(0, cut % text.length));
      checkReport(JSON.stringify(value));
    }),
    { numRuns, seed },
  );
});

test('any workflow that is accepted can be planned, and begins as a run', options, () => {
  let accepted = 0;
  fc.assert(
    fc.property(randomWorkflow, (value) => {
      const manifest = repaired(value, check);
      if (manifest === null) return;
      accepted += 1;
      slowest.measure(JSON.stringify(manifest), () => {
        expect(planWorkflow(manifest).name).toBe(manifest.metadata.name);
        expect(begin(manifest).outcome).toBe('accepted');
      });
    }),
    { numRuns, seed },
  );
  expect(accepted).toBeGreaterThan(numRuns / 4);
});

function begin(manifest: WorkflowManifest) {
  let ids = 0;
  const at = formatTimestamp(0);
  const event: WorkflowEvent = {
    ...manifest,
    apiVersion: 'opentestfactory.org/v1beta1',
    kind: 'Workflow',
    metadata: {
      name: manifest.metadata.name,
      namespace: 'default',
      workflow_id: 'w' as WorkflowId,
      creationTimestamp: at,
    },
  };
  const context = {
    at,
    newId: () => {
      ids += 1;
      return String(ids);
    },
  };
  return decide(emptyRun, { type: 'event', event }, context);
}
