/** One run of the program: a server, its agents, inboxes and clients in a storm, then in calm. Then it checks all promises. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itemsOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { allEvents, isOver, statusOf } from '../../support/runs.ts';
import { type AssaultOptions, assault, NOT_OF_ASSAULT } from './assault.ts';
import {
  deliveryProblems,
  endsMissing,
  repetitionProblems,
  surplusProblems,
} from './delivery-checks.ts';
import { openDisk } from './disk.ts';
import { planFaults, planText } from './fault-plan.ts';
import { FaultStorm } from './fault-storm.ts';
import { Happenings } from './happenings.ts';
import { filesLeft, processesOfSteps, wasKilled } from './leftovers.ts';
import type { Pause } from './pauses.ts';
import { openReplicaPlace } from './replica-place.ts';
import { checkRuns } from './run-checks.ts';
import { HANG_SECONDS } from './run-spec.ts';
import { readLedger } from './side-effects.ts';
import { type Stage, type StageOptions, setStage, strike } from './stage.ts';

/** After the storm, some run ends within this time as long as one is left. */
const PROGRESS_WITHIN_MS = 90_000;
/** Inboxes get all pending publications within this time: longer than the pause of an inbox in quarantine. */
const DELIVERED_WITHIN_MS = 100_000;
/** An agent that did not know better goes on with what was given up until it is told. */
const SETTLED_WITHIN_MS = 15_000;
/** Processes that a killed agent leaves behind end by themselves within this time. */
const ORPHANS_WITHIN_MS = (HANG_SECONDS + 10) * 1_000;

export interface ChaosOptions {
  readonly seed: number;
  readonly lengthMs: number;
  /** Servers that share a database and a bucket; 1 for a server alone. */
  readonly replicas: number;
  /** One line of what goes on. */
  readonly report: (line: string) => void;
  /** Length of one namespace's attack on another after the storm. Runs of the other namespace must start within it. */
  readonly assault: Pick<AssaultOptions, 'lengthMs' | 'startsWithinMs'> | null;
  /** Existing agents work beside our own, where they can be had; they are installed once, which takes a minute. */
  readonly hasExistingAgents: boolean;
  /** Ends all of it early: `runChaos` rejects with the reason. */
  readonly signal: AbortSignal;
}

export interface ChaosReport {
  readonly counts: ReadonlyMap<string, number>;
  readonly violations: readonly string[];
  readonly pauses: readonly Pause[];
  /** Faults that this machine does not allow, with the reasons. */
  readonly missing: readonly string[];
  /** Where everything is kept; null when nothing was wrong. */
  readonly kept: string | null;
}

const planOf = ({ seed, lengthMs, replicas }: ChaosOptions) => planFaults(seed, lengthMs, replicas);

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-chaos-'));
  const replicas = options.replicas > 1 ? await openReplicaPlace(folder, options.replicas) : null;
  const disk = replicas?.disk ?? (await openDisk(folder));
  const happenings = new Happenings();
  let missing = disk.missing;
  let isKept = true;
  try {
    missing = [...missing, ...(await play(options, { folder, disk, happenings, replicas }))];
    isKept = happenings.violations.length > 0;
  } catch (error) {
    isKept = !options.signal.aborted;
    throw error;
  } finally {
    const kept = isKept ? join(folder, 'data') : null;
    await disk.close(kept);
    if (isKept) {
      await writeFile(join(folder, 'plan'), planText(planOf(options)));
      await writeFile(join(folder, 'happenings'), `${happenings.lines.join('\n')}\n`);
    } else {
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
  }
  const { counts, violations, pauses } = happenings;
  return { counts, violations, pauses, missing, kept: isKept ? folder : null };
}

/** Resolves with what could not take part, beside what the disk cannot do. */
async function play(
  options: ChaosOptions,
  place: Pick<StageOptions, 'folder' | 'disk' | 'happenings' | 'replicas'>,
): Promise<readonly string[]> {
  const stage = await setStage({ ...options, ...place });
  try {
    for (const missing of [...stage.disk.missing, ...stage.missing]) {
      options.report(`SKIPPED: ${missing}`);
    }
    options.report(`The storm begins: ${options.lengthMs / 1_000} s, in ${stage.folder}`);
    stage.traffic.begin();
    // Otherwise a slow machine would accept nothing before the first faults, and nothing at all in a short storm.
    await eventually('the first run', () => stage.traffic.accepted.size > 0);
    await new FaultStorm(stage).rage(planOf(options), options.signal);
    await stage.traffic.end();
    // Ctrl-C in a terminal also interrupts all child processes, so the checks would mean nothing.
    options.signal.throwIfAborted();
    options.report('The storm is over.');
    await stage.server.whenUp();
    if (options.assault !== null) await attack(options, options.assault, stage);
    await check(options, stage);
    return stage.missing;
  } finally {
    await strike(stage);
    countFaultsMet(stage);
  }
}

async function attack(
  { report, signal }: ChaosOptions,
  assaulting: NonNullable<ChaosOptions['assault']>,
  { server, token, dataDir, folder, happenings }: Stage,
): Promise<void> {
  report(`One namespace attacks: ${assaulting.lengthMs / 1_000} s.`);
  await assault({
    ...assaulting,
    ...{ api: server.api, token, dataDir, folder, happenings, signal },
  });
}

