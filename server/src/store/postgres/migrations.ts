/**
 * The schema, as the steps that lead to it. A released step never changes: later versions add a step at the end. Steps only add, so that an
 * older server beside a newer one goes on.
 *
 * `place` numbers runs in the order of their begin. Large tables have a partition for each day: ids of runs begin with the time. The others
 * with rows of runs have few and short rows. An index takes no long keys, so documents are found by a hash.
 */
const firstSchema = `
  CREATE TABLE writers (
    writer bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    alive boolean NOT NULL DEFAULT true,
    batch bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

  CREATE TABLE counters (
    what text COLLATE "C" PRIMARY KEY,
    n bigint NOT NULL
  ) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
  INSERT INTO counters (what, n) VALUES ('outbox', 1);

  CREATE TABLE runs (
    workflow_id uuid PRIMARY KEY,
    place bigint GENERATED ALWAYS AS IDENTITY,
    name text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('PENDING', 'RUNNING', 'DONE', 'FAILED')),
    live boolean NOT NULL,
    workers text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    completed_at text COLLATE "C",
    events int NOT NULL,
    events_size bigint NOT NULL,
    log_bytes bigint NOT NULL,
    test_cases int NOT NULL DEFAULT 0,
    masks_size int NOT NULL DEFAULT 0
  ) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02);
  CREATE UNIQUE INDEX runs_by_place ON runs (place);
  CREATE INDEX live_runs ON runs (place) WHERE live;
  CREATE INDEX ended_runs ON runs (completed_at, place) WHERE NOT live AND completed_at IS NOT NULL;

  CREATE TABLE events (
    workflow_id uuid,
    seq int,
    folds boolean NOT NULL,
    kind text NOT NULL,
    json text COMPRESSION lz4 NOT NULL,
    PRIMARY KEY (workflow_id, seq)
  ) PARTITION BY RANGE (workflow_id);
  CREATE INDEX folding_events ON events (workflow_id, seq) WHERE folds;

  CREATE TABLE log_parts (
    workflow_id uuid,
    start bigint,
    bytes int NOT NULL,
    content bytea COMPRESSION lz4,
    event int,
    lines_from int,
    lines_to int,
    prefix text,
    PRIMARY KEY (workflow_id, start)
  ) PARTITION BY RANGE (workflow_id);

  CREATE TABLE attachments (
    workflow_id uuid,
    attachment_id text COLLATE "C",
    name text NOT NULL,
    type text,
    PRIMARY KEY (workflow_id, attachment_id)
  );

  CREATE SEQUENCE job_places;
  CREATE TABLE jobs (
    workflow_id uuid,
    job_id text COLLATE "C",
    place bigint NOT NULL DEFAULT nextval('job_places'),
    json text COMPRESSION lz4 NOT NULL,
    PRIMARY KEY (workflow_id, job_id)
  ) PARTITION BY RANGE (workflow_id);
  ALTER SEQUENCE job_places OWNED BY jobs.place;

  CREATE TABLE broken_reports (
    workflow_id uuid,
    attachment_id text COLLATE "C",
    place bigint GENERATED ALWAYS AS IDENTITY,
    json text COMPRESSION lz4 NOT NULL,
    PRIMARY KEY (workflow_id, attachment_id)
  );

  CREATE TABLE test_cases (
    workflow_id uuid,
    place int,
    key bytea NOT NULL,
    job_id text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('success', 'failure', 'error', 'skipped')),
    executions int NOT NULL,
    precedence bigint NOT NULL,
    counting int NOT NULL,
    json text COMPRESSION lz4 NOT NULL,
    PRIMARY KEY (workflow_id, place),
    UNIQUE (workflow_id, key)
  ) PARTITION BY RANGE (workflow_id);

  CREATE TABLE test_case_history (
    workflow_id uuid,
    place int,
    execution int,
    json text COMPRESSION lz4 NOT NULL,
    PRIMARY KEY (workflow_id, place, execution)
  ) PARTITION BY RANGE (workflow_id);

  CREATE TABLE test_case_counts (
    workflow_id uuid,
    job_id text COLLATE "C",
    outcome text,
    count int NOT NULL,
    PRIMARY KEY (workflow_id, job_id, outcome)
  );

  CREATE TABLE test_runs (
    workflow_id uuid PRIMARY KEY,
    run bigint NOT NULL,
    name_hash bytea NOT NULL,
    created_at text COLLATE "C" NOT NULL
  );
  CREATE INDEX test_runs_by_name ON test_runs (name_hash, run);
  CREATE INDEX test_runs_by_age ON test_runs (created_at);

  CREATE TABLE test_executions (
    workflow_id uuid,
    key bytea,
    execution int,
    place int NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('success', 'failure', 'error', 'skipped')),
    duration_ms double precision NOT NULL,
    started_us bigint NOT NULL,
    ended_us bigint NOT NULL,
    precedence bigint NOT NULL,
    PRIMARY KEY (workflow_id, key, execution)
  ) PARTITION BY RANGE (workflow_id);

  CREATE TABLE documents (
    collection text COLLATE "C",
    key_hash bytea,
    key text COLLATE "C" NOT NULL,
    json text COMPRESSION lz4 NOT NULL,
    PRIMARY KEY (collection, key_hash)
  ) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02);

  CREATE TABLE outbox (
    position bigint PRIMARY KEY,
    subscription_id text COLLATE "C" NOT NULL,
    publication_id text NOT NULL,
    bytes int NOT NULL,
    body text COMPRESSION lz4,
    shared_body bigint
  ) WITH (autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX outbox_subscriptions ON outbox (subscription_id, position);
  CREATE INDEX outbox_shared_bodies ON outbox (shared_body) WHERE shared_body IS NOT NULL;

  CREATE TABLE shared_bodies (
    id bigint PRIMARY KEY,
    body text COMPRESSION lz4 NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.02);

  CREATE TABLE forgotten_runs (workflow_id uuid PRIMARY KEY);

  CREATE FUNCTION refuse(why text) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION USING MESSAGE = why, ERRCODE = 'TU001'; END $$;
`;

