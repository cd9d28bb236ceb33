/** Shows what operations changed in the outbox, once it is durable. */
import type { OutboxWatch, OutboxWrite } from '../store.ts';
import type { WriterAnswer, WriterOperation } from './operations.ts';

export class OutboxWatches {
  readonly #watches: OutboxWatch[] = [];

  add(watch: OutboxWatch): void {
    this.#watches.push(watch);
  }

  /** The writer answers operations in their order, and one batch after the other: so are the positions. */
  show(operation: WriterOperation, answer: WriterAnswer): void {
    if (this.#watches.length === 0 || !('outboxFrom' in answer)) return;
    const { outboxFrom = null, outboxRemoved = [] } = answer;
    if (outboxFrom !== null) this.#showAdded(outboxOf(operation), outboxFrom);
    for (const [subscriptionId, size] of outboxRemoved) {
      for (const watch of this.#watches) watch.removed(subscriptionId, size);
    }
  }

  #showAdded(writes: readonly OutboxWrite[], first: number): void {
    let position = first;
    for (const { subscriptionIds, publicationId, body } of writes) {
      const bytes = Buffer.byteLength(body);
      for (const subscriptionId of subscriptionIds) {
        const entry = { position, subscriptionId, publicationId, bytes, body };
        for (const watch of this.#watches) watch.added(entry);
        position += 1;
      }
    }
  }
}

function outboxOf(operation: WriterOperation): readonly OutboxWrite[] {
  if (operation.kind === 'append') return operation.append.outbox;
  return operation.kind === 'write' ? (operation.write.outbox ?? []) : [];
}
