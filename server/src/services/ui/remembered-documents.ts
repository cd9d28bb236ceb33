/** Private documents in memory, for a process that may not write to its store. They end with it. */
import type { SafeStore } from './token-safe.ts';

export function rememberedDocuments(): SafeStore {
  const documents = new Map<string, { readonly collection: string; readonly json: string }>();
  const nameOf = (collection: string, key: string) => `${collection}/${key}`;
  return {
    document: async (collection, key) => documents.get(nameOf(collection, key))?.json ?? null,
    documents: async (collection) =>
      [...documents]
        .filter(([, each]) => each.collection === collection)
        .map(([name, { json }]) => ({ key: name.slice(collection.length + 1), json })),
    write: async ({ documents: changes = [] }) => {
      for (const { collection, key, json } of changes) {
        if (json === null) documents.delete(nameOf(collection, key));
        else documents.set(nameOf(collection, key), { collection, json });
      }
    },
  };
}
