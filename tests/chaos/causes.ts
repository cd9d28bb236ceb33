/** Why steps failed: because their agent died under them, or because an existing agent lost its command with the server. */
import type { ExecutionResultEvent } from '@tutti/manifests';
import { only } from '../support/runs.ts';
import { executionsOf, type RunRecord } from './run-record.ts';

export interface Deaths {
  /** When each agent that was killed was, in epoch milliseconds, by its id. */
  readonly killedAgents: ReadonlyMap<string, number>;
  /** When the server was killed, in epoch milliseconds. */
  readonly serverKills: readonly number[];
  /** Ids of agents that have no memory of commands. */
  readonly existingAgents: ReadonlySet<string>;
}

/** A process still does something between the decision to kill it and its end. */
const DYING_MS = 500;

interface Failure {
  readonly runId: string;
  readonly result: ExecutionResultEvent;
  readonly agentId: string;
  readonly commandedMs: number;
  readonly failedMs: number;
}

type Cause = 'death of its agent' | 'death of the server' | null;

/** A failure has one of the causes, and says which agent was lost. An agent that dies takes no more than one job with it. */
export function causeProblems(runs: readonly RunRecord[], deaths: Deaths): readonly string[] {
  const problems = runs.flatMap(hiddenFailures);
  const victims = new Map<string, Set<string>>();
  for (const failure of runs.flatMap(failuresOf)) {
    const cause = causeOf(failure, deaths);
    if (cause === null || !report(failure, deaths)) problems.push(unexplained(failure));
    if (cause !== 'death of its agent') continue;
    const jobs = victims.get(failure.agentId) ?? new Set();
    victims.set(failure.agentId, jobs.add(failure.result.metadata.job_id));
  }
  for (const [agentId, jobs] of victims) {
    if (jobs.size > 1) problems.push(`the death of agent ${agentId} failed ${[...jobs]}`);
  }
  return problems;
}

/** Failures other than those of steps that leave traces. */
function hiddenFailures(run: RunRecord): readonly string[] {
  const seen = new Set(executionsOf(run).map(({ result }) => result));
  const others = only(run.events, 'ExecutionResult').filter(
    (result) => result.status !== 0 && !seen.has(result),
  );
  return others.map(
    ({ status, metadata, logs }) =>
      `${run.id}: command ${metadata.step_sequence_id} failed (${status}): ${logs}`,
  );
}

function failuresOf(run: RunRecord): readonly Failure[] {
  return executionsOf(run).flatMap(({ command, result }) => {
    if (result === null || result.status === 0) return [];
    const agentId = String(result.metadata.channel_id);
    const [commandedMs, failedMs] = [timeOf(command), timeOf(result)];
    return [{ runId: run.id, result, agentId, commandedMs, failedMs }];
  });
}

const timeOf = ({ metadata }: { metadata: { creationTimestamp?: string } }): number =>
  Date.parse(`${metadata.creationTimestamp}Z`);

function causeOf(failure: Failure, deaths: Deaths): Cause {
  const { agentId, commandedMs, failedMs } = failure;
  const killedMs = deaths.killedAgents.get(agentId) ?? Number.POSITIVE_INFINITY;
  if (killedMs <= failedMs) return 'death of its agent';
  const isMeanwhile = (ms: number) => commandedMs <= ms + DYING_MS && ms <= failedMs;
  const hasForgotten = deaths.existingAgents.has(agentId) && deaths.serverKills.some(isMeanwhile);
  return hasForgotten ? 'death of the server' : null;
}

/** After a restart it may be unknown which agent a job had lost. Only then the sentence need not name it. */
const report = ({ result, agentId, commandedMs, failedMs }: Failure, deaths: Deaths): boolean => {
  const isUnknown = deaths.serverKills.some((ms) => commandedMs <= ms + DYING_MS && ms <= failedMs);
  return (result.logs ?? []).some(
    (line) =>
      line.includes(`(${agentId}) was lost: `) ||
      (isUnknown && line.endsWith('was lost while the server was down.')),
  );
};

const unexplained = ({ runId, result }: Failure): string =>
  `${runId}: step ${result.metadata.step_sequence_id} failed (${result.status}) and nothing that died explains it: ${result.logs}`;
