/**
 * Finds the subscriptions whose selector takes an event. Sorted by kind, then by a value that the selector asks for. So few are tested
 * against each event.
 */
import { type CompiledSubscriptionSelector, textAt } from '@tutti/selectors';

interface Selective {
  readonly selector: CompiledSubscriptionSelector;
}

export class MatchIndex<Item extends Selective> {
  readonly #byKind = new Map<string, ByValue<Item>>();
  readonly #ofAnyKind = new ByValue<Item>();

  add(item: Item): void {
    const { matchKind } = item.selector;
    if (matchKind === undefined) {
      this.#ofAnyKind.add(item);
      return;
    }
    const items = this.#byKind.get(matchKind) ?? new ByValue<Item>();
    items.add(item);
    this.#byKind.set(matchKind, items);
  }

  remove(item: Item): void {
    const { matchKind } = item.selector;
    if (matchKind === undefined) {
      this.#ofAnyKind.remove(item);
      return;
    }
    const items = this.#byKind.get(matchKind);
    items?.remove(item);
    if (items?.isEmpty) this.#byKind.delete(matchKind);
  }

  /** Subscriptions to events of this kind alone. */
  ofKind(kind: string): Iterable<Item> {
    return this.#byKind.get(kind)?.all() ?? [];
  }

  /** All whose selectors may take this event, in whichever version. */
  candidates(event: object): readonly Item[] {
    const found: Item[] = [];
    const kind = 'kind' in event && typeof event.kind === 'string' ? event.kind : '';
    this.#byKind.get(kind)?.find(event, found);
    this.#ofAnyKind.find(event, found);
    return found;
  }

  matching(event: object): Item[] {
    return this.candidates(event).filter(({ selector }) => selector.matches(event));
  }
}

interface PathItems<Item> {
  readonly path: readonly string[];
  readonly byValue: Map<string, Set<Item>>;
}

/** Subscriptions that require a value at some path, by path and value, and those that require none. */
class ByValue<Item extends Selective> {
  readonly #all = new Set<Item>();
  readonly #others = new Set<Item>();
  readonly #paths = new Map<string, PathItems<Item>>();

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  all(): Iterable<Item> {
    return this.#all;
  }

  add(item: Item): void {
    this.#all.add(item);
    const { needs } = item.selector;
    if (needs === null) {
      this.#others.add(item);
      return;
    }
    const key = JSON.stringify(needs.path);
    const { path, byValue } = this.#paths.get(key) ?? { path: needs.path, byValue: new Map() };
    byValue.set(needs.value, (byValue.get(needs.value) ?? new Set()).add(item));
    this.#paths.set(key, { path, byValue });
  }

  remove(item: Item): void {
    this.#all.delete(item);
    this.#others.delete(item);
    const { needs } = item.selector;
    if (needs === null) return;
    const key = JSON.stringify(needs.path);
    const byValue = this.#paths.get(key)?.byValue;
    const items = byValue?.get(needs.value);
    items?.delete(item);
    if (items?.size === 0) byValue?.delete(needs.value);
    if (byValue?.size === 0) this.#paths.delete(key);
  }

  find(event: object, found: Item[]): void {
    for (const item of this.#others) found.push(item);
    for (const { path, byValue } of this.#paths.values()) {
      const value = textAt(event, path);
      const items = value === undefined ? undefined : byValue.get(value);
      for (const item of items ?? []) found.push(item);
    }
  }
}
