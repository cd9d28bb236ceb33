/** What must be true of a run, whatever died while it ran. Each check answers sentences about what is wrong. */
import type { ExecutionResultEvent, RunEvent } from '@tutti/manifests';
import type { Api } from '../support/api.ts';
import { allEvents, logTexts, only, statusOf } from '../support/runs.ts';
import { type Traces, tracesIn } from './workload.ts';

export interface Evidence {
  readonly api: Api;
  /** How often each step wrote its name. */
  readonly ledger: ReadonlyMap<string, number>;
  /** When each agent that was killed was, in epoch milliseconds, by its id. */
  readonly killedAgents: ReadonlyMap<string, number>;
}

interface RunRecord {
  readonly id: string;
  readonly status: string;
  readonly events: readonly RunEvent[];
  readonly texts: readonly string[];
}

/** Of one run that has ended. */
export async function auditRun(evidence: Evidence, id: string): Promise<readonly string[]> {
  const { api } = evidence;
  const [status, events, texts] = await Promise.all([
    statusOf(api, id),
    allEvents(api, id),
    logTexts(api, id),
  ]);
  const run = { id, status, events, texts };
  const problems = [
    ...endProblems(run),
    ...doubleProblems(run),
    ...causeProblems(run, evidence.killedAgents),
    ...stepProblems(run, evidence.ledger),
    ...(await attachmentProblems(api, run)),
  ];
  return problems.map((problem) => `${id}: ${problem}`);
}

const ENDS: ReadonlyMap<string, string> = new Map([
  ['WorkflowCompleted', 'DONE'],
  ['WorkflowCanceled', 'FAILED'],
]);

function endProblems({ status, events }: RunRecord): readonly string[] {
  const problems: string[] = [];
  const kinds = events.map(({ kind }) => kind);
  if (kinds[0] !== 'Workflow' || kinds.lastIndexOf('Workflow') !== 0) {
    problems.push(`its log does not begin with its only Workflow: ${kinds.slice(0, 3)}`);
  }
  const ends = kinds.filter((kind) => ENDS.has(kind));
  if (ends.length !== 1) problems.push(`it has ${ends.length} ends`);
  const end = kinds.findIndex((kind) => ENDS.has(kind));
  if (ENDS.get(kinds[end] ?? '') !== status) problems.push(`it is ${status} after ${kinds[end]}`);
  const late = kinds.slice(end + 1).filter((kind) => kind.startsWith('Execution'));
  if (late.length > 0) problems.push(`it goes on after its end: ${late}`);
  return problems;
}

/** No command is given twice and no result is taken twice; requests may be repeated, their acceptance may not. */
function doubleProblems({ events }: RunRecord): readonly string[] {
  const keys = events.flatMap((event) => {
    if (event.kind !== 'ExecutionCommand' && event.kind !== 'ExecutionResult') return [];
    const { job_id: job, step_sequence_id: sequence } = event.metadata;
    const isRequest = event.kind === 'ExecutionCommand' && sequence === -1;
    return isRequest ? [] : [`${event.kind} ${sequence} of job ${job}`];
  });
  const doubles = keys.filter((key, index) => keys.indexOf(key) !== index);
  return doubles.map((key) => `it has ${key} twice`);
}

/** A run fails only because an agent died under it. */
function causeProblems(
  { status, events }: RunRecord,
  killedAgents: ReadonlyMap<string, number>,
): readonly string[] {
  const failures = only(events, 'ExecutionResult').filter((result) => result.status !== 0);
  const unexplained = failures.filter((result) => {
    const killedAt = killedAgents.get(String(result.metadata.channel_id));
    const failedAt = Date.parse(`${result.metadata.creationTimestamp}Z`);
    return killedAt === undefined || failedAt < killedAt;
  });
  const problems = unexplained.map(
    ({ status: code, metadata, logs }) =>
      `step ${metadata.step_sequence_id} failed (${code}) though nobody killed its agent: ${logs}`,
  );
  if (status === 'FAILED' && failures.length === 0) problems.push('it failed without a failure');
  return problems;
}

interface Execution extends Traces {
  readonly result: ExecutionResultEvent | null;
}

function executionsOf({ events }: RunRecord): readonly Execution[] {
  const results = only(events, 'ExecutionResult');
  return only(events, 'ExecutionCommand').flatMap(({ metadata, scripts }) => {
    const traces = tracesIn(scripts.join('\n'));
    if (traces === null) return [];
    const result = results.find(
      (each) =>
        each.metadata.job_id === metadata.job_id &&
        each.metadata.step_sequence_id === metadata.step_sequence_id,
    );
    return [{ ...traces, result: result ?? null }];
  });
}

function stepProblems(run: RunRecord, ledger: ReadonlyMap<string, number>): readonly string[] {
  return executionsOf(run).flatMap(({ mark, lines, result }) => {
    const times = ledger.get(mark) ?? 0;
    const printed = run.texts.filter((text) => text.startsWith(`${mark} line `));
    const wanted = Array.from({ length: lines }, (_, index) => `${mark} line ${index + 1}`);
    if (result === null) return [`step ${mark} has no result`];
    if (result.status !== 0) {
      return [
        ...(times > 1 ? [`step ${mark} failed and ran ${times} times`] : []),
        ...(isPrefix(printed, wanted) ? [] : [`step ${mark} failed and shows ${printed}`]),
      ];
    }
    return [
      ...(times === 1 ? [] : [`step ${mark} succeeded and ran ${times} times`]),
      ...(String(printed) === String(wanted) ? [] : [`step ${mark} shows ${printed}`]),
    ];
  });
}

const isPrefix = (part: readonly string[], whole: readonly string[]): boolean =>
  part.every((text, index) => text === whole[index]);

async function attachmentProblems(api: Api, run: RunRecord): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { mark, attaches, result } of executionsOf(run)) {
    if (!attaches || result?.status !== 0) continue;
    const [attachment, ...others] = Object.values(result.metadata.attachments ?? {});
    if (attachment === undefined || others.length > 0) {
      problems.push(`step ${mark} has ${others.length} files beside ${attachment?.uuid}`);
      continue;
    }
    const { text } = await api.call('GET', `/workflows/${run.id}/files/${attachment.uuid}`);
    if (text !== `data of ${mark}`) problems.push(`the file of step ${mark} holds ${text}`);
  }
  return problems;
}
