/** Invariants of a run after every decision, whatever happened; each breach throws with a sentence. */
import type {
  ExecutionCommandEvent,
  ExecutionErrorEvent,
  ExecutionResultEvent,
  NotificationEvent,
  RunEvent,
} from '@tutti/manifests';
import { STEP_SEQUENCE } from '@tutti/manifests';
import { factOf } from '../../facts/decode.ts';
import { needsOf, variableValues } from '../contexts.ts';
import { bundlesAround, jobBeside, jobsOfWorkflow } from '../job-tree.ts';
import { isEnded, type Job, type Run } from '../run.ts';
import { keyOf } from './bundle-rules.ts';
import { EndRules } from './end-rules.ts';
import { EnvironmentRules } from './environment-rules.ts';
import { HookRules } from './hook-rules.ts';
import { checkLimits } from './limit-rules.ts';
import { must } from './must.ts';
import { jobsOnWay, VARIABLE, type WorkflowPlan } from './plan.ts';
import { readByShell, secretOf } from './plan-manifest.ts';
import { trackReaders } from './report-reader.ts';
import { credentialsOf } from './resource-plan.ts';
import { ResourceRules } from './resource-rules.ts';
import { SharingRules } from './sharing-rules.ts';
import { checkState } from './state-rules.ts';
import { StopRules } from './stop-rules.ts';
import { TestRules } from './test-rules.ts';

export class Invariants {
  readonly #plan: WorkflowPlan;
  /** Keys of bundles that have their jobs. */
  readonly #expanded = new Set<string>();
  readonly #sent = new Set<string>();
  readonly #steps = new Set<string>();
  readonly #answered = new Set<string>();
  /** By job, the channel whose offer was accepted and that was not released yet. */
  readonly #held = new Map<string, string>();
  /** By job, the number of the next step. */
  readonly #next = new Map<string, number>();
  /** Jobs whose concurrency group was granted; the empty name is the workflow. */
  readonly #granted = new Set<string>();
  readonly #readers = new Set<string>();
  /** By job, what its steps left in the variables file. */
  readonly #left = new Map<string, string>();
  /** The last reason for waiting by job; the empty name is the workflow. */
  readonly #waits = new Map<string, string>();
  readonly #stops: StopRules;
  readonly #hooks: HookRules;
  readonly #sharing: SharingRules;
  readonly #environments: EnvironmentRules;
  readonly #resources: ResourceRules;
  readonly #ends = new EndRules();
  readonly #tests = new TestRules();
  #errors = 0;
  #isOver = false;

  constructor(plan: WorkflowPlan) {
    this.#plan = plan;
    this.#stops = new StopRules(plan);
    this.#hooks = new HookRules(plan);
    this.#environments = new EnvironmentRules(plan);
    this.#resources = new ResourceRules(plan);
    const secrets = plan.input === null ? [] : [secretOf(plan.input)];
    this.#sharing = new SharingRules([...secrets, ...credentialsOf(plan)]);
  }

