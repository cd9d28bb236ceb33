/**
 * The world around a run: channel handlers with their channels, and a provider. As in life they know only the events, and answer
 * with events of their own, which take their time (`mail`).
 *
 * A channel is IDLE, or PENDING during its offer. It is BUSY from the accepted offer to the end of the release.
 */
import type {
  ChannelId,
  ChannelOs,
  ExecutionCommandEvent,
  ExecutionResultEvent,
  GeneratorCommandEvent,
  Hook,
  JobId,
  ProviderCommandEvent,
  RunEvent,
} from '@tutti/manifests';
import { STEP_SEQUENCE } from '@tutti/manifests';
import { factOf } from '../../facts/decode.ts';
import type { Run } from '../run.ts';
import {
  answerTo,
  calledFor,
  errorTo,
  fetchedBy,
  generatedFor,
  offerFor,
  resultOf,
  uploadOf,
} from './answers.ts';
import { calledFileOf, FETCH_OUTPUTS, fetchAnswer, isFetch } from './call-plan.ts';
import { allJobs, type BundlePlan, commandText, type StepPlan, type WorkflowPlan } from './plan.ts';
import {
  answerOf,
  calledOf,
  generatorOf,
  hookOf,
  persistedBy,
  providerOutputs,
  stepOf,
  stepsByKey,
  wordsOf,
} from './plan-manifest.ts';
import type { Random } from './random.ts';
import { readerSays, readersNotDone } from './report-reader.ts';

interface Channel {
  readonly id: ChannelId;
  readonly handlerId: string;
  readonly os: ChannelOs;
  readonly tags: readonly string[];
  phase: 'IDLE' | 'PENDING' | 'BUSY';
  jobId: JobId | null;
  /** The command at work; its result may be under way. */
  command: ExecutionCommandEvent | null;
}

/** An event under way to the run. */
export interface Letter {
  readonly event: RunEvent;
  /** Set for the offer of a channel. */
  readonly channel: Channel | null;
}

/** Statuses of a command that was told to stop, and of one whose agent was lost. */
const STOPPED = 143;
const LOST = 1;

export class World {
  readonly mail: Letter[] = [];
  /** First lines of the scripts that environments began, with what ran them and where, by job id. */
  readonly scripts = new Map<JobId, string[]>();
  /** Commands that environments began, as `{job_id}/{step_sequence_id}`: they are durable, so a crash begins none again. */
  readonly #begun = new Set<string>();
  readonly #channels: readonly Channel[];
  readonly #steps: ReadonlyMap<string, StepPlan>;
  /** Bundles by name of the generator, or of the called file. */
  readonly #bundles: ReadonlyMap<string, BundlePlan>;
  readonly #random: Random;
  readonly #plan: WorkflowPlan;
  readonly #requests = new Map<JobId, ExecutionCommandEvent>();
  readonly #hooks: { readonly channel: readonly Hook[]; readonly provider: readonly Hook[] };

