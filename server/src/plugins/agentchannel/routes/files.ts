/** Files between agents and the server: attachments and variables files come in; scripts, resources and artifacts go out. */
import { Readable } from 'node:stream';
import {
  type FileId,
  isOrchestratorError,
  isUuid,
  OrchestratorError,
  parseFileId,
} from '@tutti/manifests';
import { parseVariablesFile } from '@tutti/workflow';
import { receiveExistingPost } from '../existing/existing-posts.ts';
import type { Agent } from '../jobs/agent.ts';
import { endTransfer, publishWhenCollected } from '../jobs/commands.ts';
import { type AgentChannelContext, blobsFor, insistInTurn, type Work } from '../jobs/context.ts';
import type { Transfer } from '../jobs/transfer.ts';
import { placeTransfers } from '../jobs/transfer-plan.ts';

/** Bytes of a variables file. Variables of a job are small, however many; a larger file has something else in it. */
const VARIABLES_BYTES_MAX = 1024 * 1024;

const fileNotKnown = (fileId: string): OrchestratorError =>
  new OrchestratorError('NotFound', `File ${fileId} not known.`);

/** Parses the id of a file. Refuses a malformed id like an unknown one, with `NotFound`. */
export function fileIdInPath(text: string): FileId {
  if (!isUuid(text)) throw fileNotKnown(text);
  return parseFileId(text);
}

/** The file of a request. */
export interface FileOfAgent {
  readonly context: AgentChannelContext;
  readonly agent: Agent;
  readonly fileId: FileId;
}

interface Awaited extends Work {
  readonly transfer: Transfer;
}

function awaited({ context, agent, fileId }: FileOfAgent): Awaited | null {
  const { session } = agent;
  const command = session?.command ?? null;
  const transfer = command?.transfers.find((each) => each.fileId === (fileId as string));
  return session === null || command === null || transfer === undefined
    ? null
    : { context, agent, session, command, transfer };
}

/** The result of taking in one file. */
type Intake =
  | { readonly variables: Readonly<Record<string, string>> }
  /** An attachment is in the blob store, or could not be put there. */
  | { readonly error: string | null };

/** Takes in a file that the agent was ordered to send. */
export async function receiveFile(file: FileOfAgent, content: Readable): Promise<void> {
  const { fileId } = file;
  const found = awaited(file);
  if (found === null || found.transfer.isOutgoing) {
    content.resume();
    throw fileNotKnown(fileId);
  }
  await conclude(found, await countMove(found, () => takeIn(found, content)));
}

/** While a file moves, its agent counts as reachable, however long that takes. */
async function countMove<T>({ context, transfer }: Awaited, work: () => Promise<T>): Promise<T> {
  transfer.beginMove();
  try {
    return await work();
  } finally {
    transfer.endMove(context.clock.monotonicMs());
  }
}

/** Stores one file. Rejects when the connection breaks. */
async function takeIn(found: Awaited, content: Readable): Promise<Intake> {
  const { context, agent, session, transfer } = found;
  if (transfer.purpose.kind === 'variables') {
    const text = await readText(content, VARIABLES_BYTES_MAX);
    return { variables: parseVariablesFile(text.split(/\r?\n/)) };
  }
  try {
    const key = `${session.workflowId}/${transfer.fileId}`;
    await blobsFor(context, agent).put(key, content, { sizeMax: context.fileBytesMax });
    return { error: null };
  } catch (error) {
    content.resume();
    if (!isOrchestratorError(error) || willTryAgain(found, error)) throw error;
    if (error.cause !== undefined) {
      const about = { err: error, ...session.about, fileId: transfer.fileId };
      context.logger.error(about, 'A file of an agent could not be stored.');
    }
    return { error: error.message };
  }
}

/** Our agents try again for as long as files are away. */
const willTryAgain = ({ context, agent }: Awaited, { reason }: OrchestratorError): boolean =>
  agent.keepsWork && context.patientBlobs !== undefined && reason === 'ServiceUnavailable';

async function readText(content: Readable, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Ends a transfer. A file that came twice, or whose command was given up meanwhile, changes nothing. */
async function conclude(found: Awaited, intake: Intake): Promise<void> {
  const { agent, session, command, transfer } = found;
  // The agent will not send the file again, so its result must be published without the agent's help.
  await insistInTurn(found, 'The result of a command with files', async () => {
    if (session.command !== command) return;
    const isExpected = command.transfers.includes(transfer);
    if (isExpected && 'variables' in intake) {
      const finished = command.noteVariables(intake.variables);
      if (finished !== null) placeTransfers(agent, command, finished);
    }
    endTransfer(found, transfer, 'error' in intake ? intake.error : null);
    await publishWhenCollected(found);
  });
}

/** The agent reports a failed transfer of a script or file at the file's address (client facts 7). */
export async function failFile(file: FileOfAgent, error: string): Promise<void> {
  const { context, agent, fileId } = file;
  const found = awaited(file);
  if (found !== null) {
    await conclude(found, { error });
    return;
  }
  if (!isScript(agent, fileId)) throw fileNotKnown(fileId);
  const failure = { output: [], exitStatus: null, variables: undefined, error, failedFileId: null };
  await receiveExistingPost(context, agent, failure);
}

const isScript = (agent: Agent, fileId: FileId): boolean =>
  agent.session?.command?.scriptFileId === (fileId as string);

/** A file for an agent, with its size in bytes. */
interface OutgoingFile {
  readonly size: number;
  readonly content: Readable;
  /** Call it once, when the answer was sent (`isWhole`) or broke off. */
  readonly ended: (isWhole: boolean) => void;
}

/** A script that an agent fetches before it runs it, or a file that a step asked for. */
export async function outgoingFile(file: FileOfAgent): Promise<OutgoingFile> {
  const { context, agent, fileId } = file;
  const command = agent.session?.command ?? null;
  if (command !== null && isScript(agent, fileId)) {
    command.note({ scriptFetched: true });
    const bytes = Buffer.from(command.script.content, 'utf8');
    return { size: bytes.length, content: Readable.from([bytes]), ended: () => undefined };
  }
  const found = awaited(file);
  if (found === null || !('blob' in found.transfer.purpose)) throw fileNotKnown(fileId);
  const { session, transfer } = found;
  const key = `${session.workflowId}/${found.transfer.purpose.blob}`;
  const blob = await blobsFor(context, agent).get(key);
  if (blob === null) throw fileNotKnown(fileId);
  transfer.beginMove();
  const ended = (isWhole: boolean) => transfer.endMove(context.clock.monotonicMs(), isWhole);
  return { ...blob, ended };
}
