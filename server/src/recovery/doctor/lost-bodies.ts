/** Publications for several inboxes: their bodies and the entries that refer to them. */
import type { DatabaseSync } from 'node:sqlite';
import { countOf } from '@tutti/manifests';
import { prepareQuery } from '../../store/sqlite/query.ts';
import type { Aside } from './aside.ts';
import type { Finding } from './check.ts';

const WITHOUT_BODY =
  'outbox WHERE shared_body IS NOT NULL AND shared_body NOT IN (SELECT id FROM shared_bodies)';
const WITHOUT_ENTRY =
  'shared_bodies WHERE id NOT IN (SELECT shared_body FROM outbox WHERE shared_body IS NOT NULL)';

export function lostBodies(db: DatabaseSync, aside: Aside): readonly Finding[] {
  const removal = (rows: string): (() => void) => {
    return () => {
      aside.keepDatabase(db);
      db.exec(`DELETE FROM ${rows}`);
    };
  };
  const entries = countOfRows(db, WITHOUT_BODY);
  const bodies = countOfRows(db, WITHOUT_ENTRY);
  return [
    ...(entries === 0
      ? []
      : [
          {
            what: `${countOf(entries, 'entry')} of the outbox cannot be delivered: the publication is not there.`,
            repair: 'removes them',
            advice: null,
            mend: removal(WITHOUT_BODY),
          },
        ]),
    ...(bodies === 0
      ? []
      : [
          {
            what: `${countOf(bodies, 'publication')} in the store waits for no inbox.`,
            repair: 'removes it',
            advice: null,
            mend: removal(WITHOUT_ENTRY),
          },
        ]),
  ];
}

function countOfRows(db: DatabaseSync, rows: string): number {
  const query = prepareQuery<{ readonly count: number }>(
    db,
    `SELECT count(*) AS count FROM ${rows}`,
  );
  return query.get()?.count ?? 0;
}
