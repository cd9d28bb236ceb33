/** Checks of all runs together, and of each, after the storm. */
import type { Api } from '../../support/api.ts';
import { detailsOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { attachmentProblems, doubleProblems, endProblems, stepProblems } from '../audit.ts';
import { type Execution, executionsOf, type RunRecord, readRun } from '../run-record.ts';
import { LIVENESS_SECONDS } from './agent-programs.ts';
import {
  type Circumstances,
  expectationProblems,
  isLoss,
  lossOf,
  lostAgentOf,
} from './expectation.ts';
import { type AgentRecord, type Happenings, isAmong } from './happenings.ts';
import { type RunSpec, specOf } from './run-spec.ts';
import { hasOtherClock, ORDER_SLACK_MS, type RunTimes, timesOfRun } from './run-times.ts';
import type { Ledger } from './side-effects.ts';
import type { Traffic } from './traffic.ts';

/** The least part of the allowed absence for which a lost agent was out of reach, within the counted time. */
const OUTAGE_SHARE_MIN = 1 / 3;
/** The time that counts before the allowed absence. An agent connects again with growing pauses, and several tries may fail. */
const OUTAGES_BEFORE_MS = 12_000;

/**
 * An existing agent that got no answer to its registration registers again. The first registration gets commands until it has been silent
 * for too long.
 */
const DISTURBED_BEFORE_MS = 2 * LIVENESS_SECONDS * 1_000;
/** Time for the events that follow from the last result, in milliseconds. */
const REPORTED_WITHIN_MS = 30_000;
/** Least share of many runs that must succeed, else the faults left little to check. */
const DONE_SHARE_MIN = 0.1;
const MANY_RUNS = 50;

export interface Evidence {
  readonly api: Api;
  /** Absence of an agent that the server allows, in milliseconds. */
  readonly graceMs: number;
  readonly seed: number;
  readonly traffic: Traffic;
  readonly ledger: Ledger;
  readonly happenings: Happenings;
  /** Commit times of the events of a run. Null for a server alone, whose clock tells the times. */
  readonly commitTimes: ((workflowId: string) => Promise<readonly number[]>) | null;
}

/** Checks ended runs that the server knows. */
export async function checkRuns(evidence: Evidence, ids: readonly string[]): Promise<void> {
  const { happenings, traffic, ledger } = evidence;
  const commanded = new Set<string>();
  const jobIds = new Map<string, string>();
  const indexes = new Map<number, string>();
  for (const id of traffic.accepted.keys()) {
    if (!ids.includes(id)) happenings.violation(`${id} was accepted, and nobody knows it`);
  }
  for (const id of ids) {
    const run = await readRun(evidence.api, id);
    for (const { mark } of executionsOf(run)) commanded.add(mark);
    checkUnique(happenings, run, jobIds);
    const problems = await runProblems(evidence, run, indexes);
    for (const problem of problems) happenings.violation(`${id}: ${problem}`);
  }
  for (const [mark, { starts }] of ledger) {
    if (!commanded.has(mark)) happenings.violation(`step ${mark} ran, and nobody commanded it`);
    if (starts > 1) happenings.violation(`step ${mark} ran ${starts} times`);
  }
  const done = happenings.countOf('runs DONE');
  if (ids.length >= MANY_RUNS && done < ids.length * DONE_SHARE_MIN) {
    happenings.violation(`${done} of ${ids.length} runs are DONE`);
  }
}

async function runProblems(
  evidence: Evidence,
  run: RunRecord,
  indexes: Map<number, string>,
): Promise<readonly string[]> {
  const { happenings, traffic, seed, api, ledger } = evidence;
  const index = indexOf(run);
  if (index === null || index >= traffic.started) return ['nobody asked for it'];
  const other = indexes.get(index);
  if (other !== undefined) return [`it was asked for once, and ${other} is the same`];
  indexes.set(index, run.id);
  const asked = traffic.accepted.get(run.id);
  if (asked !== undefined && asked !== index) return [`it is run ${index}, and was run ${asked}`];
  const spec = specOf(seed, index);
  happenings.count(`runs ${run.status}`);
  countSteps(happenings, run);
  const times = timesOfRun(
    run,
    await possibleTimesOf(evidence, run),
    traffic.askedAtMs.get(index) ?? 0,
  );
  const starts = new Map([...ledger].map(([mark, effects]) => [mark, effects.starts]));
  return [
    ...endProblems(run),
    ...doubleProblems(run),
    ...stepProblems(run, starts),
    ...times.problems,
    ...shownProblems(traffic, run),
    ...expectationProblems(run, spec, circumstancesOf(evidence, run, times)),
    ...fileProblems(spec, run, ledger),
    ...(await jobProblems(api, run)),
    ...(await attachmentProblems(api, run)),
  ];
}

/** Replicas have clocks of their own, and the log does not say whose clock an event has. The clock of the database is the true one. */
async function possibleTimesOf(
  { happenings, commitTimes }: Evidence,
  { id }: RunRecord,
): Promise<Parameters<typeof timesOfRun>[1]> {
  const commits = await commitTimes?.(id);
  if (commits !== undefined) return (_, place) => commits.slice(place, place + 1);
  return ({ metadata }) => happenings.trueTimes(metadata.creationTimestamp);
}

function indexOf({ events }: RunRecord): number | null {
  const [, index] = /^chaos (\d+)$/.exec(String(events[0]?.metadata.name)) ?? [];
  return index === undefined ? null : Number(index);
}

function countSteps(happenings: Happenings, run: RunRecord): void {
  for (const execution of executionsOf(run)) {
    happenings.count('steps commanded');
    const isExisting = agentOf(happenings, execution)?.isExisting === true;
    if (isExisting) {
      const how = execution.result?.status === 0 ? 'succeeded' : 'failed';
      happenings.count(`steps of existing agents that ${how}`);
    }
    if (!isLoss(execution)) continue;
    happenings.count('steps lost with their environment, and told so');
    if (agentOf(happenings, execution) === null) {
      happenings.count('steps lost of which no agent is told');
    }
  }
}

function circumstancesOf(evidence: Evidence, run: RunRecord, times: RunTimes): Circumstances {
  const { happenings, traffic, ledger } = evidence;
  const all = [...times.times.values()];
  const executions = executionsOf(run);
  return {
    ledger,
    isExcused: (execution) => {
      const loss = lossOf(executions, execution);
      return isExcused(evidence, loss, timesOf(times, loss));
    },
    mayFailAnyhow: (execution) => {
      const agent = agentOf(happenings, execution);
      return (
        agent?.isExisting === true && wasDisturbed(happenings, agent, timesOf(times, execution))
      );
    },
    hadNoDisk: (execution) => happenings.hadDiskTrouble(...timesOf(times, execution)),
    mayOverrun: (execution) => {
      const [fromMs, toMs] = timesOf(times, execution);
      return (
        happenings.wasServerAway(fromMs, toMs) ||
        isOut(evidence, execution, toMs) ||
        hasOtherClock(times, execution.command.metadata.job_id)
      );
    },
    mayStopEarly: happenings.hasClockJumped(Math.min(...all), Math.max(...all)),
    mayBeCanceled: traffic.cancelAsked.has(run.id) || hasLostAgent(happenings, run, all),
    mustBeCanceled: traffic.mustBeCanceled.has(run.id),
  };
}

/**
 * An agent that is told to end takes its registration back, which cancels what it works for (specification 3.2). An existing one
 * does so also when it meets what it does not understand.
 */
function hasLostAgent(
  happenings: Happenings,
  { events }: RunRecord,
  timesMs: readonly number[],
): boolean {
  const shownBy = events.flatMap((event) =>
    event.kind === 'WorkflowCanceled' ? String(event.details?.reason) : [],
  );
  const all: Span = [Math.min(...timesMs), Math.max(...timesMs)];
  return shownBy.some((reason) => {
    const [, name = ''] = /^Agent "([^"]+)" was de-registered\.$/.exec(reason) ?? [];
    const agent = happenings.agentRegisteredAs(name);
    if (agent === null) return false;
    return agent.hasStopped || (agent.isExisting && wasDisturbed(happenings, agent, all));
  });
}