/**
 * Summaries of runs, for lists. Runs of before have none until the server made one of their events. Lists are ordered by columns of
 * `runs`, where `failures` counts test cases.
 */
const runSummaries = `
  CREATE TABLE run_summaries (
    workflow_id uuid PRIMARY KEY,
    json text COMPRESSION lz4 NOT NULL,
    failure text COMPRESSION lz4,
    failure_line bigint
  ) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02);
  ALTER TABLE runs ADD COLUMN duration_ms bigint NOT NULL DEFAULT -1;
  ALTER TABLE runs ADD COLUMN failures int NOT NULL DEFAULT 0;
  UPDATE runs SET
    duration_ms = coalesce(greatest(0, round(1000 * extract(epoch FROM completed_at::timestamp - created_at::timestamp))), -1),
    failures = (SELECT coalesce(sum(count), 0) FROM test_case_counts c
      WHERE c.workflow_id = runs.workflow_id AND outcome IN ('failure', 'error'));
  CREATE INDEX runs_by_name ON runs (namespace, name, place);
`;

/**
 * Servers that share the database. `needs` is the oldest schema whose servers can work with this one. `replicas` has a row for each server
 * that lives or seems to. `slots` has the owners of runs, and `cluster` the key of connections between servers.
 */
const clusterTables = `
  ALTER TABLE schema_version ADD COLUMN needs int NOT NULL DEFAULT 1;

  CREATE TABLE replicas (
    replica uuid PRIMARY KEY,
    writer bigint NOT NULL,
    address text NOT NULL,
    version text NOT NULL,
    level int NOT NULL,
    configuration text NOT NULL,
    state text NOT NULL DEFAULT 'up' CHECK (state IN ('up', 'leaving')),
    beat bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

  CREATE TABLE slots (
    slot smallint PRIMARY KEY,
    owner uuid,
    epoch bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 10);
  INSERT INTO slots (slot) SELECT generate_series(0, 63);

  CREATE TABLE cluster (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    secret bytea NOT NULL,
    level int NOT NULL DEFAULT 0
  );
`;

