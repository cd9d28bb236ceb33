/**
 * The names of the entries that Tutti adds to events of the wire. This is the only file that spells them. Published schemas allow
 * such names, and other readers ignore them. Each entry carries a fact (`packages/workflow/src/facts`): its codec reads and
 * writes them, and nobody else does.
 */
const PREFIX = 'tutti.';

export const OWN_ENTRIES = {
  actor: 'tutti.actor',
  asWritten: 'tutti.as-written',
  attempt: 'tutti.attempt',
  branch: 'tutti.branch',
  brokenReport: 'tutti.broken-report',
  called: 'tutti.called',
  cause: 'tutti.cause',
  channelHooks: 'tutti.channel-hooks',
  checkouts: 'tutti.checkouts',
  conclusion: 'tutti.conclusion',
  continueOnError: 'tutti.continue-on-error',
  deadlineMs: 'tutti.deadline-ms',
  download: 'tutti.download',
  failFast: 'tutti.fail-fast',
  failed: 'tutti.failed',
  file: 'tutti.file',
  files: 'tutti.files',
  generalErrors: 'tutti.general-errors',
  granted: 'tutti.granted',
  halted: 'tutti.halted',
  hook: 'tutti.hook',
  hooks: 'tutti.hooks',
  incomplete: 'tutti.incomplete',
  inputs: 'tutti.inputs',
  job: 'tutti.job',
  jobs: 'tutti.jobs',
  keepWorkspace: 'tutti.keep-workspace',
  local: 'tutti.local',
  masked: 'tutti.masked',
  masks: 'tutti.masks',
  matrix: 'tutti.matrix',
  maxParallel: 'tutti.max-parallel',
  missingReports: 'tutti.missing-reports',
  notRun: 'tutti.not-run',
  output: 'tutti.output',
  outputs: 'tutti.outputs',
  problems: 'tutti.problems',
  rerunOf: 'tutti.rerun-of',
  secrets: 'tutti.secrets',
  selection: 'tutti.selection',
  skipped: 'tutti.skipped',
  spared: 'tutti.spared',
  stderr: 'tutti.stderr',
  stepEnded: 'tutti.step-ended',
  stepName: 'tutti.step-name',
  streamed: 'tutti.streamed',
  superseded: 'tutti.superseded',
  taken: 'tutti.taken',
  takenOver: 'tutti.taken-over',
  testHistories: 'tutti.test-histories',
  timeout: 'tutti.timeout',
  timeoutMs: 'tutti.timeout-ms',
  traceparent: 'tutti.traceparent',
  useWorkspace: 'tutti.use-workspace',
  uses: 'tutti.uses',
  version: 'tutti.version',
  versions: 'tutti.versions',
  waiting: 'tutti.waiting',
  warnings: 'tutti.warnings',
} as const;

export const isOwnEntry = (name: string): boolean => name.startsWith(PREFIX);

/** Drops our own entries from the entries of others. Only the server writes them, as state of the run. */
export const withoutOwnEntries = (entries: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => !isOwnEntry(name)));