  /** `input`: the event that came from outside, if one did. */
  check(before: Run, events: readonly RunEvent[], after: Run, input: RunEvent | null): void {
    for (const event of events) this.#checkEvent(event, after, event === input);
    checkState(before, after);
    this.#sharing.checkRun(after);
    this.#ends.checkRun(after);
    checkLimits(this.#plan, after, this.#expanded);
    this.#tests.check(before, events, after);
    const workers = [...after.workers].sort().join();
    must(workers === [...this.#readers].sort().join(), `The workers should not be "${workers}".`);
    must(isEnded(after) === this.#isOver, 'A run is over exactly from its terminal event on.');
    if (this.#isOver) this.#checkEnd(after);
  }

  #checkEvent(event: RunEvent, run: Run, isInput: boolean): void {
    if (this.#isOver) {
      const late = event.kind === 'Notification' || event.kind === 'WorkflowResult';
      must(late, `${event.kind} follows the terminal event.`);
    }
    trackReaders(this.#readers, event);
    this.#stops.check(event);
    this.#hooks.check(event);
    this.#sharing.check(event);
    this.#resources.check(event);
    this.#environments.check(event);
    this.#ends.check(event, run);
    if (event.kind === 'Notification') this.#checkNotification(event);
    if (event.kind === 'ExecutionCommand') this.#checkCommand(event, run);
    if (event.kind === 'ExecutionResult') this.#checkResult(event);
    if (event.kind === 'ProviderCommand') this.#checkStep(event);
    if (event.kind === 'ExecutionError' && !isInput && !isAnswer(event)) this.#errors += 1;
    must(this.#errors <= 1, 'A run ends itself by an error at most once.');
    if (event.kind === 'WorkflowCompleted' || event.kind === 'WorkflowCanceled')
      this.#isOver = true;
  }

  #checkNotification(event: NotificationEvent): void {
    const fact = factOf(event);
    if (fact.type === 'Granted') {
      const { job: granted } = fact;
      must(!this.#granted.has(granted), `The group of "${granted}" is granted twice.`);
      this.#granted.add(granted);
    }
    if (fact.type !== 'Held') return;
    const who = fact.job ?? '';
    const why = JSON.stringify(fact.reason);
    must(this.#waits.get(who) !== why, `Why "${who}" waits is told twice.`);
    this.#waits.set(who, why);
  }

  #checkCommand(event: ExecutionCommandEvent, run: Run): void {
    const { job_id: jobId, step_sequence_id: sequence, channel_id: channelId } = event.metadata;
    const command = `${jobId}/${sequence}`;
    if (sequence !== STEP_SEQUENCE.terminate) {
      must(!this.#sent.has(command), `Command ${command} is sent twice.`);
      this.#sent.add(command);
    }
    if (sequence === STEP_SEQUENCE.request) {
      this.#checkRequest(run, keyOf(event.metadata));
      return;
    }
    must(
      this.#held.get(jobId) === channelId,
      `Command ${command} is for a channel that the job does not hold.`,
    );
    if (sequence < 0) return;
    const next = this.#next.get(jobId) ?? 0;
    must(sequence === next, `Command ${command} comes where number ${next} should.`);
    this.#next.set(jobId, next + 1);
    this.#checkStep(event);
    const inShell = variableInShell(event, this.#left.get(jobId));
    const [script = ''] = event.scripts;
    const isSame = script.split(' ')[1] === inShell;
    must(isSame, `The shell of "${script}" has "${inShell}" in its variable.`);
  }

  #checkRequest(run: Run, key: string): void {
    const job = run.jobs.get(key);
    if (job === undefined) throw new Error(`There is no job ${key}.`);
    for (const each of [...bundlesAround(run, job), job]) this.#checkReadiness(run, each);
    this.#checkGroups(key);
  }

  #checkReadiness(run: Run, job: Job): void {
    const { key } = job;
    const areMet = needsOf(job).every((need) => jobBeside(run, job, need)?.phase === 'COMPLETED');
    must(areMet, `Job ${key} starts before what it needs.`);
  }

  /** The group of a matrix is that of all of its jobs, unless it speaks of their values. */
  #checkGroups(key: string): void {
    const names = key.split('/');
    const wanted = jobsOnWay(this.#plan, key).flatMap(({ name, group }) => {
      if (group === null) return [];
      const isOfCells = group.includes('matrix.');
      const isOwner = (each: string) => (isOfCells ? each.startsWith(`${name}-`) : each === name);
      return [names.slice(0, names.findIndex(isOwner) + 1).join('/')];
    });
    const owners = this.#plan.group === null ? wanted : ['', ...wanted];
    for (const owner of owners) {
      must(this.#granted.has(owner), `Job ${key} starts without the group of "${owner}".`);
    }
  }

  #checkStep({
    metadata,
  }: Extract<RunEvent, { kind: 'ExecutionCommand' | 'ProviderCommand' }>): void {
    const step = [metadata.job_id, ...metadata.step_origin, metadata.step_id].join('/');
    must(!this.#steps.has(step), `Step ${step} runs twice.`);
    this.#steps.add(step);
  }

  #checkResult({ metadata, variables }: ExecutionResultEvent): void {
    const { job_id: jobId, step_sequence_id: sequence, channel_id: channelId } = metadata;
    const command = `${jobId}/${sequence}`;
    must(
      this.#sent.has(command),
      `A result of command ${command}, which was never sent, is accepted.`,
    );
    must(!this.#answered.has(command), `Two results of command ${command} are accepted.`);
    this.#answered.add(command);
    const left = variables?.[VARIABLE];
    if (left !== undefined) this.#left.set(jobId, readByShell(left));
    if (sequence === STEP_SEQUENCE.request) this.#held.set(jobId, channelId ?? '');
    if (sequence === STEP_SEQUENCE.release) this.#held.delete(jobId);
  }

  #checkEnd(run: Run): void {
    for (const job of run.jobs.values()) {
      must(job.phase === 'COMPLETED' && job.result !== null, `Job ${job.key} did not end.`);
    }
    const failed = jobsOfWorkflow(run).some(
      ({ result }) => result === 'failure' || result === 'cancelled',
    );
    const isSuccess = !failed && run.cancellation === null;
    must(isSuccess === (run.phase === 'DONE'), `The run should not end ${run.phase}.`);
    must(this.#held.size === 0, 'A channel is never released.');
    for (const command of this.#sent) {
      const [jobId, sequence] = command.split('/');
      const isRequest = Number(sequence) === STEP_SEQUENCE.request;
      const isAnswered = this.#answered.has(command) || isRequest;
      must(isAnswered, `Command ${sequence} of job ${jobId} is given up without a result.`);
    }
  }
}

/** True for errors in the answer of a generator. */
function isAnswer({ details }: ExecutionErrorEvent): boolean {
  return /^The (?:generator of|workflow that) job /.test(details.error);
}

/** Variables of the step itself win over what earlier steps left. Variables of the job and of the workflow are weaker. */
function variableInShell(
  { metadata, variables }: ExecutionCommandEvent,
  left: string | undefined,
): string | undefined {
  const given = variableValues(variables)[VARIABLE];
  const local = metadata.annotations?.local_variables_names;
  const isLocal = Array.isArray(local) && local.includes(VARIABLE);
  return isLocal ? given : (left ?? given);
}
