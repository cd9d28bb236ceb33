import { expect, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { installPostgres, PostgresServer, queryAt } from '../support/postgres-server.ts';
import { AUDIT, CHECKS, commitTimesOf, NEW_OWNERS } from './program/replica-audit.ts';

/** As much of the tables as triggers and checks need. Replica `a` owns the runs. */
const TABLES = `
  CREATE TABLE writers (writer bigint, batch bigint, alive boolean);
  CREATE TABLE replicas (replica text, writer bigint, state text DEFAULT 'up');
  CREATE TABLE slots (slot int, owner text);
  CREATE TABLE runs (workflow_id int, events int);
  CREATE TABLE events (workflow_id int, seq int, kind text);
  CREATE TABLE shared_bodies (id int, body text);
  CREATE TABLE outbox (subscription_id text, publication_id text, body text, shared_body int);
  CREATE TABLE documents (collection text, json text);
  INSERT INTO documents VALUES ('subscriptions', '{"name":"inbox 0: WorkflowCanceled"}');
  INSERT INTO writers VALUES (1, 0, true), (2, 0, false);
  INSERT INTO replicas VALUES ('a', 1), ('b', 2);
  INSERT INTO slots VALUES (0, 'a');
  INSERT INTO runs VALUES (7, 0)`;

const batch = (writer: number, seq: number, kind = 'ExecutionResult') => `
  UPDATE writers SET batch = batch + 1 WHERE writer = ${writer};
  UPDATE runs SET events = ${seq};
  INSERT INTO events VALUES (7, ${seq}, '${kind}')`;

const PUBLICATION = `
  INSERT INTO shared_bodies VALUES (1, '{"kind":"WorkflowCanceled","workflow_id":7}');
  INSERT INTO outbox VALUES ('s', 'p', NULL, 1)`;

const TAKEOVER = `
  UPDATE slots SET owner = 'b';
  UPDATE writers SET alive = (writer = 2)`;

const NO_OWNER = 'An event was committed while its writer did not own the runs';
const UNPUBLISHED = 'The end of a run was stored without its publications';
const NOT_ALIVE = 'An event was stored by no writer that was alive';

test('the audit of replicas finds a writer that wrote after a takeover, and an end that is not published, and knows commit times', async (context) => {
  const programs = need(installPostgres(), 'PostgreSQL', context);
  const server = await PostgresServer.start(programs);
  try {
    await server.stop();
    await server.start(['track_commit_timestamp=on']);
    const databaseAfter = async (...steps: readonly string[]) => {
      const url = await server.createDatabase();
      for (const step of [TABLES, AUDIT, ...steps]) await queryAt(url, step);
      return url;
    };
    const found = async (...steps: readonly string[]) => {
      const url = await databaseAfter(...steps);
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
    const end = batch(1, 1, 'WorkflowCanceled');
    expect(await found(`${end};${PUBLICATION}`)).toEqual([]);
    expect(await found(end)).toEqual([UNPUBLISHED]);
    // In a transaction of its own, it may get lost.
    expect(await found(end, PUBLICATION)).toEqual([UNPUBLISHED]);
    const begunMs = Date.now();
    const url = await databaseAfter(batch(1, 1), batch(1, 2));
    const commits = (await queryAt(url, commitTimesOf('7'))).map(({ ms }) => Number(ms));
    expect(commits).toHaveLength(2);
    const order = [begunMs, ...commits, Date.now() + 1];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const takenOver = await databaseAfter(batch(1, 1), TAKEOVER, batch(2, 2));
    const owners = await queryAt(takenOver, NEW_OWNERS);
    const [first = 0, second = 0] = owners.map(({ atMs }) => Number(atMs)).sort((a, b) => a - b);
    expect([owners.length, first > begunMs, second > first]).toEqual([2, true, true]);
    expect(second).toBeLessThanOrEqual(Date.now() + 1);
  } finally {
    await server.remove();
  }
});
