/** `tutti causes`: the failed test cases of a run, those that look alike in one row. */
import type { JsonRecord } from '@tutti/client';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { textAt } from '../resources/value-path.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface CausesOptions extends ConnectionOptions {
  readonly output: string;
}

const LISTING: Listing = {
  columns: [
    { title: 'FAILURES', cell: 'failures' },
    { title: 'TEST', cell: testsOf },
    { title: 'CAUSE', cell: 'title' },
    { title: 'ID', cell: 'id', isWide: true },
  ],
  idPath: 'id',
  emptyText: 'No test case failed.',
};

/** Lists the causes of a run, by default of the newest one. Resolves with the exit code. */
export async function listCauses(
  text: string | undefined,
  options: CausesOptions,
  io: Io,
): Promise<number> {
  const output = readOutput(options.output);
  const client = await connect(options, io);
  const id = await workflowRef(client, text, { what: 'to show causes of' }, io);
  const { items, ungrouped } = await client.causes(id);
  await printItems(items, LISTING, output, io);
  if (ungrouped > 0) io.complain(`tutti: ${ungrouped} more failures are like none of these.\n`);
  return EXIT_CODES.done;
}

/** The first one by name. */
function testsOf(cause: JsonRecord): string {
  const [suite, name] = ['suite', 'name'].map((part) => textAt(cause, ['tests', '0', part]));
  const others = Number(textAt(cause, ['failures'])) - 1;
  return `${suite}#${name}${others > 0 ? `, and ${others} more` : ''}`;
}