/** `log_lines` is null where nobody counted: in logs of before. */
const logMarks = `
  CREATE TABLE log_marks (
    workflow_id uuid,
    line bigint,
    byte bigint NOT NULL,
    PRIMARY KEY (workflow_id, line)
  );
  ALTER TABLE runs ADD COLUMN log_lines bigint;
`;

/**
 * The history of tests (`test-history.ts`). `unfolded` is the number of events when the newest results of a run came. It is 0
 * if none wait to be folded. Runs of before wait. Numbers of states and outcomes are in `test-history-codes.ts`. Times of executions count from the
 * beginning of their run.
 */
const testHistory = `
  ALTER TABLE runs ADD COLUMN unfolded int NOT NULL DEFAULT 0;
  UPDATE runs SET unfolded = events WHERE test_cases > 0;
  CREATE INDEX unfolded_runs ON runs (completed_at, place) WHERE unfolded > 0 AND NOT live;

  CREATE TABLE tested_runs (
    run bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workflow_id uuid NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version text COLLATE "C",
    branch text COLLATE "C",
    is_main boolean NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    places text COMPRESSION lz4 NOT NULL,
    mass_jobs text COMPRESSION lz4 NOT NULL,
    executions bigint NOT NULL DEFAULT 0,
    only_failed bigint,
    is_folded boolean NOT NULL DEFAULT false
  );
  CREATE INDEX tested_runs_by_id ON tested_runs (workflow_id);
  CREATE INDEX tested_runs_by_project ON tested_runs (namespace, project, run);
  CREATE INDEX tested_runs_by_version ON tested_runs (version, run) WHERE version IS NOT NULL;
  CREATE INDEX tested_runs_by_failure ON tested_runs (only_failed) WHERE only_failed IS NOT NULL;

  CREATE TABLE tests (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uuid uuid NOT NULL UNIQUE,
    namespace text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    technology text COLLATE "C" NOT NULL,
    suite text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    first_run bigint NOT NULL,
    last_run bigint NOT NULL,
    state smallint NOT NULL DEFAULT 3,
    flake_rate float8 NOT NULL DEFAULT 0,
    failures int NOT NULL DEFAULT 0,
    executions int NOT NULL DEFAULT 0,
    duration_ms float8,
    last_failed_ms bigint,
    impact int NOT NULL DEFAULT 0
  ) WITH (fillfactor = 80);

  CREATE TABLE test_variants (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uuid uuid NOT NULL UNIQUE,
    test bigint NOT NULL,
    job text COLLATE "C" NOT NULL,
    function text COLLATE "C" NOT NULL,
    state smallint NOT NULL DEFAULT 3,
    flake_rate float8 NOT NULL DEFAULT 0,
    failures int NOT NULL DEFAULT 0,
    executions int NOT NULL DEFAULT 0,
    duration_ms float8,
    last_failed_ms bigint
  ) WITH (fillfactor = 80);
  CREATE INDEX test_variants_by_test ON test_variants (test);

  CREATE TABLE test_ledgers (
    variant bigint PRIMARY KEY,
    bytes bytea NOT NULL
  ) WITH (fillfactor = 70);

  CREATE TABLE executions (
    run bigint,
    variant bigint,
    attempt int,
    outcome smallint NOT NULL,
    place int NOT NULL,
    started_ms bigint NOT NULL,
    duration_us bigint NOT NULL,
    PRIMARY KEY (run, variant, attempt)
  );

  CREATE TABLE test_journal (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_ms bigint NOT NULL,
    test bigint NOT NULL,
    variant bigint,
    kind text NOT NULL,
    json text COMPRESSION lz4 NOT NULL
  );
  CREATE INDEX test_journal_by_test ON test_journal (test, id);
`;

/**
 * Lists of tests, one index for each order. Tests with one value are in the order of their states, the worst first. An entry of an
 * index cannot hold the longest names.
 */
