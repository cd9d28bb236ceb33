/**
 * The schema, as the steps that lead to it. A released step never changes: later versions add a step at the end. Step n brings a database
 * from version n - 1 to version n.
 *
 * `workflows.id` is the short number of a run in every other table. AUTOINCREMENT, here and for the outbox, because a number must not come
 * back. Rows of a forgotten run may still wait for their removal, and positions order deliveries.
 */
const firstSchema = `
  CREATE TABLE workflows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workflow_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    namespace TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'RUNNING', 'DONE', 'FAILED')),
    live INTEGER NOT NULL,
    workers TEXT NOT NULL,
    created_at TEXT NOT NULL,
    completed_at TEXT,
    events INTEGER NOT NULL,
    log_bytes INTEGER NOT NULL,
    test_cases INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX live_workflows ON workflows (id) WHERE live = 1;

  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;

  CREATE TABLE log_pages (
    id INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT;

  CREATE TABLE attachments (
    run INTEGER NOT NULL,
    attachment_id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT,
    PRIMARY KEY (run, attachment_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    json TEXT NOT NULL,
    UNIQUE (run, job_id)
  ) STRICT;

  CREATE TABLE test_cases (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    key TEXT NOT NULL,
    job_id TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure', 'error', 'skipped')),
    json TEXT NOT NULL,
    executions INTEGER NOT NULL,
    UNIQUE (run, key)
  ) STRICT;

  CREATE TABLE test_case_history (
    test_case INTEGER NOT NULL,
    execution INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (test_case, execution)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE test_case_counts (
    run INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (run, job_id, outcome)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE test_identities (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    attempts INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE test_attempts (
    test INTEGER NOT NULL,
    at TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure', 'error', 'skipped')),
    duration_ms REAL NOT NULL,
    PRIMARY KEY (test, at, attempt)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE documents (
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (collection, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE outbox (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription_id TEXT NOT NULL,
    publication_id TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX outbox_subscriptions ON outbox (subscription_id, position);

  CREATE TABLE forgotten_runs (id INTEGER PRIMARY KEY) STRICT;
`;

/**
 * A test case is found by a hash of its key (`test-case-keys.ts`). Executions in later runs outlive its run. Test cases of older runs stay
 * without a key. Such a run seldom goes on while its server is replaced, so no execution of them comes later. The data that was kept over
 * all runs did not name its run.
 */
const executionsOverRuns = `
  DROP TABLE test_identities;
  DROP TABLE test_attempts;

  CREATE TABLE keyed_test_cases (
    id INTEGER PRIMARY KEY,
    key BLOB,
    job_id TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure', 'error', 'skipped')),
    executions INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  INSERT INTO keyed_test_cases (id, job_id, outcome, executions, json)
    SELECT id, job_id, outcome, executions, json FROM test_cases ORDER BY id;
  DROP TABLE test_cases;
  ALTER TABLE keyed_test_cases RENAME TO test_cases;

  CREATE TABLE test_case_keys (
    run INTEGER NOT NULL,
    key BLOB NOT NULL,
    test_case INTEGER NOT NULL,
    PRIMARY KEY (run, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE test_executions (
    test_case INTEGER NOT NULL,
    execution INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure', 'error', 'skipped')),
    duration_ms REAL NOT NULL,
    started_us INTEGER NOT NULL,
    ended_us INTEGER NOT NULL,
    PRIMARY KEY (test_case, execution)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE test_runs (
    run INTEGER PRIMARY KEY,
    workflow_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX test_runs_by_name ON test_runs (namespace, name, run);
  CREATE INDEX test_runs_by_age ON test_runs (created_at);
`;

/** Broken reports of runs before this version are in the logs of these runs alone. */
const brokenReports = `
  CREATE TABLE broken_reports (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    attachment_id TEXT NOT NULL,
    json TEXT NOT NULL,
    UNIQUE (run, attachment_id)
  ) STRICT;
`;

/**
 * `counting` is the number of the execution that counts, null for the newest. Before, that one counted. It has the least precedence, so it
 * gives way to the next one as before.
 */
const countingExecutions = `
  ALTER TABLE test_cases ADD COLUMN precedence INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE test_cases ADD COLUMN counting INTEGER;
  ALTER TABLE test_executions ADD COLUMN precedence INTEGER NOT NULL DEFAULT 0;
`;

/** Retention looks for the runs that ended first, of hundreds of thousands. Runs that go on are not in it. */
const endedWorkflows = `
  CREATE INDEX ended_workflows ON workflows (completed_at, id) WHERE live = 0 AND completed_at IS NOT NULL;
`;

/**
 * The body of a publication for several inboxes is stored once, and its entries have an empty one. A body goes when no entry refers to
 * it any more. Entries of before keep their own bodies. AUTOINCREMENT: a number must not come back while an inbox still gets
 * the body that had it.
 */
