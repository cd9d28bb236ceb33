/** Private records and subscriptions, as the server will read them when it starts. */
import type { DatabaseSync } from 'node:sqlite';
import type { SubscriptionId } from '@tutti/manifests';
import { createInboxRecord } from '../../bus/subscription-record.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';
import { type Check, type Finding, NOT_READ, type Subject } from './check.ts';

interface Row {
  readonly collection: string;
  readonly key: string;
  readonly json: string;
}

export const recordsCheck: Check = {
  name: 'records',
  about: 'subscriptions, agents and other records of services',
  run(subject) {
    const { db } = subject;
    if (db === null) return NOT_READ;
    const rows = prepareQuery<Row>(db, 'SELECT collection, key, json FROM documents').all();
    const count = (collection: string) =>
      rows.filter((row) => row.collection === collection).length;
    return {
      facts: {
        records: rows.length,
        subscriptions: count('subscriptions'),
        agents: count('agents'),
      },
      notes: [],
      findings: rows.flatMap((row) => findingsOf({ ...subject, db }, row)),
    };
  },
};

function findingsOf(
  { db, aside }: Subject & { readonly db: DatabaseSync },
  { collection, key, json }: Row,
): readonly Finding[] {
  const value = parsed(json);
  if (value === undefined) {
    return [
      {
        what: `The record ${key} of ${collection} is no JSON; the server cannot start with it.`,
        repair: 'takes it out; the copy of the store that is kept has it',
        advice: null,
        mend: () => {
          aside.keepDatabase(db);
          db.prepare('DELETE FROM documents WHERE collection = ? AND key = ?').run(collection, key);
        },
      },
    ];
  }
  if (collection !== 'subscriptions') return [];
  const problem = problemOfSubscription(key, value);
  if (problem === null) return [];
  return [
    {
      what: `Subscription ${key} cannot be used: ${problem}`,
      repair: null,
      advice: 'the server passes over it: have its plugin subscribe anew.',
    },
  ];
}

/** Undefined for a text that is no JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** By the same code that reads it when the server starts, which throws for whatever is wrong. */
function problemOfSubscription(key: string, value: unknown): string | null {
  try {
    createInboxRecord(key as SubscriptionId, value as Parameters<typeof createInboxRecord>[1]);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
