/** A job on an agent, from the accepted offer to the end of its release. */
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

/** The state of a session that must outlive a restart and is not in the log of the run. */
export interface SessionRecord {
  readonly agentId: AgentId;
  readonly workflowId: WorkflowId;
  readonly sequence: number;
  /** For existing agents: the command was handed out, or may have been. */
  readonly delivered: boolean;
  readonly nextBatch: number;
  /** Number of lines of the command in notifications. Further lines in the log belong to the next batch. */
  readonly streamed: number;
  readonly output: OutputState;
  readonly requests: readonly OutputRequest[];
  readonly finished: Finished | null;
  /** As `actor` of a command; absent for null, and in records of older versions. */
  readonly actor?: Actor;
  /** Absent in records of older versions. */
  readonly rhythm?: StoredRhythm;
}

interface JobOfRun {
  readonly workflowId: WorkflowId;
  readonly jobId: JobId;
  /** The masks of the run. */
  readonly masks: readonly string[];
}

/** Removes the record of a job that is over. */
export const recordRemoval = removalFrom(SESSIONS);

/**
 * The session of a job on its agent. Its phase is the command that it has, or no command. `Command` lists the phases of a command.
 *
 * | From | Method | To |
 * |---|---|---|
 * | | `createSession` | no command |
 * | no command, another command | `begin`: the run has a result of the previous command and gives the next one | that command |
 * | that command | `end`: the result is published, or the command was lost | no command |
 * | another command | `end`: the next command began in the commit of the result | unchanged |
 */
class AgentSession {
  readonly agentId: AgentId;
  readonly workflowId: WorkflowId;
  readonly jobId: JobId;
  /** The rhythm of the job's agent. */
  readonly rhythm: Rhythm;
  command: Command | null = null;
  output: OutputState;
  /** Number of masks that the run knows. Masks are only ever added. */
  publishedMasks: number;
  /** Posts of one agent are handled one after the other. */
  tail: Promise<unknown> = Promise.resolve();
  /** Callbacks of early batches, called when another batch was taken. */
  readonly earlyBatches: Set<() => void> = new Set();
  /** True once the store has a record of the session. */
  isRecorded = false;

  constructor(
    { id, rhythm }: { readonly id: AgentId; readonly rhythm: Rhythm },
    { workflowId, jobId, masks }: JobOfRun,
  ) {
    this.agentId = id;
    this.rhythm = rhythm;
    this.workflowId = workflowId;
    this.jobId = jobId;
    this.output = { ...createOutputState(), masks };
    this.publishedMasks = masks.length;
  }

  /** Fields for lines of the log. */
  get about() {
    const { workflowId, jobId, agentId } = this;
    return { workflowId, jobId, agentId };
  }

  /** Masks and stopped commands of the steps before still hold. */
  begin(command: Command): void {
    if (this.command?.id === command.id) throw new Error(`Command ${command.id} began before.`);
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
  get unpublishedMasks(): readonly string[] {
    return this.output.masks.slice(this.publishedMasks);
  }

  noteMasksPublished(): void {
    this.publishedMasks = this.output.masks.length;
  }

  /** Restores the session after a restart. The next event carries the masks that the run does not know. */
  takeOver({ output, rhythm }: SessionRecord): void {
    const masks = addMasks(this.output.masks, output.masks);
    Object.assign(this.rhythm, rhythm);
    this.output = { ...output, masks };
    this.isRecorded = true;
  }

  /** The current record, with `more` lines that are being published. */
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

  /** Writes for the end of a command. The record stays if a stop token of the output still holds for later steps. The run keeps the masks. */
  lastRecord(command: Command): readonly DocumentWrite[] {
    const isLast = command.isRelease || command.isReleased;
    const isKept = !isLast && this.output.stopToken !== null;
    if (isKept) return [this.record(command)];
    const writes = this.isRecorded ? [recordRemoval(this.jobId)] : [];
    this.isRecorded = false;
    return writes;
  }

  /** Does the work of one job in the order of arrival, one piece after the other. Each piece sees the changes of the one before. */
  inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.tail.then(work, work);
    // The caller gets the error of its work. Later work runs all the same.
    this.tail = result.catch(() => null);
    return result;
  }

  /**
   * Does work that ends with something durable. If the work fails, session and command are restored. The sender gets a refusal and tries
   * again, and the second try is handled like the first. Published events stay published (`Command.published`).
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

/** A session as others see it. Only methods of the class change it. */
export type JobSession = Readonly<AgentSession>;

export const createSession = (...args: ConstructorParameters<typeof AgentSession>): JobSession =>
  new AgentSession(...args);
