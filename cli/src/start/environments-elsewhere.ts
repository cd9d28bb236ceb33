/** Environments that a waiting job could have in another namespace, for users who may see them. */
import type { Client, JsonRecord } from '@tutti/client';
import { isRunEvent, type LoggedEvent } from '@tutti/manifests';
import { factOf } from '@tutti/workflow/facts';
import { textAt, valuesAt } from '../resources/value-path.ts';
import { cleanLine } from '../terminal/style.ts';

interface Wanted {
  readonly tags: readonly string[];
  readonly namespace: string;
}

/** A sentence about environments of other namespaces that have the tags. Null if the token may see none. */
export async function environmentElsewhere(
  client: Client,
  { tags, namespace }: Wanted,
  signal?: AbortSignal,
): Promise<string | null> {
  const channels = await client.list('channels', { signal }).catch(() => []);
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
    if (wanted === null || asked.has(JSON.stringify(wanted))) return;
    asked.add(JSON.stringify(wanted));
    void environmentElsewhere(client, wanted, signal).then((text) => {
      if (text !== null && !signal.aborted) say(text);
    });
  };
}

function missedBy(event: LoggedEvent): Wanted | null {
  if (!isRunEvent(event) || event.kind !== 'Notification') return null;
  // Most notifications are output of a step, and need no further look.
  if (event.metadata.step_id !== undefined) return null;
  const fact = factOf(event);
  if (fact.type !== 'Held' || fact.reason.reason !== 'no-environment') return null;
  const { tags, namespace } = fact.reason;
  return { tags, namespace };
}
