/**
 * A job on an agent, from the offer that was accepted to the end of its release. It has one command at a time, which is
 * - `waiting`: not handed to the agent;
 * - `running`: handed out, or perhaps so, and no result yet;
 * - `collecting`: its process ended; files that it attached are being fetched;
 * then its result is published and the run says what comes next.
 */
import type {
  Actor,
  AgentId,
  AttachmentId,
  AttachmentMetadata,
  ExecutionCommandEvent,
  JobId,
  WorkflowId,
} from '@tutti/manifests';
import {
  carryOver,
  createOutputState,
  type OutputRequest,
  type OutputState,
  type Script,
  type UnreadReport,
} from '@tutti/workflow';
import { LogLines } from './log-lines.ts';
import { type Rhythm, type StoredRhythm, storedRhythm } from './rhythm.ts';

/** A file on its way between the agent and the server. */
export interface Transfer {
  readonly fileId: AttachmentId;
  /** On the environment, as far as that is known: see `placeTransfers`. */
  path: string;
  readonly purpose: TransferPurpose;
  phase: 'queued' | 'told';
  toldAtMs: number;
  /** How often the agent was told of it. */
  tells: number;
  /** Requests that move it now: more than one when an agent tries again before we know that its connection broke. */
  moves: number;
  /** The agent was sent all of it; that it wrote it, it tells in another way. */
  isSent: boolean;
}

/** `attach` and `upload` come from the agent, as the variables file does; the others go to it. */
export type TransferPurpose = { readonly kind: 'variables' } | RequestedPurpose;

/** What a step asked for; `asked` is the path that it said. */
export type RequestedPurpose =
  | {
      readonly kind: 'attach' | 'upload';
      readonly asked: string;
      /** Place among the requests of the step. */
      readonly order: number;
      readonly name: string;
      readonly parameters: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'put' | 'download';
      readonly asked: string;
      /** In the scope of the run. */
      readonly blob: string;
      /** The line that tells that it failed. */
      readonly failure: (why: string) => string;
    };

/** True for a file that goes to the agent. */
export const isOutgoing = ({ purpose }: Transfer): boolean =>
  purpose.kind === 'put' || purpose.kind === 'download';

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

export interface Command {
  readonly event: ExecutionCommandEvent;
  readonly id: string;
  readonly script: Script;
  phase: 'waiting' | 'running' | 'collecting';
  /** For agents that know `put` and `exec` only: the id under which the script is served. */
  readonly scriptFileId: AttachmentId | null;
  scriptTells: number;
  scriptFetched: boolean;
  nextBatch: number;
  /** Lines of the batch that comes next which were published before its publication failed: they are not published again. */
  published: number;
  readonly logs: LogLines;
  requests: readonly OutputRequest[];
  finished: Finished | null;
  transfers: readonly Transfer[];
  readonly attachments: UploadedFile[];
  /** What the command uploaded for the whole run. */
  readonly artifacts: UploadedFile[];
  /** Reports that it named and that could not be had. */
  readonly unread: UnreadReport[];
  /** Set when the command was told to stop. */
  cancelAskedAtMs: number | null;
  /** Set when the agent was told so. */
  cancelToldAtMs: number | null;
  /** The sender of the latest post; events of that post name it as their actor. */
  actor: Actor | null;
  /** The command in the answer to whose result this one was given; null when it came, or comes, in the answer to a poll. */
  givenAfter: string | null;
}

export interface JobSession {
  readonly agentId: AgentId;
  readonly workflowId: WorkflowId;
  readonly jobId: JobId;
  /** That of its agent. */
  readonly rhythm: Rhythm;
  /** Null between two commands. */
  command: Command | null;
  output: OutputState;
  /** How many of the masks, which only grow, the run knows. */
  toldMasks: number;
  /** Posts of one agent are handled one after the other. */
  tail: Promise<unknown>;
  /** Called when a batch of output was taken: others came before their turn. */
  readonly earlyBatches: Set<() => void>;
  /** True once a record of the session stands in the store. */
  isRecorded: boolean;
}

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