const sharedBodies = `
  CREATE TABLE shared_bodies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bytes INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  ALTER TABLE outbox ADD COLUMN shared_body INTEGER;
  CREATE INDEX outbox_shared_bodies ON outbox (shared_body) WHERE shared_body IS NOT NULL;
`;

/**
 * A start passes over events that change nothing of their run, as output. Events of before may all change it. The size of a run that goes on
 * is counted once.
 */
const foldingEvents = `
  ALTER TABLE events ADD COLUMN folds INTEGER NOT NULL DEFAULT 1;
  CREATE INDEX folding_events ON events (folds) WHERE folds = 1;
  ALTER TABLE workflows ADD COLUMN events_size INTEGER NOT NULL DEFAULT 0;
  UPDATE workflows SET events_size =
    (SELECT total(octet_length(json)) FROM events WHERE events.id BETWEEN workflows.id << 24 AND (workflows.id << 24) + 16777215)
    WHERE live = 1;
`;

/**
 * Where the log shows output of an event, it refers to the event. `start` is the place of a part in the log, `text_start` its place in the
 * text of `log_pages`. Logs of before are pages alone.
 */
const logParts = `
  CREATE TABLE log_parts (
    run INTEGER NOT NULL,
    start INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    text_start INTEGER NOT NULL,
    event INTEGER NOT NULL,
    lines_from INTEGER NOT NULL,
    lines_to INTEGER NOT NULL,
    prefix TEXT NOT NULL,
    PRIMARY KEY (run, start)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE workflows ADD COLUMN part_bytes INTEGER NOT NULL DEFAULT 0;
`;

/** Lists of all runs say how much each run masks, as their texts are kept for readers who know it. */
const masksInRow = `
  ALTER TABLE workflows ADD COLUMN masks_size INTEGER NOT NULL DEFAULT 0;
  UPDATE workflows SET masks_size = octet_length(documents.json) FROM documents
    WHERE documents.collection = 'run-masks' AND documents.key = workflows.workflow_id;
`;

/**
 * The index of test cases in parts (`test-case-index.ts`). Keys of before are in the last one, which keeps them. The parts of
 * `unmerged_runs` are to become one.
 */
const keysInParts = `
  CREATE TABLE parted_keys (
    run INTEGER NOT NULL,
    part INTEGER NOT NULL,
    key BLOB NOT NULL,
    test_case INTEGER NOT NULL,
    PRIMARY KEY (run, part, key)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO parted_keys (run, part, key, test_case)
    SELECT run, 8, key, test_case FROM test_case_keys ORDER BY run, key;
  DROP TABLE test_case_keys;
  ALTER TABLE parted_keys RENAME TO test_case_keys;
  CREATE TABLE unmerged_runs (id INTEGER PRIMARY KEY) STRICT;
`;

/**
 * Summaries of runs, for lists. Runs of before have none until the server made one of their events. Lists are ordered by columns of
 * `workflows`, where `failures` counts test cases.
 */
const runSummaries = `
  CREATE TABLE run_summaries (
    run INTEGER PRIMARY KEY,
    json TEXT NOT NULL,
    failure TEXT,
    failure_line INTEGER
  ) STRICT;
  ALTER TABLE workflows ADD COLUMN duration_ms INTEGER NOT NULL DEFAULT -1;
  ALTER TABLE workflows ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  UPDATE workflows SET
    duration_ms = coalesce(round((unixepoch(completed_at, 'subsec') - unixepoch(created_at, 'subsec')) * 1000), -1),
    failures = (SELECT coalesce(sum(count), 0) FROM test_case_counts
      WHERE run = workflows.id AND outcome IN ('failure', 'error'));
  CREATE INDEX workflows_by_name ON workflows (namespace, name, id);
`;

/** `log_lines` is null where nobody counted: in logs of before. */
const logMarks = `
  CREATE TABLE log_marks (
    run INTEGER NOT NULL,
    line INTEGER NOT NULL,
    byte INTEGER NOT NULL,
    PRIMARY KEY (run, line)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE workflows ADD COLUMN log_lines INTEGER;
`;

/**
 * The history of tests (`test-history.ts`). `unfolded` is the number of events when the newest results of a run came. It is 0
 * if none wait to be folded. Runs of before wait. Numbers of states and outcomes are in `test-history-codes.ts`. Times of executions
 * count from the beginning of their run.
 */
