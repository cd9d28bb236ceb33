/**
 * Counts the bytes that wait for each inbox, and for all inboxes that reach a namespace. It counts as the outbox changes, so nothing is
 * read for it. A body counts once for each inbox it waits for, plus the space of its entry on the disk.
 */
import type { SubscriptionId } from '@tutti/manifests';
import { Counts } from '../runtime/counts.ts';
import type { OutboxSize } from '../store/store.ts';
import type { BusLimits } from './limits.ts';
import type { SubscriptionRecord } from './subscription-record.ts';

type Owner = Pick<SubscriptionRecord, 'id' | 'scope'>;

/** Space of an entry on the disk without its body, with its indexes: measured with many small entries. */
const ENTRY_BYTES = 192;

/** Which bound a publication would exceed. */
export type Full = 'inbox full' | 'namespace full';

interface Backlog {
  readonly namespaces: readonly string[];
  bytes: number;
}

export class Backlogs {
  readonly #limits: Pick<BusLimits, 'undeliveredBytes' | 'undeliveredNamespaceBytes'>;
  readonly #inboxes = new Map<SubscriptionId, Backlog>();
  readonly #namespaces = new Counts();

  constructor(limits: Pick<BusLimits, 'undeliveredBytes' | 'undeliveredNamespaceBytes'>) {
    this.#limits = limits;
  }

  bytesOf(id: SubscriptionId): number {
    return this.#inboxes.get(id)?.bytes ?? 0;
  }

  /** Null while there is room. An inbox for which nothing waits takes a publication of any size. */
  fullFor(owner: Owner, bytes: number): Full | null {
    const waiting = this.bytesOf(owner.id);
    if (waiting === 0) return null;
    const more = sumOf({ entries: 1, bytes });
    if (waiting + more > this.#limits.undeliveredBytes) return 'inbox full';
    const isFull = namespacesOf(owner).some(
      (name) => this.#namespaces.of(name) + more > this.#limits.undeliveredNamespaceBytes,
    );
    return isFull ? 'namespace full' : null;
  }

  added(owner: Owner, size: OutboxSize): void {
    const backlog = this.#inboxes.get(owner.id) ?? { namespaces: namespacesOf(owner), bytes: 0 };
    this.#inboxes.set(owner.id, backlog);
    this.#change(backlog, sumOf(size));
  }

  removed(id: SubscriptionId, size: OutboxSize): void {
    const backlog = this.#inboxes.get(id);
    if (backlog === undefined) return;
    this.#change(backlog, -sumOf(size));
    if (backlog.bytes === 0) this.#inboxes.delete(id);
  }

  #change(backlog: Backlog, bytes: number): void {
    backlog.bytes += bytes;
    for (const name of backlog.namespaces) this.#namespaces.add(name, bytes);
  }
}

const sumOf = ({ entries, bytes }: OutboxSize): number => entries * ENTRY_BYTES + bytes;

/** Inboxes that reach all namespaces share a bound of their own. */
const namespacesOf = ({ scope }: Owner): readonly string[] => (scope === '*' ? ['*'] : [...scope]);
