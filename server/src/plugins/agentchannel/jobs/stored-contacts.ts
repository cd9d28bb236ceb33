/**
 * Stores the last contacts of agents. One document has all of them; it is written now and then and when the server
 * stops. Each agent also has a document, written with other writes about its work and when it becomes unreachable. The later
 * of the two counts. Contacts are only for display, so they may be behind; the next contact shows whether an agent is alive.
 */
import type { AgentId, Timestamp } from '@tutti/manifests';
import { epochMs } from '@tutti/workflow';
import { type DocumentWrite, removalFrom, type Store } from '../../../store/store.ts';
import type { Agent } from './agent.ts';
import type { AgentChannelContext } from './context.ts';
import { LIMITS } from './limits.ts';

export const CONTACTS = 'agent-contacts';
const ALL = 'all';

/** Epoch milliseconds by agent. */
export async function readContacts(
  store: Pick<Store, 'documents'>,
): Promise<ReadonlyMap<AgentId, number>> {
  const contacts = new Map<AgentId, number>();
  for (const { key, json } of await store.documents(CONTACTS)) {
    const stored: Readonly<Record<string, number>> =
      key === ALL ? JSON.parse(json) : { [key]: JSON.parse(json) };
    for (const [id, ms] of Object.entries(stored) as [AgentId, number][]) {
      contacts.set(id, Math.max(ms, contacts.get(id) ?? ms));
    }
  }
  return contacts;
}

/** Writes the last contact of an agent, together with other changes of its work. */
export function contactWrite({ id, heardAtMs, unreachableSince }: Agent): DocumentWrite {
  const sinceMs = unreachableSince === null ? heardAtMs : epochMs(unreachableSince);
  return {
    collection: CONTACTS,
    key: id,
    json: JSON.stringify(Math.max(heardAtMs, sinceMs)),
  };
}

/** Removes the contact of a de-registered agent. */
export const contactRemoval = removalFrom(CONTACTS);

export class StoredContacts {
  readonly #context: Pick<AgentChannelContext, 'agents' | 'clock' | 'store' | 'logger'>;
  #storedAtMs: number;
  /** Stored times since when agents are unreachable. */
  #losses: ReadonlyMap<AgentId, Timestamp> = new Map();

  constructor(context: Pick<AgentChannelContext, 'agents' | 'clock' | 'store' | 'logger'>) {
    this.#context = context;
    this.#storedAtMs = context.clock.monotonicMs();
  }

  /** After a restart: notes the unreachable agents, whose times the store has already. */
  begin(): void {
    this.#losses = this.#currentLosses();
  }

  /** Stores all contacts if the last time was long ago, otherwise those of agents that became unreachable. */
  async keep(): Promise<void> {
    const { agents, clock } = this.#context;
    const before = this.#losses;
    this.#losses = this.#currentLosses();
    if (clock.monotonicMs() - this.#storedAtMs >= LIMITS.contactsPauseMs) await this.store();
    const lost = [...this.#losses].filter(([id, since]) => before.get(id) !== since);
    const documents = lost.flatMap(([id]) => agents.get(id) ?? []).map(contactWrite);
    if (documents.length > 0) await this.#write(documents);
  }

  #currentLosses(): ReadonlyMap<AgentId, Timestamp> {
    const losses = new Map<AgentId, Timestamp>();
    for (const { id, unreachableSince } of this.#context.agents.values()) {
      if (unreachableSince !== null) losses.set(id, unreachableSince);
    }
    return losses;
  }

  /** Stores new contacts. It only logs a failure, as nothing depends on them. */
  async store(): Promise<void> {
    const { agents, clock } = this.#context;
    const contacts = [...agents.values()].map(({ id, heardAtMs }) => [id, heardAtMs] as const);
    const before = this.#storedAtMs;
    const isOld = [...agents.values()].every(({ lastContactMs }) => lastContactMs < before);
    this.#storedAtMs = clock.monotonicMs();
    // A contact in the same millisecond may have come after the last look.
    if (isOld) return;
    const json = JSON.stringify(Object.fromEntries(contacts));
    await this.#write([{ collection: CONTACTS, key: ALL, json }]);
  }

  async #write(documents: readonly DocumentWrite[]): Promise<void> {
    const { store, logger } = this.#context;
    try {
      await store.write({ documents });
    } catch (error) {
      logger.warn({ err: error }, 'Times of contacts with agents were not stored.');
    }
  }
}
