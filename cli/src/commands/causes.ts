/** `tutti causes`: what made test cases fail, in all runs or in one. Failures that look alike are one row. */
import type { JsonRecord } from '@tutti/client';
import { formatTimestamp } from '@tutti/manifests';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { readPages } from '../known-tests/read-pages.ts';
import type { Moment } from '../options/moments.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { NOTHING, textAt } from '../resources/value-path.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface CausesOptions extends ConnectionOptions {
  readonly search?: string | undefined;
  readonly project?: string | undefined;
  readonly namespace?: string | undefined;
  readonly since?: Moment | undefined;
  readonly limit: number;
  readonly output: string;
}

/** Lists the causes of a run, else those of all runs. Resolves with the exit code. */
export async function listCauses(
  run: string | undefined,
  options: CausesOptions,
  io: Io,
): Promise<number> {
  return run === undefined ? await ofAllRuns(options, io) : await ofRun(run, options, io);
}

async function ofAllRuns(options: CausesOptions, io: Io): Promise<number> {
  const output = readOutput(options.output);
  const client = await connect(options, io);
  const { search, project, namespace, limit } = options;
  const since = options.since === undefined ? undefined : formatTimestamp(options.since(io.now()));
  const query = { search, project, namespace, since };
  const { items, total } = await readPages(client, { path: '/causes', query }, limit);
  const isChosen = Object.values(query).some((each) => each !== undefined);
  await printItems(items, listingOf(isChosen, io), output, io);
  if (items.length < total) {
    const more = `The first ${items.length} of ${total} causes; for more: tutti causes --limit ${total}`;
    io.complain(asCalled(`${more}\n`, io.command));
  }
  return EXIT_CODES.done;
}

const listingOf = (isChosen: boolean, { command }: Io): Listing => ({
  columns: [
    { title: 'FAILURES', cell: 'status.failures' },
    { title: 'NEW_SINCE', cell: (cause) => secondsAt(cause, ['status', 'since', 'at']) },
    { title: 'LAST_SEEN', cell: (cause) => secondsAt(cause, ['metadata', 'lastSeen']) },
    { title: 'CAUSE', cell: 'metadata.name' },
    { title: 'CAUSE_ID', cell: 'metadata.id' },
    { title: 'PROJECT', cell: 'metadata.project', isWide: true },
    { title: 'NAMESPACE', cell: 'metadata.namespace', isWide: true },
    { title: 'SINCE_WORKFLOW', cell: 'status.since.workflow_id', isWide: true },
    { title: 'LAST_WORKFLOW', cell: 'status.last.workflow_id', isWide: true },
  ],
  idPath: 'metadata.id',
  emptyText: isChosen
    ? asCalled('No cause fits. See all of them with: tutti causes', command)
    : 'There are no causes yet. They come a moment after the end of a run with failed test cases.',
});

const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length;

const secondsAt = (item: JsonRecord, path: readonly string[]): string =>
  textAt(item, path).slice(0, SECONDS);

async function ofRun(run: string, options: CausesOptions, io: Io): Promise<number> {
  const { search, project, namespace, since } = options;
  if ([search, project, namespace, since].some((each) => each !== undefined)) {
    throw new UsageError(
      'The causes of one workflow are not searched.',
      'leave out the workflow, or --search, --project, --namespace and --since.',
    );
  }
  const output = readOutput(options.output);
  const client = await connect(options, io);
  const id = await workflowRef(client, run, { what: 'to show causes of' }, io);
  const { items, ungrouped } = await client.causes(id);
  await printItems(items, LISTING, output, io);
  if (ungrouped > 0) io.complain(`tutti: ${ungrouped} more failures are like none of these.\n`);
  return EXIT_CODES.done;
}

const LISTING: Listing = {
  columns: [
    { title: 'FAILURES', cell: 'failures' },
    { title: 'NEW_SINCE', cell: sinceOf },
    { title: 'TEST', cell: testsOf },
    { title: 'CAUSE', cell: 'title' },
    { title: 'CAUSE_ID', cell: 'known.cause_id', isWide: true },
    { title: 'ID', cell: 'id', isWide: true },
  ],
  idPath: 'id',
  emptyText: 'No test case failed.',
};

/** Nothing is known before the end of the run. */
function sinceOf(cause: JsonRecord): string {
  const since = secondsAt(cause, ['known', 'since', 'at']);
  if (since === NOTHING) return since;
  return textAt(cause, ['known', 'isNew']) === 'true' ? 'this run' : since;
}

/** The first one by name. */
function testsOf(cause: JsonRecord): string {
  const [suite, name] = ['suite', 'name'].map((part) => textAt(cause, ['tests', '0', part]));
  const others = Number(textAt(cause, ['failures'])) - 1;
  return `${suite}#${name}${others > 0 ? `, and ${others} more` : ''}`;
}
