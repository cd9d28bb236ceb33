/** `tutti tests quarantine`, `release` and `quarantined`: whose failures do not count. */
import { formatTimestamp } from '@tutti/manifests';
import { cleanLine } from '@tutti/run-view/text';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { readPages } from '../known-tests/read-pages.ts';
import { type TestPlace, testIdOf } from '../known-tests/test-ref.ts';
import type { Moment } from '../options/moments.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { NOTHING, textAt } from '../resources/value-path.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface QuarantineOptions extends ConnectionOptions, TestPlace {
  readonly reason: string;
  readonly until?: Moment | undefined;
  readonly variant?: string | undefined;
  readonly link?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Resolves with the exit code. */
export async function quarantineTest(
  text: string,
  options: QuarantineOptions,
  io: Io,
): Promise<number> {
  const { reason, variant, link, force } = options;
  const until = options.until === undefined ? undefined : formatTimestamp(options.until(io.now()));
  const client = await connect(options, io);
  const id = await testIdOf(client, text, options);
  const body = {
    contentType: 'application/json',
    text: JSON.stringify({ reason, until, variant, link, force }),
  };
  const answer = await client.ask({ method: 'POST', path: `/tests/${id}/quarantine`, body });
  const end = shownTime(textAt(answer, ['details', 'until']));
  io.screen.write(`${cleanLine(String(answer.message))} Its failures do not count until ${end}.\n`);
  return EXIT_CODES.done;
}

export interface ReleaseOptions extends ConnectionOptions, TestPlace {
  readonly reason?: string | undefined;
  readonly variant?: string | undefined;
}

/** Resolves with the exit code. */
export async function releaseTest(text: string, options: ReleaseOptions, io: Io): Promise<number> {
  const { reason, variant } = options;
  const client = await connect(options, io);
  const id = await testIdOf(client, text, options);
  const query = { reason, variant };
  const { message } = await client.ask({
    ...{ method: 'DELETE', path: `/tests/${id}/quarantine`, query },
  });
  io.screen.write(`${cleanLine(String(message))}\n`);
  return EXIT_CODES.done;
}

export interface QuarantinedOptions extends ConnectionOptions, TestPlace {
  readonly limit: number;
  readonly output: string;
}

/** Lists quarantines in force, the newest first. Resolves with the exit code. */
export async function listQuarantined(options: QuarantinedOptions, io: Io): Promise<number> {
  const output = readOutput(options.output);
  const client = await connect(options, io);
  const { project, namespace, limit } = options;
  const request = { path: '/quarantine', query: { project, namespace } };
  const { items, total } = await readPages(client, request, limit);
  await printItems(items, LISTING, output, io);
  if (items.length < total) {
    const more = `The newest ${items.length} of ${total}; for more: tutti tests quarantined --limit ${total}`;
    io.complain(asCalled(`${more}\n`, io.command));
  }
  return EXIT_CODES.done;
}

const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length;
const shownTime = (time: string): string => cleanLine(time).slice(0, SECONDS);

const LISTING: Listing = {
  columns: [
    { title: 'STATE', cell: 'state' },
    { title: 'SPARED', cell: ({ isSpared }) => (isSpared === true ? 'yes' : 'no') },
    { title: 'UNTIL', cell: (item) => shownTime(textAt(item, ['until'])) },
    { title: 'BY', cell: 'by' },
    { title: 'NAME', cell: 'name' },
    { title: 'REASON', cell: 'reason' },
    {
      title: 'LINK',
      cell: ({ link }) => (typeof link === 'string' ? link : NOTHING),
      isWide: true,
    },
    { title: 'PROJECT', cell: 'project', isWide: true },
    { title: 'NAMESPACE', cell: 'namespace', isWide: true },
    { title: 'VARIANT_ID', cell: 'variant_id', isWide: true },
    { title: 'TEST_ID', cell: 'test_id', isWide: true },
  ],
  idPath: 'test_id',
  emptyText: 'No test is in quarantine.',
};
