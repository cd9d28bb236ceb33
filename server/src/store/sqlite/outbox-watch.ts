/** Shows what operations added to the outbox, once it is durable. */
import type { OutboxEntry, OutboxWrite } from '../store.ts';
import type { WriterAnswer, WriterOperation } from './writer-protocol.ts';

type Watch = (entry: OutboxEntry) => void;

export class OutboxWatch {
  readonly #watches: Watch[] = [];

  add(watch: Watch): void {
    this.#watches.push(watch);
  }

  /** The writer answers operations in their order, and one batch after the other: so are the positions. */
  show(operation: WriterOperation, answer: WriterAnswer): void {
    if (this.#watches.length === 0 || !('outboxFrom' in answer)) return;
    const first = answer.outboxFrom ?? null;
    if (first === null) return;
    for (const [index, write] of outboxOf(operation).entries()) {
      const entry = { ...write, position: first + index };
      for (const watch of this.#watches) watch(entry);
    }
  }
}

function outboxOf(operation: WriterOperation): readonly OutboxWrite[] {
  if (operation.kind === 'append') return operation.append.outbox;
  return operation.kind === 'write' ? (operation.write.outbox ?? []) : [];
}