const testHistory = `
  ALTER TABLE workflows ADD COLUMN unfolded INTEGER NOT NULL DEFAULT 0;
  UPDATE workflows SET unfolded = events WHERE test_cases > 0;
  CREATE INDEX unfolded_workflows ON workflows (completed_at, id) WHERE unfolded > 0 AND live = 0;

  CREATE TABLE tested_runs (
    run INTEGER PRIMARY KEY AUTOINCREMENT,
    workflow_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT,
    branch TEXT,
    is_main INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    places TEXT NOT NULL,
    mass_jobs TEXT NOT NULL,
    executions INTEGER NOT NULL DEFAULT 0,
    only_failed INTEGER,
    is_folded INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX tested_runs_by_id ON tested_runs (workflow_id, run);
  CREATE INDEX tested_runs_by_project ON tested_runs (namespace, project, run);
  CREATE INDEX tested_runs_by_version ON tested_runs (namespace, project, version, run) WHERE version IS NOT NULL;
  CREATE INDEX tested_runs_by_failure ON tested_runs (only_failed) WHERE only_failed IS NOT NULL;

  CREATE TABLE tests (
    id INTEGER PRIMARY KEY,
    uuid BLOB NOT NULL UNIQUE,
    namespace TEXT NOT NULL,
    project TEXT NOT NULL,
    technology TEXT NOT NULL,
    suite TEXT NOT NULL,
    name TEXT NOT NULL,
    first_run INTEGER NOT NULL,
    last_run INTEGER NOT NULL,
    state INTEGER NOT NULL DEFAULT 3,
    flake_rate REAL NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    executions INTEGER NOT NULL DEFAULT 0,
    duration_ms REAL,
    last_failed_ms INTEGER,
    impact INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX tests_by_last_run ON tests (last_run);

  CREATE TABLE test_variants (
    id INTEGER PRIMARY KEY,
    uuid BLOB NOT NULL UNIQUE,
    test INTEGER NOT NULL,
    job TEXT NOT NULL,
    function TEXT NOT NULL,
    state INTEGER NOT NULL DEFAULT 3,
    flake_rate REAL NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    executions INTEGER NOT NULL DEFAULT 0,
    duration_ms REAL,
    last_failed_ms INTEGER
  ) STRICT;
  CREATE INDEX test_variants_by_test ON test_variants (test);

  CREATE TABLE test_ledgers (
    variant INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT;

  CREATE TABLE executions (
    run INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    started_ms INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (run, variant, attempt)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE test_journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    test INTEGER NOT NULL,
    variant INTEGER,
    kind TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX test_journal_by_test ON test_journal (test, id);
`;

/**
 * Lists of tests, one index for each order. They have all that a list asks for, so that rows that are passed over are not read. Tests with
 * one value are in the order of their states, the worst first.
 */
const testOrders = `
  CREATE INDEX tests_by_impact ON tests (impact DESC, state, id, namespace, project);
  CREATE INDEX tests_by_flake_rate ON tests (flake_rate DESC, state, id, namespace, project);
  CREATE INDEX tests_by_failures ON tests (failures DESC, state, id, namespace, project);
  CREATE INDEX tests_by_duration ON tests (duration_ms DESC, state, id, namespace, project);
  CREATE INDEX tests_by_last_failure ON tests (last_failed_ms DESC, state, id, namespace, project);
  CREATE INDEX tests_by_name ON tests (suite, name, id, state, namespace, project);
`;

/** Causes of failures across runs (`causes.ts`). A key is a hash, with namespace and project. */
const causes = `
  CREATE TABLE causes (
    id INTEGER PRIMARY KEY,
    uuid BLOB NOT NULL UNIQUE,
    namespace TEXT NOT NULL,
    project TEXT NOT NULL,
    title TEXT NOT NULL,
    sample TEXT NOT NULL,
    first_failure TEXT NOT NULL,
    first_run INTEGER NOT NULL,
    since_run INTEGER NOT NULL,
    last_run INTEGER NOT NULL,
    since_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX causes_by_run ON causes (last_run, id);
  CREATE INDEX causes_by_namespace ON causes (namespace, last_run, id);

  CREATE TABLE cause_keys (
    key BLOB NOT NULL,
    cause INTEGER NOT NULL,
    PRIMARY KEY (key, cause)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX cause_keys_by_cause ON cause_keys (cause);

  CREATE TABLE cause_variants (
    cause INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    last_run INTEGER NOT NULL,
    PRIMARY KEY (cause, variant)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX cause_variants_by_variant ON cause_variants (variant);

  CREATE TABLE cause_runs (
    cause INTEGER NOT NULL,
    run INTEGER NOT NULL,
    place INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    PRIMARY KEY (cause, run, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX cause_runs_by_run ON cause_runs (run);
`;

/** An entry of the journal that began a quarantine has its end, until another entry takes it away. */
const quarantine = `
  ALTER TABLE test_journal ADD COLUMN until_ms INTEGER;
  CREATE INDEX quarantines ON test_journal (test, variant, until_ms) WHERE until_ms IS NOT NULL;
`;

export const MIGRATIONS: readonly string[] = [
  firstSchema,
  executionsOverRuns,
  brokenReports,
  countingExecutions,
  endedWorkflows,
  sharedBodies,
  foldingEvents,
  logParts,
  masksInRow,
  keysInParts,
  runSummaries,
  logMarks,
  testHistory,
  testOrders,
  causes,
  quarantine,
];
