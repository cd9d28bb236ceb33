/** The store as a channel sees it whose agents live no longer than its process. */
import type { Store } from '../../store/store.ts';
import { SESSIONS } from './jobs/job-session.ts';
import { CONTACTS } from './jobs/stored-contacts.ts';

export const AGENTS = 'agents';

/**
 * Agents of a server that is to start again later are not known here, and stay as they are stored; those of now are not stored. What is
 * removed is removed.
 */
export function withPassingAgents(store: Store): Store {
  const isPassing = (collection: string) => [AGENTS, CONTACTS, SESSIONS].includes(collection);
  return {
    ...store,
    documents: async (collection) => (isPassing(collection) ? [] : store.documents(collection)),
    write: async (write) => {
      const documents = (write.documents ?? []).filter(
        ({ collection, json }) => json === null || !isPassing(collection),
      );
      const isEmpty =
        documents.length === 0 && Object.keys(write).every((key) => key === 'documents');
      if (!isEmpty) await store.write({ ...write, documents });
    },
  };
}
