/** A view of the store for a channel whose agents live only as long as its process. */
import type { Store } from '../../../store/store.ts';
import { SESSIONS } from '../jobs/job-session.ts';
import { AGENTS } from '../jobs/stored-agents.ts';
import { CONTACTS } from '../jobs/stored-contacts.ts';

/**
 * Hides the stored agents, which belong to a server that is to start again later. They stay stored. Agents of this process are not stored;
 * removals are carried out.
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
