/** The writers of events, by the commit times of the database. Triggers note them, and statements compare them in the end. */

/** Each change of a writer, and each new owner of the runs, with the transaction that made it. */
export const AUDIT = `
  CREATE TABLE chaos_batches (xid xid DEFAULT pg_current_xact_id()::xid, writer bigint, batch bigint, alive boolean);
  CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO chaos_batches (writer, batch, alive) VALUES (NEW.writer, NEW.batch, NEW.alive); RETURN NULL; END $$;
  CREATE TRIGGER chaos_audit AFTER UPDATE ON writers FOR EACH ROW EXECUTE FUNCTION chaos_note();
  CREATE TABLE chaos_owners (xid xid DEFAULT pg_current_xact_id()::xid, writer bigint);
  INSERT INTO chaos_owners (writer) SELECT writer FROM replicas JOIN slots ON owner = replica WHERE slot = 0;
  CREATE FUNCTION chaos_own() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO chaos_owners (writer) VALUES ((SELECT writer FROM replicas WHERE replica = NEW.owner)); RETURN NULL; END $$;
  CREATE TRIGGER chaos_owned AFTER UPDATE ON slots FOR EACH ROW WHEN (NEW.slot = 0) EXECUTE FUNCTION chaos_own()`;

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
} as const;