const testOrders = `
  CREATE INDEX tests_by_impact ON tests (impact DESC NULLS LAST, state, id, namespace, project);
  CREATE INDEX tests_by_flake_rate ON tests (flake_rate DESC NULLS LAST, state, id, namespace, project);
  CREATE INDEX tests_by_failures ON tests (failures DESC NULLS LAST, state, id, namespace, project);
  CREATE INDEX tests_by_duration ON tests (duration_ms DESC NULLS LAST, state, id, namespace, project);
  CREATE INDEX tests_by_last_failure ON tests (last_failed_ms DESC NULLS LAST, state, id, namespace, project);
  CREATE INDEX tests_by_name ON tests (left(suite, 200), left(name, 200), id);
`;

/**
 * Executions in parts (`execution-parts.ts`). The table of before stays, without rows: a server of before may still write to it.
 */
const executionParts = `
  CREATE TABLE execution_parts (
    run bigint,
    part bigint,
    bytes bytea NOT NULL,
    PRIMARY KEY (run, part)
  );
  CREATE FUNCTION whole(n bigint) RETURNS bytea LANGUAGE sql AS $$
    SELECT string_agg(set_byte('\\x00', 0, (((n >> (7 * i)) & 127) + CASE WHEN n >> (7 * i + 7) > 0 THEN 128 ELSE 0 END)::int), '' ORDER BY i)
    FROM generate_series(0, 8) i WHERE i = 0 OR n >> (7 * i) > 0 $$;
  INSERT INTO execution_parts SELECT run, variant / 32, string_agg(
      whole((variant - before) * 8 + outcome) || whole(attempt) || whole(place)
        || whole(CASE WHEN started_ms < 0 THEN -2 * started_ms - 1 ELSE 2 * started_ms END) || whole(greatest(duration_us, 0)),
      '' ORDER BY variant, attempt)
    FROM (SELECT *, coalesce(lag(variant) OVER (PARTITION BY run, variant / 32 ORDER BY variant, attempt), variant / 32 * 32) AS before
      FROM executions) e GROUP BY run, variant / 32;
  DROP FUNCTION whole;
  TRUNCATE executions;
`;

/** Causes of failures across runs (`causes.ts`). A key is a hash, with namespace and project. */
const causes = `
  CREATE TABLE causes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uuid uuid NOT NULL UNIQUE,
    namespace text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    sample text COMPRESSION lz4 NOT NULL,
    first_failure text COMPRESSION lz4 NOT NULL,
    first_run bigint NOT NULL,
    since_run bigint NOT NULL,
    last_run bigint NOT NULL,
    since_ms bigint NOT NULL,
    last_ms bigint NOT NULL,
    failures bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 80);
  CREATE INDEX causes_by_run ON causes (last_run, id);
  CREATE INDEX causes_by_namespace ON causes (namespace, last_run, id);

  CREATE TABLE cause_keys (
    key bytea,
    cause bigint,
    PRIMARY KEY (key, cause)
  );
  CREATE INDEX cause_keys_by_cause ON cause_keys (cause);

  CREATE TABLE cause_variants (
    cause bigint,
    variant bigint,
    failures int NOT NULL,
    last_run bigint NOT NULL,
    PRIMARY KEY (cause, variant)
  ) WITH (fillfactor = 80);
  CREATE INDEX cause_variants_by_variant ON cause_variants (variant);

  CREATE TABLE cause_runs (
    cause bigint,
    run bigint,
    place int,
    failures int NOT NULL,
    PRIMARY KEY (cause, run, place)
  );
  CREATE INDEX cause_runs_by_run ON cause_runs (run);
`;

/** An entry of the journal that began a quarantine has its end, until another entry takes it away. */
const quarantine = `
  ALTER TABLE test_journal ADD COLUMN until_ms bigint;
  CREATE INDEX quarantines ON test_journal (test, variant, until_ms) WHERE until_ms IS NOT NULL;
`;

/** The number of a step is its place here. */
export const MIGRATIONS: readonly string[] = [
  firstSchema,
  runSummaries,
  clusterTables,
  logMarks,
  testHistory,
  testOrders,
  executionParts,
  causes,
  quarantine,
];

/** Tables with a partition for each day. */
export const PARTITIONED: readonly string[] = [
  'events',
  'log_parts',
  'jobs',
  'test_cases',
  'test_case_history',
  'test_executions',
];
