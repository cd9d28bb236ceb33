/** Counts the channels that carry a tag, per namespace. So a reason can tell a missing tag from a missing combination of tags. */
import type { ChannelState } from './channel-state.ts';

export class TagCensus {
  readonly #counts = new Map<string, Map<string, number>>();

  add(channel: ChannelState): void {
    this.#change(channel, 1);
  }

  remove(channel: ChannelState): void {
    this.#change(channel, -1);
  }

  isKnown(tag: string, namespace: string): boolean {
    const counts = this.#counts.get(tag);
    return counts?.has('*') === true || counts?.has(namespace) === true;
  }

  #change(channel: ChannelState, by: number): void {
    for (const tag of channel.tags) {
      const counts = this.#counts.get(tag) ?? new Map<string, number>();
      for (const namespace of channel.namespaces) {
        const count = (counts.get(namespace) ?? 0) + by;
        if (count === 0) counts.delete(namespace);
        else counts.set(namespace, count);
      }
      if (counts.size === 0) this.#counts.delete(tag);
      else this.#counts.set(tag, counts);
    }
  }
}
