/** Finds whoever's selector takes an event, sorted by kind so that an event is only tested against those who may want it. */
import type { CompiledSubscriptionSelector } from '@tutti/selectors';

interface Selective {
  readonly selector: CompiledSubscriptionSelector;
}

export class MatchIndex<Item extends Selective> {
  readonly #byKind = new Map<string, Set<Item>>();
  readonly #ofAnyKind = new Set<Item>();

  add(item: Item): void {
    const { matchKind } = item.selector;
    if (matchKind === undefined) {
      this.#ofAnyKind.add(item);
      return;
    }
    const items = this.#byKind.get(matchKind) ?? new Set<Item>();
    this.#byKind.set(matchKind, items.add(item));
  }

  remove(item: Item): void {
    const { matchKind } = item.selector;
    if (matchKind === undefined) {
      this.#ofAnyKind.delete(item);
      return;
    }
    const items = this.#byKind.get(matchKind);
    items?.delete(item);
    if (items?.size === 0) this.#byKind.delete(matchKind);
  }

  /** Those that take events of this kind alone. */
  ofKind(kind: string): Iterable<Item> {
    return this.#byKind.get(kind) ?? [];
  }

  /** All whose selectors may take events of this kind. */
  candidates(kind: string): readonly Item[] {
    return [...this.ofKind(kind), ...this.#ofAnyKind];
  }

  matching(event: object): Item[] {
    const kind = 'kind' in event && typeof event.kind === 'string' ? event.kind : '';
    return this.candidates(kind).filter(({ selector }) => selector.matches(event));
  }
}