/** Counts the faults that took effect, beside those that were injected. */
function countFaultsMet({ happenings, proxyCounts, disk, server }: Stage): void {
  for (const [name, count] of Object.entries(proxyCounts)) {
    if (typeof count === 'number') happenings.count(`proxy: ${name}`, count);
  }
  for (const [code, count] of proxyCounts.replayAnswers) {
    happenings.count(`posts sent again and answered with ${code}`, count);
  }
  const { delayed, failed } = disk.met();
  happenings.count('waits for the disk that took longer', delayed);
  happenings.count('waits for the disk that failed', failed);
  happenings.count('jumps of the clock that a running server saw', server.clockJumpsSeen);
}

async function check(options: ChaosOptions, stage: Stage): Promise<void> {
  const { happenings, server, traffic, agents, replicas } = stage;
  await server.whenUp();
  const ids = await settledRuns(options, stage);
  const all = await runIds(stage);
  happenings.count('runs accepted', traffic.accepted.size);
  happenings.count('runs known in the end', ids.length);
  await checkProcesses(stage);
  const ledger = await readLedger(stage.ledger);
  const { api, graceMs } = server;
  const commitTimes = replicas === null ? null : (id: string) => replicas.commitTimes(id);
  const evidence = { api, graceMs, seed: options.seed, traffic, ledger, happenings, commitTimes };
  await checkRuns(evidence, ids);
  await Promise.all(agents.map((agent) => agent.close()));
  for (const record of happenings.agents.values()) {
    const files = filesLeft(record);
    if (files.length > 0) happenings.violation(`Agent ${record.name} left ${files.join(', ')}`);
  }
  await server.close();
  await server.checkIntegrity();
  // The database has said when which replica was active.
  checkRepetitions(stage, all);
}

async function runIds({ server }: Stage, query = ''): Promise<readonly string[]> {
  return itemsOf(await server.api.call('GET', '/workflows', { query })).map(String);
}

/** Runs that are over, and all of whose publications were delivered. A start whose client gave up may come in meanwhile. */
async function settledRuns(options: ChaosOptions, stage: Stage): Promise<readonly string[]> {
  const query = `fieldSelector=${encodeURIComponent(NOT_OF_ASSAULT)}`;
  for (let ids = await runIds(stage, query); ; ) {
    options.report(`Waiting for the end of ${ids.length} runs.`);
    await waitForEnds(stage, ids);
    await checkDeliveries(stage, ids);
    const later = await runIds(stage, query);
    if (later.length === ids.length) return ids;
    ids = later;
  }
}

async function waitForEnds({ server, happenings }: Stage, ids: readonly string[]): Promise<void> {
  let left = ids;
  while (left.length > 0) {
    const before = left;
    const look = async () => {
      const open: string[] = [];
      for (const id of before) if (!isOver(await statusOf(server.api, id))) open.push(id);
      left = open;
      return open.length < before.length;
    };
    try {
      await eventually('the end of a run', look, { withinMs: PROGRESS_WITHIN_MS });
    } catch {
      for (const id of left) {
        happenings.violation(`${id} does not end`);
        const events = await allEvents(server.api, id);
        for (const event of events) happenings.note(JSON.stringify(event));
        happenings.note((await server.api.call('GET', '/agents')).text);
      }
      return;
    }
  }
}

async function checkDeliveries(stage: Stage, ids: readonly string[]): Promise<void> {
  const { inboxes, traffic, happenings, replicas } = stage;
  const owed = { published: traffic.published, endedRuns: ids };
  const checks = inboxes.map(async (inbox, index) => {
    const isPaid = () => deliveryProblems(inbox, owed).length === 0;
    await eventually('all deliveries', isPaid, { withinMs: DELIVERED_WITHIN_MS }).catch(() => {
      for (const problem of deliveryProblems(inbox, owed)) {
        happenings.violation(`inbox ${index}: ${problem}`);
      }
    });
  });
  await Promise.all(checks);
  const missing = new Set(inboxes.flatMap((inbox) => endsMissing(inbox, ids)));
  for (const id of missing) await replicas?.noteEvidence(id);
}

function checkRepetitions({ inboxes, traffic, happenings }: Stage, runs: readonly string[]): void {
  const asked = { publications: traffic.publications, runs };
  for (const [index, inbox] of inboxes.entries()) {
    const problems = [...repetitionProblems(inbox, happenings), ...surplusProblems(inbox, asked)];
    for (const problem of problems) happenings.violation(`inbox ${index}: ${problem}`);
  }
}

/** No process of a living agent's step may go on. Processes of killed agents may, as long as they end by themselves. */
async function checkProcesses({ folder, happenings }: Stage): Promise<void> {
  const look = (isOrphan: boolean) =>
    processesOfSteps(folder, happenings.agents).filter(
      ({ agent }) => wasKilled(happenings.agents.get(agent)) === isOrphan,
    );
  for (const [isOrphan, withinMs] of [
    [false, SETTLED_WITHIN_MS],
    [true, ORPHANS_WITHIN_MS],
  ] as const) {
    await eventually('no process of a step', () => look(isOrphan).length === 0, {
      withinMs,
    }).catch(() => {
      for (const { pid, agent, words } of look(isOrphan)) {
        happenings.violation(`Process ${pid} of agent ${agent} still runs: ${words}`);
      }
    });
  }
}