export const commandIdOf = (event: ExecutionCommandEvent): string =>
  `${event.metadata.job_id}/${event.metadata.step_sequence_id}`;

export const isOfJob = ({ jobId }: JobSession, commandId: string): boolean =>
  commandId.startsWith(`${jobId}/`);

/** `masks`: those of the run. */
export function createSession(
  { id: agentId, rhythm }: { readonly id: AgentId; readonly rhythm: Rhythm },
  workflowId: WorkflowId,
  jobId: JobId,
  masks: readonly string[],
): JobSession {
  return {
    agentId,
    workflowId,
    jobId,
    rhythm,
    command: null,
    output: { ...createOutputState(), masks },
    toldMasks: masks.length,
    tail: Promise.resolve(),
    earlyBatches: new Set(),
    isRecorded: false,
  };
}

export function createCommand(
  event: ExecutionCommandEvent,
  script: Script,
  scriptFileId: AttachmentId | null,
  logs: LogLines = new LogLines(),
): Command {
  return {
    event,
    id: commandIdOf(event),
    script,
    phase: 'waiting',
    scriptFileId,
    scriptTells: 0,
    scriptFetched: false,
    nextBatch: 0,
    published: 0,
    logs,
    requests: [],
    finished: null,
    transfers: [],
    attachments: [],
    artifacts: [],
    unread: [],
    cancelAskedAtMs: null,
    cancelToldAtMs: null,
    actor: null,
    givenAfter: null,
  };
}

export function createTransfer(
  fileId: AttachmentId,
  path: string,
  purpose: TransferPurpose,
): Transfer {
  const state = { phase: 'queued', toldAtMs: 0, tells: 0, moves: 0, isSent: false } as const;
  return { fileId, path, purpose, ...state };
}

/** For lines of the log. */
export const aboutSession = ({ workflowId, jobId, agentId }: JobSession) => ({
  workflowId,
  jobId,
  agentId,
});

/** Begins the next command of a session: masks and stopped commands of the steps before still hold. */
export function begin(session: JobSession, command: Command): void {
  session.command = command;
  session.output = carryOver(session.output);
}

/** `streamed`: see `SessionRecord`. */
export function recordOf(session: JobSession, command: Command, streamed: number): SessionRecord {
  return {
    agentId: session.agentId,
    workflowId: session.workflowId,
    sequence: command.event.metadata.step_sequence_id,
    delivered: command.phase !== 'waiting',
    nextBatch: command.nextBatch,
    streamed,
    output: session.output,
    requests: command.requests,
    finished: command.finished,
    ...(command.actor === null ? {} : { actor: command.actor }),
    rhythm: storedRhythm(session.rhythm),
  };
}

/** True when something of the output so far matters to later steps, so that it must be kept; masks the run keeps. */
export const hasLastingOutput = ({ output }: JobSession): boolean => output.stopToken !== null;

/** Masks that the run does not know yet. */
export const untoldMasks = ({ output, toldMasks }: JobSession): readonly string[] =>
  output.masks.slice(toldMasks);

/** Does the work of one job piece by piece, in the order in which it came; each sees what the one before left. */
export function inOrder<T>(session: JobSession, work: () => Promise<T>): Promise<T> {
  const result = session.tail.then(work, work);
  // Who asked for the work is told of its error; what comes next is done all the same.
  session.tail = result.catch(() => null);
  return result;
}

/**
 * Does work that ends with something durable. If it fails, session and command are as they were, so that the sender, who is told
 * to try again, is understood as at the first time. What was published by then stays published (`Command.published`).
 */
export async function orAsBefore<T>(
  session: JobSession,
  command: Command,
  work: () => Promise<T>,
): Promise<T> {
  const { output, isRecorded } = session;
  const { phase, nextBatch, requests, finished, transfers } = command;
  try {
    return await work();
  } catch (error) {
    Object.assign(session, { output, isRecorded });
    Object.assign(command, { phase, nextBatch, requests, finished, transfers });
    throw error;
  }
}
