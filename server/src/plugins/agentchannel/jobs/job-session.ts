/** A job on an agent, from the offer that was accepted to the end of its release. */
import type { Actor, AgentId, JobId, WorkflowId } from '@tutti/manifests';
import {
  addMasks,
  carryOver,
  createOutputState,
  type OutputRequest,
  type OutputState,
} from '@tutti/workflow';
import { type DocumentWrite, removalFrom } from '../../../store/store.ts';
import type { Command, Finished } from './command.ts';
import { type Rhythm, type StoredRhythm, storedRhythm } from './rhythm.ts';

/** Collection of the private records of sessions; the key is the job id. */
export const SESSIONS = 'agent-commands';

/** What must outlive a restart and is not in the log of the run. */
export interface SessionRecord {
  readonly agentId: AgentId;
  readonly workflowId: WorkflowId;
  readonly sequence: number;
  /** For existing agents: the command was handed out, or may have been. */
  readonly delivered: boolean;
  readonly nextBatch: number;
  /** How many lines of the command notifications gave; what the log has beyond them belongs to the batch that comes next. */
  readonly streamed: number;
  readonly output: OutputState;
  readonly requests: readonly OutputRequest[];
  readonly finished: Finished | null;
  /** As `actor` of a command; absent for null, and in records of older versions. */
  readonly actor?: Actor;
  /** Absent in records of older versions. */
  readonly rhythm?: StoredRhythm;
}

/** For a job that is over. */
export const recordRemoval = removalFrom(SESSIONS);

/**
 * It has no command or one, whose phases `Command` lists; so its own phase is whether `command` is null.
 *
 * | From | Method | To |
 * |---|---|---|
 * | | `createSession` | no command |
 * | any | `begin`: the run wants the next command, as it has a result of the one before, be it from others | that command |
 * | that command | `end`: its result is published, or it was lost | no command |
 * | another one | `end`: the next one began in the commit of the result | as it was |
 */
class AgentSession {
  readonly agentId: AgentId;
  readonly workflowId: WorkflowId;
  readonly jobId: JobId;
  /** That of its agent. */
  readonly rhythm: Rhythm;
  command: Command | null = null;
  output: OutputState;
  /** How many of the masks, which only grow, the run knows. */
  toldMasks: number;
  /** Posts of one agent are handled one after the other. */
  tail: Promise<unknown> = Promise.resolve();
  /** Called when a batch of output was taken: others came before their turn. */
  readonly earlyBatches: Set<() => void> = new Set();
  /** True once a record of the session stands in the store. */
  isRecorded = false;

  /** `masks`: those of the run. */
  constructor(
    { id, rhythm }: { readonly id: AgentId; readonly rhythm: Rhythm },
    workflowId: WorkflowId,
    jobId: JobId,
    masks: readonly string[],
  ) {
    this.agentId = id;
    this.rhythm = rhythm;
    this.workflowId = workflowId;
    this.jobId = jobId;
    this.output = { ...createOutputState(), masks };
    this.toldMasks = masks.length;
  }

  /** For lines of the log. */
  get about() {
    const { workflowId, jobId, agentId } = this;
    return { workflowId, jobId, agentId };
  }

  /** Masks and stopped commands of the steps before still hold. */
  begin(command: Command): void {
    this.command = command;
    this.output = carryOver(this.output);
  }

  end(command: Command): void {
    if (this.command === command) this.command = null;
  }

  isOfJob(commandId: string): boolean {
    return commandId.startsWith(`${this.jobId}/`);
  }

  noteOutput(output: OutputState): void {
    this.output = output;
  }

  /** Masks that the run does not know yet. */
  get untoldMasks(): readonly string[] {
    return this.output.masks.slice(this.toldMasks);
  }

  noteMasksTold(): void {
    this.toldMasks = this.output.masks.length;
  }

  /** After a restart. Masks that the run has not heard of are told with what comes next. */
  takeOver({ output, rhythm }: SessionRecord): void {
    const masks = addMasks(this.output.masks, output.masks);
    Object.assign(this.rhythm, rhythm);
    this.output = { ...output, masks };
    this.isRecorded = true;
  }

  /** Its record as it stands, with `more` lines on their way beyond those that were published. */
  record(command: Command, more = 0): DocumentWrite {
    this.isRecorded = true;
    const record: SessionRecord = {
      agentId: this.agentId,
      workflowId: this.workflowId,
      sequence: command.event.metadata.step_sequence_id,
      delivered: command.phase !== 'waiting',
      nextBatch: command.nextBatch,
      streamed: command.logs.streamedCount + more,
      output: this.output,
      requests: command.requests,
      finished: command.finished,
      ...(command.actor === null ? {} : { actor: command.actor }),
      rhythm: storedRhythm(this.rhythm),
    };
    return { collection: SESSIONS, key: this.jobId, json: JSON.stringify(record) };
  }

  /** What the end of a command makes of the record: it is kept if some of the output matters to later steps. Masks the run keeps. */
  lastRecord(command: Command): readonly DocumentWrite[] {
    const isKept = !command.isRelease && this.output.stopToken !== null;
    if (isKept) return [this.record(command)];
    const writes = this.isRecorded ? [recordRemoval(this.jobId)] : [];
    this.isRecorded = false;
    return writes;
  }

  /** Does the work of one job piece by piece, in the order in which it came; each sees what the one before left. */
  inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.tail.then(work, work);
    // Who asked for the work is told of its error; what comes next is done all the same.
    this.tail = result.catch(() => null);
    return result;
  }

  /**
   * Does work that ends with something durable. If it fails, session and command are as they were, so that the sender, who is told
   * to try again, is understood as at the first time. What was published by then stays published (`Command.published`).
   */
  async orAsBefore<T>(command: Command, work: () => Promise<T>): Promise<T> {
    const { output, isRecorded } = this;
    const restore = command.restorePoint();
    try {
      return await work();
    } catch (error) {
      Object.assign(this, { output, isRecorded });
      restore();
      throw error;
    }
  }
}

/** Only its methods change it. */
export type JobSession = Readonly<AgentSession>;

export const createSession = (...args: ConstructorParameters<typeof AgentSession>): JobSession =>
  new AgentSession(...args);