  constructor(random: Random, plan: WorkflowPlan) {
    this.#random = random;
    this.#plan = plan;
    this.#steps = stepsByKey(plan);
    this.#bundles = new Map(
      allJobs(plan.jobs).flatMap((job) =>
        job.bundle === null
          ? []
          : [[generatorOf(job), job.bundle] as const, [calledFileOf(job), job.bundle] as const],
      ),
    );
    const { channel, provider } = plan.hooks;
    this.#hooks = { channel: channel.map(hookOf), provider: provider.map(hookOf) };
    const { environments } = plan;
    const more = Array.from({ length: random.between(0, 2) }, () => random.pick(environments));
    this.#channels = [...environments, ...more].map((environment, index) => ({
      ...environment,
      id: `channel-${index}` as ChannelId,
      handlerId: `handler-${index % 2}`,
      phase: 'IDLE',
      jobId: null,
      command: null,
    }));
  }

  get areAllChannelsFree(): boolean {
    return this.#channels.every(({ phase, jobId }) => phase === 'IDLE' && jobId === null);
  }

  hear(event: RunEvent): void {
    if (event.kind === 'ExecutionCommand') this.#commanded(event);
    if (event.kind === 'ExecutionResult') this.#resultTaken(event);
    if (event.kind === 'ProviderCommand') this.#providerCalled(event);
    if (event.kind === 'GeneratorCommand') this.#generatorAsked(event);
    if (event.kind === 'Notification' && factOf(event).type === 'JobEnded') {
      const { job_id: jobId } = event.metadata;
      if (jobId !== undefined) this.#requests.delete(jobId);
    }
    for (const said of readerSays(event)) this.#send(said);
  }

  /** A letter that was refused, or got lost for good: an offer of a channel is over with it. */
  gone({ channel }: Letter): void {
    if (channel?.phase !== 'PENDING') return;
    channel.phase = 'IDLE';
    this.#place();
  }

  /** An agent goes away while it works: its handler answers in its place. */
  loseAgent(): void {
    const busy = this.#channels.filter(({ command }) => command !== null);
    const channel = busy[this.#random.below(busy.length)];
    if (channel?.command) this.#answerFor(channel.command, LOST);
  }

  /** Everything that was only in memory is gone; the commands to answer follow from the run and its log. */
  restart(run: Run, log: readonly RunEvent[]): void {
    this.mail.length = 0;
    this.#requests.clear();
    for (const channel of this.#channels) {
      Object.assign(channel, { phase: 'IDLE', jobId: null, command: null });
    }
    for (const job of run.jobs.values()) {
      const channel = this.#channels.find(({ id }) => id === job.channel?.id);
      if (channel !== undefined) Object.assign(channel, { phase: 'BUSY', jobId: job.jobId });
    }
    for (const event of pendingEffects(run, log)) this.hear(event);
    for (const said of readersNotDone(log)) this.#send(said);
  }

  #commanded(event: ExecutionCommandEvent): void {
    const { job_id: jobId, step_sequence_id: sequence, channel_id: channelId } = event.metadata;
    if (sequence === STEP_SEQUENCE.request) {
      this.#requests.set(jobId, event);
      this.#place();
      return;
    }
    const channel = this.#channels.find(({ id }) => id === channelId);
    if (channel === undefined || channel.phase !== 'BUSY' || channel.jobId !== jobId) {
      throw new Error(`Command ${jobId}/${sequence} names a channel that the job does not hold.`);
    }
    const isRight = hasAll(channel, event) && event.metadata.channel_os === channel.os;
    if (!isRight) throw new Error(`Command ${jobId}/${sequence} is for another environment.`);
    if (sequence === STEP_SEQUENCE.terminate) this.#stop(channel);
    else if (sequence === STEP_SEQUENCE.release) this.#send(resultOf(event, { status: 0 }));
    else this.#begin(channel, event);
  }

  #begin(channel: Channel, event: ExecutionCommandEvent): void {
    const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
    const command = `${jobId}/${sequence}`;
    if (channel.command !== null) throw new Error(`Command ${command} begins beside another one.`);
    channel.command = event;
    if (!this.#begun.has(command)) {
      this.#begun.add(command);
      const scripts = this.scripts.get(jobId) ?? [];
      const {
        scripts: [script = ''],
        shell,
        'working-directory': directory,
      } = event;
      this.scripts.set(jobId, [...scripts, commandText(script, shell, directory)]);
    }
    const step = this.#stepOf(event.scripts[0]);
    if (step.trouble === 'hangs') return;
    const { exitCode: status, output, attaches } = step;
    if (isFetch(step)) {
      this.#send(fetchedBy(event, status));
      return;
    }
    if (attaches) this.#send(uploadOf(event));
    this.#send(
      resultOf(event, { status, output, attaches, variables: persistedBy(step, channel.os) }),
    );
  }

  /** A step that ended by itself may be faster than the order to stop. */
  #stop({ command }: Channel): void {
    if (command === null) return;
    const isUnderWay = this.mail.some(({ event }) => isResultOf(event, command));
    if (!isUnderWay || this.#random.chance(0.5)) this.#answerFor(command, STOPPED);
  }

  #answerFor(command: ExecutionCommandEvent, status: number): void {
    const others = this.mail.filter(({ event }) => !isResultOf(event, command));
    this.mail.splice(0, this.mail.length, ...others);
    this.#send(resultOf(command, { status }));
  }

  #resultTaken({ metadata }: ExecutionResultEvent): void {
    const { job_id: jobId, step_sequence_id: sequence, channel_id: channelId } = metadata;
    const channel = this.#channels.find(({ id }) => id === channelId);
    if (sequence === STEP_SEQUENCE.request) {
      this.#requests.delete(jobId);
      if (channel !== undefined) Object.assign(channel, { phase: 'BUSY', jobId });
    } else if (sequence === STEP_SEQUENCE.release) {
      if (channel !== undefined) Object.assign(channel, { phase: 'IDLE', jobId: null });
      this.#place();
    } else if (channel !== undefined) {
      channel.command = null;
    }
  }

  /** Each handler offers a channel of its own to each job; only one of them will be taken. */
  #place(): void {
    for (const [jobId, request] of this.#requests) {
      const offered = this.mail.filter(({ event }) => event.metadata.job_id === jobId);
      const handlers = new Set(offered.map(({ channel }) => channel?.handlerId));
      for (const channel of this.#channels) {
        const isFit = channel.phase === 'IDLE' && hasAll(channel, request);
        if (!isFit || handlers.has(channel.handlerId)) continue;
        handlers.add(channel.handlerId);
        channel.phase = 'PENDING';
        this.#send(offerFor(request, channel, this.#hooks.channel), channel);
      }
    }
  }

  #providerCalled(event: ProviderCommandEvent): void {
    const fetching = fetchAnswer(event.step.with);
    if (fetching !== null) {
      this.#send(answerTo(event, fetching, FETCH_OUTPUTS, this.#hooks.provider));
      return;
    }
    const words = wordsOf(event.step.with);
    const step = this.#stepOf(words);
    if (step.trouble === 'hangs') return;
    if (step.trouble === 'refused') {
      this.#send(errorTo(event, 'The provider refuses.'));
      return;
    }
    const needs = words.split(' ').slice(1);
    const steps = (step.nested ?? []).map((nested) => withWords(stepOf(nested, []), needs));
    this.#send(answerTo(event, steps, providerOutputs(step), this.#hooks.provider));
  }

  #generatorAsked(event: GeneratorCommandEvent): void {
    const file = factOf(event).called?.file;
    const bundle = this.#bundles.get(file ?? event.generator);
    if (bundle === undefined) throw new Error(`Nobody is generator ${event.generator}.`);
    if (bundle.trouble === 'hangs') return;
    if (bundle.trouble === 'refused') {
      const isFailure = bundle.form === 'repository';
      const problem = 'The file is wrong.';
      this.#send(isFailure ? calledFor(event, { problem }) : errorTo(event, problem));
      return;
    }
    const answer = answerOf(bundle, this.#plan);
    const isCalled = file !== undefined;
    const called = calledOf(bundle);
    this.#send(isCalled ? calledFor(event, { ...answer, called }) : generatedFor(event, answer));
  }

  #send(event: RunEvent, channel: Channel | null = null): void {
    this.mail.push({ event, channel });
  }

  #stepOf(words: string | undefined): StepPlan {
    const key = (words ?? '').split(' ')[0] ?? '';
    const step = this.#steps.get(key);
    if (step === undefined) throw new Error(`No step of the workflow says "${words}".`);
    return step;
  }
}

