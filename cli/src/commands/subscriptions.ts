/** `tutti subscriptions`: the subscriptions of a server, and their events. */
import type { JsonRecord } from '@tutti/client';
import { countOf } from '@tutti/manifests';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type ChoiceOptions, type ChoiceSource, chosenIds } from '../resources/chosen-ids.ts';
import { forEachItem } from '../resources/each-item.ts';
import type { Listing } from '../resources/print-items.ts';
import { type ListOptions, showList } from '../resources/show-list.ts';
import { valuePath, valuesAt } from '../resources/value-path.ts';
import { confirm } from '../terminal/confirm.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface SubscriptionsOptions extends ConnectionOptions, ListOptions {}

export interface DeleteSubscriptionsOptions extends ConnectionOptions, ChoiceOptions {
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

/** The list also holds subscriptions of the server itself. They cannot be canceled. */
const isInbox = (subscription: JsonRecord): boolean =>
  !valueIn(subscription, 'spec.subscriber.endpoint').startsWith('internal:');

const SUBSCRIPTIONS: ChoiceSource = {
  noun: 'subscription',
  resource: 'subscriptions',
  listCommand: 'tutti subscriptions -o wide',
  idPath: 'metadata.subscription_id',
  isMeant: isInbox,
};

const LISTING: Listing = {
  columns: [
    { title: 'NAME', cell: 'metadata.name' },
    { title: 'ENDPOINT', cell: 'spec.subscriber.endpoint' },
    { title: 'CREATED', cell: 'metadata.creationTimestamp' },
    { title: 'COUNT', cell: 'status.publicationCount' },
    { title: 'SUBSCRIPTIONS', cell: conditionsOf },
    { title: 'ANSWERS', cell: answersOf, isWide: true },
    { title: 'SUBSCRIPTION_ID', cell: SUBSCRIPTIONS.idPath, isWide: true },
  ],
  idPath: SUBSCRIPTIONS.idPath,
  emptyText: 'No subscription fits.',
};

/** Lists subscriptions. Resolves with the exit code. */
export async function listSubscriptions(options: SubscriptionsOptions, io: Io): Promise<number> {
  const list = { resource: 'subscriptions', listing: LISTING } as const;
  return await showList(await connect(options, io), list, options, io);
}

/** Resolves with the exit code. */
export async function deleteSubscriptions(
  ids: readonly string[],
  options: DeleteSubscriptionsOptions,
  io: Io,
): Promise<number> {
  const client = await connect(options, io);
  const chosen = await chosenIds(ids, options, SUBSCRIPTIONS, client);
  if (chosen.length === 0) io.complain('No subscription fits, so none was canceled.\n');
  const isMeant = ids.length > 0 || chosen.length <= 1 || options.yes === true;
  if (!isMeant && !(await confirm(`Cancel ${countOf(chosen.length, 'subscription')}?`, io))) {
    io.complain('No subscription was canceled.\n');
    return EXIT_CODES.problem;
  }
  const remove = async (id: string) => {
    const { message } = await client.ask({ method: 'DELETE', path: `/subscriptions/${id}` });
    return String(message);
  };
  return await forEachItem(chosen, remove, io);
}

/** Conditions of the subscription. They stand in its annotations, empty ones too (client facts 3.12). */
function conditionsOf({ metadata }: JsonRecord): string {
  const [annotations] = valuesAt(metadata, ['annotations']);
  const entries = Object.entries(annotations ?? {});
  const selectors = entries.filter(([key]) => /\/(field|label)selector$/.test(key));
  const conditions = selectors.map(([, value]) => String(value)).filter((text) => text !== '');
  return conditions.join(',') || '<all>';
}

/** Number of answers of the inbox by status, as in `200: 12, 503: 1`. */
function answersOf({ status }: JsonRecord): string {
  const [summary] = valuesAt(status, ['publicationStatusSummary']);
  const answers = Object.entries(summary ?? {}).map(([answer, count]) => `${answer}: ${count}`);
  const [failures] = valuesAt(status, ['quarantine']);
  const quarantine = failures === undefined ? [] : [`in quarantine after ${failures} failures`];
  const [why] = valuesAt(status, ['suspended']);
  const suspended = why === undefined ? [] : [`suspended: ${why}`];
  return [...answers, ...quarantine, ...suspended].join(', ') || '<none>';
}

function valueIn(item: JsonRecord, path: string): string {
  const [value] = valuesAt(item, valuePath(path) ?? []);
  return value === undefined ? '' : String(value);
}
