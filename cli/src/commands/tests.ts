/** `tutti tests`: tests over all runs, with their states. */
import type { JsonRecord } from '@tutti/client';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { readPages } from '../known-tests/read-pages.ts';
import { millisecondsOf, percentOf } from '../known-tests/shown-numbers.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { NOTHING, valuePath, valuesAt } from '../resources/value-path.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { Paint, Style } from '../terminal/style.ts';

export interface TestsOptions extends ConnectionOptions {
  readonly state?: readonly string[] | undefined;
  readonly search?: string | undefined;
  readonly project?: string | undefined;
  readonly namespace?: string | undefined;
  readonly sort: string;
  readonly limit: number;
  readonly output: string;
}

/** Lists tests. Resolves with the exit code. */
export async function listTests(options: TestsOptions, io: Io): Promise<number> {
  const output = readOutput(options.output);
  const client = await connect(options, io);
  const { state, search, project, namespace, sort, limit } = options;
  const query = { state: state?.join(','), search, project, namespace, sort };
  const { items, total, warnings } = await readPages(client, { path: '/tests', query }, limit);
  const isChosen = [state, search, project, namespace].some((each) => each !== undefined);
  await printItems(items, listingOf(isChosen, io), output, io);
  for (const warning of warnings) io.complain(`tutti: ${warning}\n`);
  if (items.length < total) {
    const more = `The first ${items.length} of ${total} tests; for more: tutti tests --limit ${total}`;
    io.complain(asCalled(`${more}\n`, io.command));
  }
  return EXIT_CODES.done;
}

const listingOf = (isChosen: boolean, { command }: Io): Listing => ({
  columns: [
    { title: 'STATE', cell: 'status.state' },
    { title: 'FLAKE_RATE', cell: (test) => percentOf(at(test, 'status.flakeRate')) },
    { title: 'FAILURES', cell: failuresOf },
    { title: 'RUNS_LOST', cell: 'status.impact.runs' },
    { title: 'DURATION', cell: (test) => millisecondsOf(at(test, 'status.duration.p50')) },
    { title: 'NAME', cell: 'metadata.name' },
    { title: 'PROJECT', cell: 'metadata.project', isWide: true },
    { title: 'NAMESPACE', cell: 'metadata.namespace', isWide: true },
    { title: 'TECHNOLOGY', cell: 'spec.technology', isWide: true },
    {
      title: 'LAST_FAILED',
      cell: (test) => secondsOf(at(test, 'status.lastFailed')),
      isWide: true,
    },
    { title: 'LAST_SEEN', cell: (test) => secondsOf(at(test, 'metadata.lastSeen')), isWide: true },
    { title: 'TEST_ID', cell: 'metadata.id', isWide: true },
  ],
  idPath: 'metadata.id',
  painted: paintedRow,
  emptyText: isChosen
    ? asCalled('No test fits. See all of them with: tutti tests', command)
    : 'There are no tests yet. They come a moment after the end of a run with test results.',
});

const at = (item: JsonRecord, path: string): unknown => valuesAt(item, valuePath(path) ?? [])[0];

function failuresOf(test: JsonRecord): string {
  const [count, of] = [at(test, 'status.failures.count'), at(test, 'status.failures.of')];
  return count === undefined ? NOTHING : `${count} of ${of}`;
}

const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length;

const secondsOf = (time: unknown): string =>
  typeof time === 'string' ? time.slice(0, SECONDS) : NOTHING;

const STYLES: ReadonlyMap<string, Style> = new Map([
  ['broken', 'red'],
  ['flaky', 'yellow'],
  ['unsure', 'dim'],
  ['new', 'cyan'],
  ['stable', 'green'],
]);

/** The state is the first word of a row. */
const paintedRow = (row: string, paint: Paint): string =>
  row.replace(/^[a-z]+/, (state) => paint(STYLES.get(state) ?? 'dim', state));
