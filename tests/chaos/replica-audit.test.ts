import { expect, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { installPostgres, PostgresServer, queryAt } from '../support/postgres-server.ts';
import { AUDIT, CHECKS } from './program/replica-audit.ts';

/** As much of the tables as triggers and checks need. Replica `a` owns the runs. */
const TABLES = `
  CREATE TABLE writers (writer bigint, batch bigint, alive boolean);
  CREATE TABLE replicas (replica text, writer bigint);
  CREATE TABLE slots (slot int, owner text);
  CREATE TABLE runs (workflow_id int, events int);
  CREATE TABLE events (workflow_id int, seq int);
  INSERT INTO writers VALUES (1, 0, true), (2, 0, false);
  INSERT INTO replicas VALUES ('a', 1), ('b', 2);
  INSERT INTO slots VALUES (0, 'a');
  INSERT INTO runs VALUES (7, 0)`;

const batch = (writer: number, seq: number) => `
  UPDATE writers SET batch = batch + 1 WHERE writer = ${writer};
  UPDATE runs SET events = ${seq};
  INSERT INTO events VALUES (7, ${seq})`;

const TAKEOVER = `
  UPDATE slots SET owner = 'b';
  UPDATE writers SET alive = (writer = 2)`;

const NO_OWNER = 'An event was committed while its writer did not own the runs';
const NOT_ALIVE = 'An event was stored by no writer that was alive';

test('the audit of replicas finds a writer that wrote after a takeover', async (context) => {
  const programs = need(installPostgres(), 'PostgreSQL', context);
  const server = await PostgresServer.start(programs);
  try {
    await server.stop();
    await server.start(['track_commit_timestamp=on']);
    const found = async (...steps: readonly string[]) => {
      const url = await server.createDatabase();
      for (const step of [TABLES, AUDIT, ...steps]) await queryAt(url, step);
      const names: string[] = [];
      for (const [name, text] of Object.entries(CHECKS)) {
        if ((await queryAt(url, text)).length > 0) names.push(name);
      }
      return names.sort();
    };
    expect(await found(batch(1, 1), TAKEOVER, batch(2, 2))).toEqual([]);
    expect(await found(batch(1, 1), TAKEOVER, batch(1, 2))).toEqual([NO_OWNER, NOT_ALIVE]);
    expect(await found(batch(1, 1), TAKEOVER, batch(2, 3))).toEqual(['The log of a run has gaps']);
    const both = "UPDATE slots SET owner = 'b'; UPDATE writers SET alive = true";
    expect(await found(both, batch(2, 1), batch(1, 2), batch(2, 3))).toEqual([
      NO_OWNER,
      'Two replicas wrote by turns',
    ]);
  } finally {
    await server.remove();
  }
});
