/**
 * A process to be killed. It appends to several runs at once, without end, and prints each confirmation. Arguments: the URL of a module
 * that exports `storeTarget`, the place, the number of the round.
 */
import { writeSync } from 'node:fs';
import { append, outboxEntry, workflowId } from './samples.ts';
import type { StoreTarget } from './store-target.ts';

const RUNS = 8;
const STDOUT = 1;

const [moduleUrl = '', place = '', round = '0'] = process.argv.slice(2);
const { storeTarget }: { readonly storeTarget: StoreTarget } = await import(moduleUrl);
const store = await storeTarget.open(place);

async function growWithoutEnd(id: ReturnType<typeof workflowId>): Promise<void> {
  for (let seq = 0; ; seq += 1) {
    await store.append(
      append(id, seq, {
        projection: { logText: 'line\n' },
        documents: [{ collection: 'lengths', key: id, json: String(seq + 1) }],
        outbox: [outboxEntry(1, seq)],
      }),
    );
    writeSync(STDOUT, `${id} ${seq + 1}\n`);
  }
}

const first = Number(round) * RUNS;
await Promise.all(
  Array.from({ length: RUNS }, (_, index) => growWithoutEnd(workflowId(first + index))),
);
