/** A command of a job on an agent. */
import type {
  Actor,
  AttachmentId,
  AttachmentMetadata,
  ExecutionCommandEvent,
  Removal,
} from '@tutti/manifests';
import { STEP_SEQUENCE } from '@tutti/manifests';
import {
  COMMAND_FAILED_STATUS,
  type OutputRequest,
  type Script,
  type UnreadReport,
} from '@tutti/workflow';
import { checkPhase } from './check-phase.ts';
import { LogLines } from './log-lines.ts';
import type { Transfer } from './transfer.ts';

export interface UploadedFile {
  readonly path: string;
  readonly metadata: AttachmentMetadata;
  /** Files arrive in any order. Among files of one name, the last requested one counts. */
  readonly order: number;
}

export interface Finished {
  readonly exitStatus: number;
  /** Null while the variables file is still to be fetched, or when it does not exist. */
  readonly variables: Readonly<Record<string, string>> | null;
}

/** The end of a command that sends nothing more; `line` gives the reason. */
export interface SilentEnd {
  readonly exitStatus: number;
  readonly line?: string;
}

/** The result of a command that ended, and the files that it asked for. */
export type Collection = Pick<Command, 'requests' | 'transfers'> & { readonly finished: Finished };

interface CommandStart {
  /** Output that was published before a restart. */
  readonly logs?: LogLines | undefined;
  readonly release?: Removal | null;
}

type Phase = 'waiting' | 'running' | 'ended' | 'collecting';

/**
 * - `waiting`: the agent does not have the command;
 * - `running`: the agent has the command, or may have it, and sent no result;
 * - `ended`: the process had ended before a restart, and the server looks for the files that it asked for;
 * - `collecting`: the process of the command ended; files that it asked for move.
 *
 * Then the server publishes the result. The session has no command or the next one.
 *
 * | From | Method | To |
 * |---|---|---|
 * | | `createCommand` | `waiting` |
 * | `waiting`, `running` | `handOut`: the server sends the command, perhaps again, or the agent sends output | `running` |
 * | `running` | `takeBack`: the agent did not get the command | `waiting` |
 * | `waiting`, `running` | `end`: the process ended before the restart | `ended` |
 * | `waiting`, `running`, `ended` | `collect`: the process ended | `collecting` |
 * | `waiting`, `running`, `ended` | `endSilently`: the process ended, or never began, without a result | `collecting` |
 * | any | the function that `restorePoint` returned: the store refused the change | the phase at that time |
 */
class StepCommand {
  readonly event: ExecutionCommandEvent;
  readonly id: string;
  readonly script: Script;
  readonly isRelease: boolean;
  /** The files that the agent may remove after the command, the last of its job. Null if it may not be the last, or more is to be done. */
  readonly release: Removal | null;
  /** The agent removed that: nothing is left of the job. */
  isReleased = false;
  phase: Phase = 'waiting';
  /** For agents that know `put` and `exec` only: the id under which the script is served. */
  readonly scriptFileId: AttachmentId | null;
  scriptSends = 0;
  scriptFetched = false;
  nextBatch = 0;
  /** Lines of the next batch that were published before its publication failed. They are not published again. */
  published = 0;
  readonly logs: LogLines;
  requests: readonly OutputRequest[] = [];
  finished: Finished | null = null;
  transfers: readonly Transfer[] = [];
  readonly attachments: UploadedFile[] = [];
  /** Files that the command uploaded for the whole run. */
  readonly artifacts: UploadedFile[] = [];
  /** Reports that the command named and that could not be fetched. */
  readonly unread: UnreadReport[] = [];
  /** Set when the run asked to stop the command. */
  cancelAskedAtMs: number | null = null;
  /** Set when the agent got the order to stop. */
  cancelSentAtMs: number | null = null;
  /** The sender of the latest post; events of that post name it as their actor. */
  actor: Actor | null = null;
  /** The command whose result was answered with this one; null if a poll got it, or will get it. */
  givenAfter: string | null = null;

  constructor(
    event: ExecutionCommandEvent,
    script: Script,
    scriptFileId: AttachmentId | null,
    { logs = new LogLines(), release = null }: CommandStart = {},
  ) {
    const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
    this.event = event;
    this.id = `${jobId}/${sequence}`;
    this.isRelease = sequence === STEP_SEQUENCE.release;
    this.script = script;
    this.scriptFileId = scriptFileId;
    this.release = release;
    this.logs = logs;
  }

  /** `after`: see `givenAfter`. */
  handOut(after: string | null = this.givenAfter): void {
    this.#checkFrom('waiting', 'running');
    this.phase = 'running';
    this.givenAfter = after;
  }

  /** Its process is over. */
  get hasEnded(): boolean {
    return this.phase === 'ended' || this.phase === 'collecting';
  }

  /** Does nothing for a command that has ended meanwhile. */
  takeBack(): void {
    if (this.phase === 'running') this.phase = 'waiting';
  }

  /** The record keeps the result until the files are planned. */
  end(finished: Finished): void {
    this.#checkFrom('waiting', 'running');
    this.phase = 'ended';
    this.finished = finished;
  }

  collect({ requests, transfers, finished }: Collection): void {
    this.#checkFrom('waiting', 'running', 'ended');
    this.phase = 'collecting';
    Object.assign(this, { requests, transfers, finished });
  }

  /** Ends the command, so that no poll takes it. Its files are not fetched, since the agent may be gone. */
  endSilently({ exitStatus, line }: SilentEnd): void {
    this.#checkFrom('waiting', 'running', 'ended');
    this.phase = 'collecting';
    this.finished = { exitStatus, variables: {} };
    this.transfers = [];
    if (line !== undefined) this.logs.addLast(line);
  }

  #checkFrom(...from: readonly Phase[]): void {
    checkPhase(`Command ${this.id}`, this.phase, from);
  }

  /** Returns a function that undoes later changes. Published events stay published. */
  restorePoint(): () => void {
    const { phase, nextBatch, requests, finished, transfers } = this;
    return () => Object.assign(this, { phase, nextBatch, requests, finished, transfers });
  }

  /** Notes facts about the command that change no phase. */
  note(facts: Partial<Pick<StepCommand, CommandFact>>): void {
    Object.assign(this, facts);
  }

  noteVariables(variables: Finished['variables']): Finished | null {
    if (this.finished !== null) this.finished = { ...this.finished, variables };
    return this.finished;
  }

  /** False for a transfer that ended before. */
  endTransfer(transfer: Transfer): boolean {
    const isAwaited = this.transfers.includes(transfer);
    this.transfers = this.transfers.filter((each) => each !== transfer);
    return isAwaited;
  }

  keep(kind: 'attachments' | 'artifacts', file: UploadedFile): void {
    this[kind].push(file);
  }

  /** Notes that a file could not be moved; `report` is set if it was a report. */
  failFile(line: string, report: UnreadReport | null): void {
    if (report !== null) this.unread.push(report);
    this.logs.addLast(line);
    const variables = this.finished?.variables ?? null;
    this.finished = { variables, exitStatus: COMMAND_FAILED_STATUS };
  }
}

type CommandFact =
  | ('scriptSends' | 'scriptFetched' | 'nextBatch' | 'published' | 'requests')
  | ('cancelAskedAtMs' | 'cancelSentAtMs' | 'actor' | 'isReleased');

/** A command as others see it. Only methods of the class change it. */
export type Command = Readonly<StepCommand>;

export const createCommand = (...args: ConstructorParameters<typeof StepCommand>): Command =>
  new StepCommand(...args);
