/** A command of a job on an agent. */
import type {
  Actor,
  AttachmentId,
  AttachmentMetadata,
  ExecutionCommandEvent,
} from '@tutti/manifests';
import { STEP_SEQUENCE } from '@tutti/manifests';
import {
  COMMAND_FAILED_STATUS,
  type OutputRequest,
  type Script,
  type UnreadReport,
} from '@tutti/workflow';
import { LogLines } from './log-lines.ts';
import type { Transfer } from './transfer.ts';

export interface UploadedFile {
  readonly path: string;
  readonly metadata: AttachmentMetadata;
  /** Files come in as they please; of those with one name the last one that was asked for counts. */
  readonly order: number;
}

export interface Finished {
  readonly exitStatus: number;
  /** Null while the variables file has still to be fetched, or when it is not there. */
  readonly variables: Readonly<Record<string, string>> | null;
}

/** How a command ends that says nothing more; `line` tells why. */
export interface SilentEnd {
  readonly exitStatus: number;
  readonly line?: string;
}

/** What is known of a command that ended, and of its files. */
export type Collection = Pick<Command, 'requests' | 'transfers'> & { readonly finished: Finished };

type Phase = 'waiting' | 'running' | 'collecting';

/**
 * - `waiting`: not handed to the agent;
 * - `running`: handed out, or perhaps so, and no result yet;
 * - `collecting`: its process ended; files that it asked for move.
 *
 * Then its result is published, and the session has no command or the next one.
 *
 * | From | Method | To |
 * |---|---|---|
 * | | `createCommand` | `waiting` |
 * | `waiting`, `running` | `handOut`: it is given to the agent, perhaps again, or output of it comes | `running` |
 * | `running` | `takeBack`: the agent did not get it | `waiting` |
 * | `waiting`, `running` | `collect`: it ended | `collecting` |
 * | `waiting`, `running` | `endSilently`: it ended, or never began, and says nothing more | `collecting` |
 * | any | what `restorePoint` gave: what changed could not be stored | as it was then |
 */
class StepCommand {
  readonly event: ExecutionCommandEvent;
  readonly id: string;
  readonly script: Script;
  readonly isRelease: boolean;
  phase: Phase = 'waiting';
  /** For agents that know `put` and `exec` only: the id under which the script is served. */
  readonly scriptFileId: AttachmentId | null;
  scriptTells = 0;
  scriptFetched = false;
  nextBatch = 0;
  /** Lines of the batch that comes next which were published before its publication failed: they are not published again. */
  published = 0;
  readonly logs: LogLines;
  requests: readonly OutputRequest[] = [];
  finished: Finished | null = null;
  transfers: readonly Transfer[] = [];
  readonly attachments: UploadedFile[] = [];
  /** What the command uploaded for the whole run. */
  readonly artifacts: UploadedFile[] = [];
  /** Reports that it named and that could not be had. */
  readonly unread: UnreadReport[] = [];
  /** Set when the command was told to stop. */
  cancelAskedAtMs: number | null = null;
  /** Set when the agent was told so. */
  cancelToldAtMs: number | null = null;
  /** The sender of the latest post; events of that post name it as their actor. */
  actor: Actor | null = null;
  /** The command in the answer to whose result this one was given; null when it came, or comes, in the answer to a poll. */
  givenAfter: string | null = null;

  constructor(
    event: ExecutionCommandEvent,
    script: Script,
    scriptFileId: AttachmentId | null,
    logs: LogLines = new LogLines(),
  ) {
    const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
    this.event = event;
    this.id = `${jobId}/${sequence}`;
    this.isRelease = sequence === STEP_SEQUENCE.release;
    this.script = script;
    this.scriptFileId = scriptFileId;
    this.logs = logs;
  }

  /** `after`: see `givenAfter`. */
  handOut(after: string | null = this.givenAfter): void {
    this.#checkUnended();
    this.phase = 'running';
    this.givenAfter = after;
  }

  /** Of one that ended meanwhile nothing is taken back. */
  takeBack(): void {
    if (this.phase === 'running') this.phase = 'waiting';
  }

  collect({ requests, transfers, finished }: Collection): void {
    this.#checkUnended();
    this.phase = 'collecting';
    Object.assign(this, { requests, transfers, finished });
  }

  /** From here on no poll may take it. Its files are not fetched: it is not there to be asked. */
  endSilently({ exitStatus, line }: SilentEnd): void {
    this.#checkUnended();
    this.phase = 'collecting';
    this.finished = { exitStatus, variables: {} };
    this.transfers = [];
    if (line !== undefined) this.logs.addLast(line);
  }

  #checkUnended(): void {
    if (this.phase === 'collecting') throw new Error(`Command ${this.id} has ended before.`);
  }

  /** Gives a function that puts back what changed since. What was published by then stays published. */
  restorePoint(): () => void {
    const { phase, nextBatch, requests, finished, transfers } = this;
    return () => Object.assign(this, { phase, nextBatch, requests, finished, transfers });
  }

  /** What becomes known of it and changes no phase. */
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

  /** A file could not be moved; `report`: it was to be read as one. */
  failFile(line: string, report: UnreadReport | null): void {
    if (report !== null) this.unread.push(report);
    this.logs.addLast(line);
    const variables = this.finished?.variables ?? null;
    this.finished = { variables, exitStatus: COMMAND_FAILED_STATUS };
  }
}

type CommandFact =
  | ('scriptTells' | 'scriptFetched' | 'nextBatch' | 'published' | 'requests')
  | ('cancelAskedAtMs' | 'cancelToldAtMs' | 'actor');

/** Only its methods change it. */
export type Command = Readonly<StepCommand>;

export const createCommand = (...args: ConstructorParameters<typeof StepCommand>): Command =>
  new StepCommand(...args);
