/** `tutti tests history`: the executions of a test. */
import { formatTimestamp } from '@tutti/manifests';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { readPages } from '../known-tests/read-pages.ts';
import { millisecondsOf } from '../known-tests/shown-numbers.ts';
import { type TestPlace, testIdOf } from '../known-tests/test-ref.ts';
import type { Moment } from '../options/moments.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { textAt } from '../resources/value-path.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface TestHistoryOptions extends ConnectionOptions, TestPlace {
  readonly variant?: string | undefined;
  readonly codeVersion?: string | undefined;
  readonly branch?: string | undefined;
  readonly outcome?: string | undefined;
  readonly since?: Moment | undefined;
  readonly limit: number;
  readonly output: string;
}

/** Lists executions, the newest first. Resolves with the exit code. */
export async function showTestHistory(
  text: string,
  options: TestHistoryOptions,
  io: Io,
): Promise<number> {
  const output = readOutput(options.output);
  const client = await connect(options, io);
  const id = await testIdOf(client, text, options);
  const { variant, codeVersion: version, branch, outcome, limit } = options;
  const since = options.since === undefined ? undefined : formatTimestamp(options.since(io.now()));
  const query = { variant, version, branch, outcome, since };
  const { items, total } = await readPages(
    client,
    { path: `/tests/${id}/executions`, query },
    limit,
  );
  await printItems(items, LISTING, output, io);
  if (items.length < total) {
    const more = `The newest ${items.length} of ${total} executions; for more: tutti tests history ${id} --limit ${total}`;
    io.complain(asCalled(`${more}\n`, io.command));
  }
  return EXIT_CODES.done;
}

const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length;

const LISTING: Listing = {
  columns: [
    { title: 'STARTED', cell: (execution) => textAt(execution, ['started']).slice(0, SECONDS) },
    { title: 'OUTCOME', cell: 'outcome' },
    { title: 'ATTEMPT', cell: 'attempt' },
    { title: 'DURATION', cell: ({ duration }) => millisecondsOf(duration) },
    { title: 'VERSION', cell: 'version' },
    { title: 'BRANCH', cell: 'branch' },
    { title: 'JOB', cell: 'job' },
    { title: 'WORKFLOW_ID', cell: 'workflow_id' },
    { title: 'AGENT', cell: 'agent', isWide: true },
    { title: 'VARIANT_ID', cell: 'variant_id', isWide: true },
  ],
  idPath: 'workflow_id',
  emptyText: 'No execution fits.',
};
