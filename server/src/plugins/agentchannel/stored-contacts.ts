/**
 * When agents were last heard of, as it outlives the server: one document for all of them, written now and then and when the server
 * stops. It is only shown, so it may be behind; whether an agent is there, its next contact tells.
 */
import type { AgentId } from '@tutti/manifests';
import type { Store } from '../../store/store.ts';
import type { AgentChannelContext } from './context.ts';
import { LIMITS } from './limits.ts';

const CONTACTS = 'agent-contacts';
const ALL = 'all';

/** Epoch milliseconds by agent. */
export async function readContacts(
  store: Pick<Store, 'documents'>,
): Promise<ReadonlyMap<AgentId, number>> {
  const stored = (await store.documents(CONTACTS)).find(({ key }) => key === ALL);
  if (stored === undefined) return new Map();
  const contacts: Readonly<Record<AgentId, number>> = JSON.parse(stored.json);
  return new Map(Object.entries(contacts) as [AgentId, number][]);
}

export class StoredContacts {
  readonly #context: Pick<AgentChannelContext, 'agents' | 'clock' | 'store' | 'logger'>;
  #storedAtMs: number;

  constructor(context: Pick<AgentChannelContext, 'agents' | 'clock' | 'store' | 'logger'>) {
    this.#context = context;
    this.#storedAtMs = context.clock.now();
  }

  /** Stores the contacts if that was long ago. */
  async keep(): Promise<void> {
    if (this.#context.clock.now() - this.#storedAtMs >= LIMITS.contactsPauseMs) await this.store();
  }

  /** Stores the contacts if there are new ones; a failure is logged, as nothing depends on them. */
  async store(): Promise<void> {
    const { agents, clock, store, logger } = this.#context;
    const contacts = [...agents.values()].map(({ id, heardAtMs }) => [id, heardAtMs] as const);
    const before = this.#storedAtMs;
    this.#storedAtMs = clock.now();
    // One in the same millisecond may have come after the last look.
    if (contacts.every(([, heardAtMs]) => heardAtMs < before)) return;
    const json = JSON.stringify(Object.fromEntries(contacts));
    try {
      await store.write({ documents: [{ collection: CONTACTS, key: ALL, json }] });
    } catch (error) {
      logger.warn({ err: error }, 'Times of contacts with agents were not stored.');
    }
  }
}
