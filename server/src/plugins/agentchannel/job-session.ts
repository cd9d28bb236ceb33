/**
 * A job on an agent, from the offer that was accepted to the end of its release. It has one command at a time, which is
 * - `waiting`: not handed to the agent yet, as far as is known;
 * - `running`: handed out, no result yet;
 * - `collecting`: its process ended; files that it attached are being fetched;
 * then its result is published and the run says what comes next.
 */
import type {
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
} from '@tutti/workflow';
import { LogLines } from './log-lines.ts';

/** A file to be fetched from the agent. */
export interface Transfer {
  readonly fileId: AttachmentId;
  readonly path: string;
  /** Null for the variables file. */
  readonly attachment: {
    readonly name: string;
    readonly parameters: Record<string, string>;
  } | null;
  phase: 'queued' | 'told' | 'receiving';
  toldAtMs: number;
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
  scriptTold: boolean;
  nextBatch: number;
  readonly logs: LogLines;
  requests: readonly OutputRequest[];
  finished: Finished | null;
  transfers: Transfer[];
  readonly attachments: Map<string, AttachmentMetadata>;
  /** Set when the command was told to stop. */
  cancelAskedAtMs: number | null;
  cancelTold: boolean;
}

export interface JobSession {
  readonly agentId: AgentId;
  readonly workflowId: WorkflowId;
  readonly jobId: JobId;
  /** Null between two commands. */
  command: Command | null;
  output: OutputState;
  /** Posts of one agent are handled one after the other. */
  tail: Promise<unknown>;
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
  readonly output: OutputState;
  readonly requests: readonly OutputRequest[];
  readonly finished: Finished | null;
}

export const commandIdOf = (event: ExecutionCommandEvent): string =>
  `${event.metadata.job_id}/${event.metadata.step_sequence_id}`;

export function createSession(agentId: AgentId, workflowId: WorkflowId, jobId: JobId): JobSession {
  return {
    agentId,
    workflowId,
    jobId,
    command: null,
    output: createOutputState(),
    tail: Promise.resolve(),
    isRecorded: false,
  };
}

export function createCommand(
  event: ExecutionCommandEvent,
  script: Script,
  scriptFileId: AttachmentId | null,
): Command {
  return {
    event,
    id: commandIdOf(event),
    script,
    phase: 'waiting',
    scriptFileId,
    scriptTold: false,
    nextBatch: 0,
    logs: new LogLines(),
    requests: [],
    finished: null,
    transfers: [],
    attachments: new Map(),
    cancelAskedAtMs: null,
    cancelTold: false,
  };
}

/** Begins the next command of a session: masks and stopped commands of the steps before still hold. */
export function begin(session: JobSession, command: Command): void {
  session.command = command;
  session.output = carryOver(session.output);
}

export function recordOf(session: JobSession, command: Command): SessionRecord {
  return {
    agentId: session.agentId,
    workflowId: session.workflowId,
    sequence: command.event.metadata.step_sequence_id,
    delivered: command.phase !== 'waiting',
    nextBatch: command.nextBatch,
    output: session.output,
    requests: command.requests,
    finished: command.finished,
  };
}

/** True when something of the output so far matters to later steps, so that it must be kept. */
export const hasLastingOutput = ({ output }: JobSession): boolean =>
  output.masks.length > 0 || output.stopToken !== null;
