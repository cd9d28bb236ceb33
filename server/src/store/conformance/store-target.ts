/** One implementation of the store, as the conformance suite uses it. */
import { test } from 'vitest';
import type { Store } from '../store.ts';

export interface StoreTarget {
  /** Makes a fresh place for a store: a path or an address, that another process can open too. */
  createPlace(): Promise<string>;
  removePlace(place: string): Promise<void>;
  open(place: string): Promise<Store>;
  /** Throws when the stored data is damaged. Called while no store is open there. */
  check(place: string): Promise<void>;
  /** URL of a module that exports this target as `storeTarget`; a process that is killed imports it. */
  readonly moduleUrl: string;
}

/** A place with one open store; `reopen` closes it and opens the place anew. */
export interface OpenPlace {
  readonly place: string;
  readonly store: Store;
  reopen(): Promise<Store>;
}

export type StoreTest = (name: string, body: (place: OpenPlace) => Promise<void>) => void;

/** Tests that each have a store of their own, closed and removed afterwards. */
export function createStoreTest(target: StoreTarget): StoreTest {
  return (name, body) => {
    test(name, async () => {
      const place = await target.createPlace();
      const opened: Store[] = [];
      const open = async () => {
        const store = await target.open(place);
        opened.push(store);
        return store;
      };
      try {
        const store = await open();
        await body({ place, store, reopen: () => store.close().then(open) });
      } finally {
        for (const store of opened) await store.close();
        await target.removePlace(place);
      }
    });
  };
}