/** From and until, in true milliseconds. */
type Span = readonly [number, number];

/** When it was commanded and when its result came; as far as possible where that cannot be told. */
function timesOf({ times }: RunTimes, { command, result }: Execution): Span {
  return [
    times.get(command) ?? Number.NEGATIVE_INFINITY,
    (result && times.get(result)) ?? Number.POSITIVE_INFINITY,
  ];
}

type Patience = Pick<Evidence, 'happenings' | 'graceMs' | 'commitTimes'>;

/** Its agent died, got the command to end, or was out of reach before the step was given up. */
function isExcused(patience: Patience, execution: Execution, span: Span): boolean {
  const { happenings } = patience;
  const agent = agentOf(happenings, execution);
  if (agent === null) return lostAgentOf(execution) === null;
  if (agent.isExisting) return wasDisturbed(happenings, agent, span);
  if (wasKilledBefore(agent, span[1])) return true;
  if (agent.hasStopped) return true;
  return isOut(patience, execution, span[1]);
}

const wasKilledBefore = ({ killedAtMs }: AgentRecord, untilMs: number): boolean =>
  killedAtMs !== null && killedAtMs <= untilMs + 50;

/**
 * Any fault between an existing agent and the server, from shortly before the command on. The agent never gets an answer twice, and its own
 * messages may get lost.
 */
