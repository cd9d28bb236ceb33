/** Text that operations carry, in UTF-16 code units: queues and batches are bounded by it. */

import type { NewCause } from '../causes.ts';
import type { Append, Write } from '../store.ts';
import type { FoldedVariant } from '../test-history.ts';

export function appendSize({ events, projection, ...records }: Append): number {
  return (
    total(events, (event) => event.json.length) +
    projection.logText.length +
    total(
      projection.testCases,
      ({ json, key }) => json.length + key.suite.length + key.name.length,
    ) +
    total(projection.testErrors ?? [], (errors) => errors.json.length) +
    total(projection.jobs, (job) => job.json.length) +
    (projection.summary?.json.length ?? 0) +
    writeSize(records)
  );
}

export function writeSize({
  documents = [],
  outbox = [],
  summaries = [],
  testHistory = {},
}: Write): number {
  return (
    total(testHistory.part?.variants ?? [], sizeOfVariant) +
    total(testHistory.part?.journal ?? [], (entry) => entry.json.length) +
    total(testHistory.part?.causes?.items ?? [], ({ made }) => sizeOfCause(made)) +
    total(testHistory.journal ?? [], (entry) => entry.json.length) +
    total(documents, (document) => document.json?.length ?? 0) +
    total(outbox, (entry) => entry.body.length) +
    total(summaries, (summary) => summary.json.length)
  );
}

/** Texts and bytes; executions are numbers. */
const sizeOfVariant = ({ test, ledger }: FoldedVariant): number =>
  test.suite.length + test.name.length + (ledger?.bytes.length ?? 0);

const sizeOfCause = (made: NewCause | null): number =>
  made === null ? 0 : made.title.length + made.sample.length + made.first.length;

function total<Item>(items: readonly Item[], size: (item: Item) => number): number {
  let sum = 0;
  for (const item of items) sum += size(item);
  return sum;
}
