/** Environments that a waiting job could have in another namespace, for users who may see them. */
import type { Client, JsonRecord } from '@tutti/client';
import { isRunEvent, type LoggedEvent } from '@tutti/manifests';
import { cleanLine } from '@tutti/run-view/text';
import { factOf } from '@tutti/workflow/facts';
import { textAt, valuesAt } from '../resources/value-path.ts';

interface Wanted {
  /** The sentence of the server about the job that waits. */
  readonly sentence: string;
  readonly tags: readonly string[];
  readonly namespace: string;
}

/** A sentence about an environment of another namespace that has the tags. Null if there is none among those that the token may see. */
function environmentElsewhere(
  channels: readonly JsonRecord[],
  { tags, namespace }: Wanted,
): string | null {
  const found = channels.find(
    (channel) => tags.every((tag) => tagsOf(channel).includes(tag)) && !isIn(channel, namespace),
  );
  const [elsewhere] = found === undefined ? [] : namespacesOf(found);
  if (found === undefined || elsewhere === undefined) return null;
  const name = cleanLine(textAt(found, ['metadata', 'name']));
  const [there, here] = [elsewhere, namespace].map(cleanLine);
  return `Environment "${name}" has ${tags.length === 1 ? 'this tag' : 'these tags'}, in namespace "${there}": run the workflow there with --namespace ${there}, or start that agent with --namespaces ${here}, too.`;
}

const tagsOf = (channel: JsonRecord): readonly unknown[] =>
  valuesAt(channel, ['spec', 'tags', '*']);

const namespacesOf = (channel: JsonRecord): readonly string[] =>
  textAt(channel, ['metadata', 'namespaces'])
    .split(',')
    .map((name) => name.trim());

function isIn(channel: JsonRecord, namespace: string): boolean {
  const names = namespacesOf(channel);
  return names.includes('*') || names.includes(namespace);
}

/** Calls `say` once for each wish that no environment of the namespace fulfils, and another one does. */
export function createFoldedWriter(
  client: Client,
  say: (text: string) => void,
  signal: AbortSignal,
): (event: LoggedEvent) => void {
  const asked = new Set<string>();
  return (event) => {
    const wanted = missedBy(event);
    const wish = JSON.stringify([wanted?.tags, wanted?.namespace]);
    if (wanted === null || asked.has(wish)) return;
    asked.add(wish);
    void channelsOf(client, signal).then((channels) => {
      const text = environmentElsewhere(channels, wanted);
      if (text !== null && !signal.aborted) say(text);
    });
  };
}

const channelsOf = (client: Client, signal?: AbortSignal): Promise<readonly JsonRecord[]> =>
  client.list('channels', { signal }).catch(() => []);

/** Wishes that no environment of their namespace fulfils, by the sentence of the server. */
export class MissedEnvironments {
  readonly #wanted = new Map<string, Wanted>();

  note(event: LoggedEvent): void {
    const wanted = missedBy(event);
    if (wanted !== null) this.#wanted.set(wanted.sentence, wanted);
  }

  /** Sentences about environments elsewhere, by the sentences of the server that waiting jobs have. */
  async elsewhere(
    client: Client,
    sentences: readonly (string | null)[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const wishes = [...this.#wanted].filter(([sentence]) => sentences.includes(sentence));
    const channels = wishes.length === 0 ? [] : await channelsOf(client, signal);
    const found = wishes.map(
      ([sentence, wanted]) => [sentence, environmentElsewhere(channels, wanted)] as const,
    );
    return new Map(found.flatMap(([sentence, text]) => (text === null ? [] : [[sentence, text]])));
  }
}

function missedBy(event: LoggedEvent): Wanted | null {
  if (!isRunEvent(event) || event.kind !== 'Notification') return null;
  // Most notifications are output of a step, and need no further look.
  if (event.metadata.step_id !== undefined) return null;
  const fact = factOf(event);
  if (fact.type !== 'Held' || fact.reason.reason !== 'no-environment') return null;
  const { tags, namespace } = fact.reason;
  return { tags, namespace, sentence: event.spec.logs?.[0] ?? '' };
}
