/** Checks of runs that must hold whatever died meanwhile. Each check returns sentences about the problems. */
import type { Api } from '../support/api.ts';
import { causeProblems, type Deaths } from './causes.ts';
import { planProblems } from './plan.ts';
import { executionsOf, type RunRecord, readRun } from './run-record.ts';

export interface Evidence extends Deaths {
  readonly api: Api;
  /** Number of executions of each step, by its name. */
  readonly ledger: ReadonlyMap<string, number>;
}

/** Audits ended runs that a server knows. */
export async function auditRuns(
  evidence: Evidence,
  ids: readonly string[],
): Promise<readonly string[]> {
  const runs: RunRecord[] = [];
  for (const id of ids) runs.push(await readRun(evidence.api, id));
  const problems = [...causeProblems(runs, evidence), ...strayProblems(runs, evidence.ledger)];
  for (const run of runs) problems.push(...(await runProblems(evidence, run)));
  return problems;
}

async function runProblems({ api, ledger }: Evidence, run: RunRecord): Promise<readonly string[]> {
  const problems = [
    ...endProblems(run),
    ...doubleProblems(run),
    ...planProblems(run),
    ...stepProblems(run, ledger),
    ...(await attachmentProblems(api, run)),
  ];
  return problems.map((problem) => `${run.id}: ${problem}`);
}

/** Problems of steps that ran without a command. */
function strayProblems(
  runs: readonly RunRecord[],
  ledger: ReadonlyMap<string, number>,
): readonly string[] {
  const commanded = new Set(runs.flatMap(executionsOf).map(({ mark }) => mark));
  const strays = [...ledger.keys()].filter((mark) => !commanded.has(mark));
  return strays.map((mark) => `step ${mark} ran, and no command of any run has it`);
}

const ENDS: ReadonlyMap<string, string> = new Map([
  ['WorkflowCompleted', 'DONE'],
  ['WorkflowCanceled', 'FAILED'],
]);

export function endProblems({ status, events }: RunRecord): readonly string[] {
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

/**
 * No command is given twice and no result is taken twice; requests may be repeated, their acceptance may not. Each step of a job
 * may be told to stop.
 */
export function doubleProblems({ events }: RunRecord): readonly string[] {
  const keys = events.flatMap((event) => {
    if (event.kind !== 'ExecutionCommand' && event.kind !== 'ExecutionResult') return [];
    const { job_id: job, step_id: step, step_sequence_id: sequence } = event.metadata;
    const isRequest = event.kind === 'ExecutionCommand' && sequence === -1;
    const stopped = sequence < -2 ? ` for step ${step}` : '';
    return isRequest ? [] : [`${event.kind} ${sequence} of job ${job}${stopped}`];
  });
  const doubles = keys.filter((key, index) => keys.indexOf(key) !== index);
  return doubles.map((key) => `it has ${key} twice`);
}

export function stepProblems(
  run: RunRecord,
  ledger: ReadonlyMap<string, number>,
): readonly string[] {
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

export async function attachmentProblems(api: Api, run: RunRecord): Promise<readonly string[]> {
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