const hasAll = ({ tags }: Channel, event: ExecutionCommandEvent): boolean =>
  event['runs-on'].every((tag) => tags.includes(tag));

/** Steps of a provider print the words that the step they stand for was given. */
function withWords(step: ReturnType<typeof stepOf>, words: readonly string[]): typeof step {
  if (step.uses === undefined) return { ...step, run: [step.run, ...words].join(' ') };
  const own = String(step.with?.words);
  return { ...step, with: { words: [own, ...words].join(' ') } };
}

function isResultOf(event: RunEvent, command: ExecutionCommandEvent): boolean {
  return (
    event.kind === 'ExecutionResult' &&
    event.metadata.job_id === command.metadata.job_id &&
    event.metadata.step_sequence_id === command.metadata.step_sequence_id
  );
}

/** The commands that nobody has answered yet, as the run knows them. */
function pendingEffects(run: Run, log: readonly RunEvent[]): readonly RunEvent[] {
  return [...run.jobs.values()].flatMap((job) => {
    const ofJob = log.filter(
      ({ metadata }) => metadata.job_id !== undefined && metadata.job_id === job.jobId,
    );
    const command = (sequence: number | undefined) =>
      ofJob.filter(
        (event) =>
          event.kind === 'ExecutionCommand' && event.metadata.step_sequence_id === sequence,
      );
    if (job.phase === 'REQUESTED') return command(STEP_SEQUENCE.request);
    if (job.phase === 'GENERATING') return ofJob.filter(({ kind }) => kind === 'GeneratorCommand');
    if (job.phase === 'RELEASING') return command(STEP_SEQUENCE.release);
    if (job.providerCall !== null)
      return ofJob.filter(({ kind }) => kind === 'ProviderCommand').slice(-1);
    if (job.command === null) return [];
    const stop = job.command.terminated === null ? [] : command(STEP_SEQUENCE.terminate).slice(-1);
    return [...command(job.command.sequence), ...stop];
  });
}
