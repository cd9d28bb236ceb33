/**
 * The writers of events, and the publications that came with them. Triggers note their transactions, whose commit times the database keeps.
 * Statements compare them in the end.
 */

/** Each change of a writer, each new owner of the runs, and each row of the outbox. All have the transaction that made them. */
export const AUDIT = `
  CREATE TABLE chaos_batches (xid xid DEFAULT pg_current_xact_id()::xid, writer bigint, batch bigint, alive boolean);
  CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO chaos_batches (writer, batch, alive) VALUES (NEW.writer, NEW.batch, NEW.alive); RETURN NULL; END $$;
  CREATE TRIGGER chaos_audit AFTER UPDATE ON writers FOR EACH ROW EXECUTE FUNCTION chaos_note();
  CREATE TABLE chaos_owners (xid xid DEFAULT pg_current_xact_id()::xid, writer bigint);
  INSERT INTO chaos_owners (writer) SELECT writer FROM replicas JOIN slots ON owner = replica WHERE slot = 0;
  CREATE FUNCTION chaos_own() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO chaos_owners (writer) VALUES ((SELECT writer FROM replicas WHERE replica = NEW.owner)); RETURN NULL; END $$;
  CREATE TRIGGER chaos_owned AFTER UPDATE ON slots FOR EACH ROW WHEN (NEW.slot = 0) EXECUTE FUNCTION chaos_own();
  CREATE TABLE chaos_gone (xid xid DEFAULT pg_current_xact_id()::xid, writer bigint, state text);
  CREATE FUNCTION chaos_go() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO chaos_gone (writer, state) VALUES (OLD.writer, OLD.state); RETURN NULL; END $$;
  CREATE TRIGGER chaos_went AFTER DELETE ON replicas FOR EACH ROW EXECUTE FUNCTION chaos_go();
  CREATE TABLE chaos_outbox (xid xid DEFAULT pg_current_xact_id()::xid, subscription_id text, publication_id text, body text);
  CREATE FUNCTION chaos_publish() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO chaos_outbox (subscription_id, publication_id, body)
      VALUES (NEW.subscription_id, NEW.publication_id, coalesce(NEW.body, (SELECT body FROM shared_bodies WHERE id = NEW.shared_body)));
      RETURN NULL; END $$;
  CREATE TRIGGER chaos_published AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION chaos_publish()`;

/** Each finds nothing. */
export const CHECKS = {
  'The log of a run has gaps': `SELECT workflow_id FROM runs r WHERE
    r.events <> (SELECT count(*) FROM events e WHERE e.workflow_id = r.workflow_id)
    OR r.events <> (SELECT coalesce(max(seq), 0) FROM events e WHERE e.workflow_id = r.workflow_id)`,
  'An event was stored by no writer that was alive': `SELECT workflow_id, seq FROM events e
    WHERE NOT EXISTS (SELECT FROM chaos_batches b WHERE b.xid = e.xmin AND b.alive)`,
  'An event was committed while its writer did not own the runs': `WITH owned AS (
      SELECT writer, at, lead(at) OVER (ORDER BY at) AS until
      FROM (SELECT writer, pg_xact_commit_timestamp(xid) AS at FROM chaos_owners) o
    ), stored AS (
      SELECT e.workflow_id, e.seq, b.writer, pg_xact_commit_timestamp(b.xid) AS at
      FROM events e JOIN chaos_batches b ON b.xid = e.xmin
    )
    SELECT workflow_id, seq, writer, at FROM stored s
    WHERE NOT EXISTS (SELECT FROM owned o WHERE o.writer = s.writer AND s.at >= o.at AND s.at <= coalesce(o.until, s.at))`,
  'Two replicas wrote by turns': `WITH batches AS (
      SELECT writer, pg_xact_commit_timestamp(xid) AS at FROM chaos_batches WHERE alive AND batch > 0
    ), spans AS (SELECT writer, min(at) AS first, max(at) AS last FROM batches GROUP BY writer)
    SELECT a.writer, b.writer AS other FROM spans a JOIN spans b ON a.writer < b.writer
    WHERE a.first <= b.last AND b.first <= a.last`,
  'The end of a run was stored without its publications': `SELECT e.workflow_id, e.seq, b.writer FROM events e
    LEFT JOIN chaos_batches b ON b.xid = e.xmin
    WHERE e.kind IN ('WorkflowCompleted', 'WorkflowCanceled')
    AND (SELECT count(DISTINCT subscription_id) FROM chaos_outbox o
      WHERE o.xid = e.xmin AND strpos(o.body, e.kind) > 0 AND strpos(o.body, e.workflow_id::text) > 0)
    < (SELECT count(DISTINCT substring(d.json FROM 'inbox [0-9]+: ' || e.kind)) FROM documents d WHERE d.collection = 'subscriptions')`,
} as const;

