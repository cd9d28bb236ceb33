/** Reads the status of a quality gate for a run, with the results of its rules (specification 2.9 and 4.10). */
import {
  detailsOf,
  isPreparing,
  isRecord,
  type JsonRecord,
  parseQualityGate,
  type QualityGateStatus,
  warningsOf,
} from './documents.ts';
import type { Sleep } from './retry-delay.ts';
import type { Transport } from './transport.ts';

export interface GateQuery {
  /** Name of the gate. */
  readonly mode: string;
  /** A definition that has the gate, in YAML or JSON. Without it, the server must know the gate. */
  readonly definition?: Blob | undefined;
  /** Counts the test cases of jobs that the run took over from earlier runs, too. Other servers do not know this parameter. */
  readonly takenOver?: boolean | undefined;
  /** Milliseconds to wait for the end of the run and for its test results. */
  readonly waitMs: number;
}

/** The result of one rule, with values as the wire spells them. Entries that the server left out are empty. */
export interface GateRuleResult {
  readonly name: string;
  readonly result: string;
  readonly testsInScope: string;
  readonly testsFailed: string;
  readonly testsPassed: string;
  readonly successRatio: string;
  readonly threshold: string;
  readonly scope: string;
  readonly message: string;
}

/** Jobs that a run took over from an earlier one. */
export interface TakenOverJobs {
  readonly workflowId: string;
  readonly jobs: readonly string[];
  /** Ids of these jobs and of the jobs in them, as their test cases name them. */
  readonly jobIds: readonly string[];
  /** The run was deleted, so its test results are unknown. */
  readonly isLost: boolean;
}

export interface GateReport {
  /** Null if test results were still missing at the deadline. */
  readonly status: QualityGateStatus | null;
  readonly rules: readonly GateRuleResult[];
  readonly warnings: readonly string[];
  /** The jobs whose test cases were judged, too; the newest run first. */
  readonly takenOver: readonly TakenOverJobs[];
  /** The answer of the server, unchanged. */
  readonly document: JsonRecord;
}

interface JudgeWith {
  readonly transport: Transport;
  readonly sleep: Sleep;
  readonly now: () => number;
}

/** Pause between two requests for the verdict on a run that goes on. */
const PAUSE_MS = 1_000;
/** A server holds a request for a minute at most; half of that leaves time for the answer. */
const HELD_SECONDS_MAX = 30;

/** Asks until the gate has a verdict or the time is over. Throws the refusals of the server. */
export async function judgeByGate(
  { transport, sleep, now }: JudgeWith,
  path: string,
  query: GateQuery & { readonly signal?: AbortSignal | undefined },
): Promise<GateReport> {
  const deadline = now() + query.waitMs;
  for (;;) {
    const report = await ask(transport, path, query, Math.max(0, deadline - now()));
    const isOpen = report.status === null || report.status === 'RUNNING';
    const leftMs = deadline - now();
    if (!isOpen || leftMs <= 0) return report;
    await sleep(Math.min(PAUSE_MS, leftMs), query.signal);
  }
}

async function ask(
  transport: Transport,
  path: string,
  {
    mode,
    definition,
    takenOver,
    signal,
  }: GateQuery & { readonly signal?: AbortSignal | undefined },
  leftMs: number,
): Promise<GateReport> {
  const seconds = Math.min(HELD_SECONDS_MAX, Math.ceil(leftMs / 1000));
  const asked = takenOver === true ? 'true' : undefined;
  const call = { path, query: { mode, timeout: String(seconds), takenOver: asked }, signal };
  const { response, body } = await transport.json(
    definition === undefined ? call : { ...call, method: 'POST', body: formOf(definition) },
  );
  const details = detailsOf(body) ?? {};
  return {
    status: isPreparing(body) ? null : parseQualityGate(response.url, body),
    rules: isRecord(details.rules) ? Object.entries(details.rules).map(parseRule) : [],
    warnings: warningsOf(details),
    takenOver: Array.isArray(details.taken_over) ? details.taken_over.flatMap(parseTaken) : [],
    document: isRecord(body) ? body : {},
  };
}

function formOf(definition: Blob): FormData {
  const form = new FormData();
  form.set('qualitygates', definition, 'qualitygates.yaml');
  return form;
}

function parseRule([name, given]: readonly [string, unknown]): GateRuleResult {
  const rule = isRecord(given) ? given : {};
  return {
    name,
    result: shown(rule.result),
    testsInScope: shown(rule.tests_in_scope),
    testsFailed: shown(rule.tests_failed),
    testsPassed: shown(rule.tests_passed),
    successRatio: shown(rule.success_ratio),
    threshold: shown(rule.threshold),
    scope: shown(rule.scope),
    message: shown(rule.message),
  };
}

function parseTaken(given: unknown): readonly TakenOverJobs[] {
  if (!isRecord(given) || typeof given.workflow_id !== 'string') return [];
  const { workflow_id: workflowId, jobs, job_ids: ids, lost } = given;
  return [{ workflowId, jobs: textsIn(jobs), jobIds: textsIn(ids), isLost: lost === true }];
}

const textsIn = (given: unknown): readonly string[] =>
  Array.isArray(given) ? given.filter((item) => typeof item === 'string') : [];

const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