function wasDisturbed(happenings: Happenings, agent: AgentRecord, [from, untilMs]: Span): boolean {
  const fromMs = from - DISTURBED_BEFORE_MS;
  return (
    agent.hasStopped ||
    wasKilledBefore(agent, untilMs) ||
    isAmong(agent.outages, fromMs, untilMs) ||
    agent.cutsAtMs.some((ms) => ms >= fromMs && ms <= untilMs) ||
    happenings.hadServerTrouble(fromMs, untilMs)
  );
}

/** It was out of reach for some time before. */
function isOut(
  { happenings, graceMs, commitTimes }: Patience,
  execution: Execution,
  untilMs: number,
): boolean {
  // The time is that of a commit, for which the event may have waited.
  const waitMs = commitTimes === null ? 0 : ORDER_SLACK_MS;
  const sinceMs = untilMs - graceMs - OUTAGES_BEFORE_MS - waitMs;
  const { outages } = agentOf(happenings, execution) ?? { outages: [] };
  const outMs = outages
    .map(({ fromMs, toMs }) => Math.min(toMs, untilMs) - Math.max(fromMs, sinceMs))
    .reduce((sum, ms) => sum + Math.max(0, ms), 0);
  return outMs >= graceMs * OUTAGE_SHARE_MIN;
}

/**
 * Its loss names the agent, and else its result has the id of the registration. Null when nothing tells which it was: it was away before it
 * had anything of the job.
 */
function agentOf(happenings: Happenings, execution: Execution): AgentRecord | null {
  const name = lostAgentOf(execution);
  if (name !== null) return happenings.agentRegisteredAs(name);
  return happenings.agentsById.get(String(execution.result?.metadata.channel_id)) ?? null;
}

/** Events that were shown while the run went on must still be there, at the same place. */
function shownProblems(
  { shown, shownEnds }: Traffic,
  { id, events, status }: RunRecord,
): readonly string[] {
  const before = shown.get(id) ?? [];
  const lost = before.findIndex((event, place) => JSON.stringify(events[place]) !== event);
  const end = shownEnds.get(id) ?? status;
  return [
    ...(lost === -1 ? [] : [`event ${lost} was shown and is another now: ${before[lost]}`]),
    ...(end === status ? [] : [`it was shown as ${end} and is ${status}`]),
  ];
}

function fileProblems(spec: RunSpec, run: RunRecord, ledger: Ledger): readonly string[] {
  if (spec.file === null) return [];
  return executionsOf(run).flatMap(({ mark }) => {
    const read = ledger.get(mark)?.infos.get('file');
    return read === undefined || `${read}\n` === spec.file ? [] : [`step ${mark} read ${read}`];
  });
}

/** Ids of jobs are of one run alone. */
function checkUnique(happenings: Happenings, run: RunRecord, jobIds: Map<string, string>): void {
  for (const { command } of executionsOf(run)) {
    const { job_id: job } = command.metadata;
    const other = jobIds.get(job) ?? run.id;
    if (other !== run.id) happenings.violation(`job ${job} is of ${other} and of ${run.id}`);
    jobIds.set(job, run.id);
  }
}

/** The jobs are told, once all is calm, and each that began has ended. */
async function jobProblems(api: Api, run: RunRecord): Promise<readonly string[]> {
  const look = async () => {
    const answer = await api.call('GET', `/workflows/${run.id}/datasources/jobs`, {
      query: 'per_page=1000',
    });
    return answer.code === 202 ? null : answer;
  };
  const answer = await eventually('jobs', look, { withinMs: REPORTED_WITHIN_MS }).catch(() => null);
  if (answer === null) return ['its jobs are not told'];
  const { items } = detailsOf(answer);
  // A run that ended before any job had begun.
  if (!Array.isArray(items)) return executionsOf(run).length === 0 ? [] : ['it has no jobs'];
  return items.flatMap((item) => {
    const { status, metadata } = Object(item);
    const { startTime, endTime, phase } = Object(status);
    const isOpen = startTime && !endTime;
    return isOpen ? [`its job ${Object(metadata).name} began and is ${phase}`] : [];
  });
}