/**
 * Each new owner: when it began, and the time without a batch around that, in milliseconds. `state` is that of the owner before: `leaving`
 * at a hand-over.
 */
export const NEW_OWNERS = `WITH owned AS (
    SELECT xid, writer, pg_xact_commit_timestamp(xid) AS at FROM chaos_owners WHERE writer IS NOT NULL
  ), batches AS (
    SELECT writer, pg_xact_commit_timestamp(xid) AS at FROM chaos_batches WHERE alive AND batch > 0
  )
  SELECT coalesce(g.state, 'up') AS state, extract(epoch FROM o.at) * 1000 AS "atMs", round(extract(epoch FROM
    (SELECT min(b.at) FROM batches b WHERE b.writer = o.writer) - (SELECT max(b.at) FROM batches b WHERE b.writer <> o.writer AND b.at <= o.at)) * 1000)::int AS ms
  FROM owned o LEFT JOIN chaos_gone g ON g.xid = o.xid`;

/** The time from then until the next batch, in milliseconds; null without one. */
export const batchAfter = (atMs: number): string => `SELECT
  round(extract(epoch FROM min(pg_xact_commit_timestamp(xid))) * 1000 - ${atMs})::int AS ms
  FROM chaos_batches WHERE batch > 0 AND pg_xact_commit_timestamp(xid) >= to_timestamp(${atMs / 1_000})`;

/** When each event of a run was committed, in the order of its log. In milliseconds. */
export const commitTimesOf = (workflowId: string): string => `SELECT
  extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000 AS ms
  FROM events WHERE workflow_id = '${workflowId}' ORDER BY seq`;

/** Statements about a run, for a look at one that was not delivered. */
export const evidenceOf = (workflowId: string): Readonly<Record<string, string>> => ({
  events: `SELECT e.seq, e.kind, b.writer, pg_xact_commit_timestamp(e.xmin) AS at
    FROM events e LEFT JOIN chaos_batches b ON b.xid = e.xmin WHERE e.workflow_id = '${workflowId}' ORDER BY e.seq`,
  publications: `SELECT o.subscription_id, o.publication_id, pg_xact_commit_timestamp(o.xid) AS at,
      EXISTS (SELECT FROM outbox w WHERE w.publication_id = o.publication_id AND w.subscription_id = o.subscription_id) AS waits
    FROM chaos_outbox o WHERE strpos(o.body, '${workflowId}') > 0 ORDER BY o.publication_id`,
  subscriptions: `SELECT key, json FROM documents WHERE collection = 'subscriptions'`,
  owners: 'SELECT writer, pg_xact_commit_timestamp(xid) AS at FROM chaos_owners ORDER BY at',
});

/** Tables of the database, without their parts. */
export const TABLES = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`;

/** The rows of a table, each with the time of its commit. */
export const rowsOf = (table: string): string =>
  `SELECT t.xmin::text AS xmin, pg_xact_commit_timestamp(t.xmin) AS at, row_to_json(t) AS row FROM ${table} t`;
