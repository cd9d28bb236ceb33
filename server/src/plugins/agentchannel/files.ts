/** Files between agents and the server: attachments and variables files come in, scripts go out. */
import { Readable } from 'node:stream';
import { type FileId, OrchestratorError } from '@tutti/manifests';
import { parseVariablesFile } from '@tutti/workflow';
import type { Agent } from './agent.ts';
import { endTransfer } from './commands.ts';
import type { AgentChannelContext } from './context.ts';
import type { Command, JobSession, Transfer } from './job-session.ts';
import { inOrder, publishWhenCollected, receiveExistingPost } from './results.ts';

/** The variables of a job, however many, are small; more is a file that only has the name. */
const VARIABLES_BYTES_MAX = 1024 * 1024;

const fileNotKnown = (fileId: string): OrchestratorError =>
  new OrchestratorError('NotFound', `File ${fileId} not known.`);

interface Awaited {
  readonly session: JobSession;
  readonly command: Command;
  readonly transfer: Transfer;
}

function awaited(agent: Agent, fileId: FileId): Awaited | null {
  const { session } = agent;
  const command = session?.command ?? null;
  const transfer = command?.transfers.find((each) => each.fileId === (fileId as string));
  return session === null || command === null || transfer === undefined
    ? null
    : { session, command, transfer };
}

/** Takes in a file that the agent was asked for. One that comes twice is read and dropped. */
export async function receiveFile(
  context: AgentChannelContext,
  agent: Agent,
  fileId: FileId,
  content: Readable,
): Promise<void> {
  const found = awaited(agent, fileId);
  if (found === null) {
    content.resume();
    throw fileNotKnown(fileId);
  }
  const { session, transfer } = found;
  transfer.phase = 'receiving';
  const error = await store(context, found, content);
  await inOrder(session, async () => {
    // Still waited for: neither the agent was lost nor the transfer repeated meanwhile.
    if (session.command?.transfers.includes(transfer) !== true) return;
    endTransfer(context, session.command, transfer, error);
    await publishWhenCollected(context, agent, session);
  });
}

async function store(
  context: AgentChannelContext,
  { session, command, transfer }: Awaited,
  content: Readable,
): Promise<string | null> {
  if (transfer.attachment === null) {
    const text = await readText(content, VARIABLES_BYTES_MAX);
    const variables = parseVariablesFile(text.split(/\r?\n/));
    if (command.finished !== null) command.finished = { ...command.finished, variables };
    return null;
  }
  try {
    const key = `${session.workflowId}/${transfer.fileId}`;
    await context.blobs.put(key, content, { sizeMax: context.fileBytesMax });
    return null;
  } catch (error) {
    content.resume();
    if (error instanceof OrchestratorError) return error.message;
    // A broken connection: the agent may send the file again.
    transfer.phase = 'queued';
    throw error;
  }
}

async function readText(content: Readable, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The agent says by the file's address that it could not do the transfer, of a script or of a file (clients facts 7). */
export async function failFile(
  context: AgentChannelContext,
  agent: Agent,
  fileId: FileId,
  error: string,
): Promise<void> {
  const found = awaited(agent, fileId);
  if (found === null) {
    if (!isScript(agent, fileId)) throw fileNotKnown(fileId);
    const failure = { output: [], exitStatus: null, variables: undefined, error };
    return await receiveExistingPost(context, agent, failure);
  }
  await inOrder(found.session, async () => {
    endTransfer(context, found.command, found.transfer, error);
    await publishWhenCollected(context, agent, found.session);
  });
}

const isScript = (agent: Agent, fileId: FileId): boolean =>
  agent.session?.command?.scriptFileId === (fileId as string);

/** A script for an agent that fetches it before it runs it. */
export function scriptFile(agent: Agent, fileId: FileId): Readable {
  if (!isScript(agent, fileId)) throw fileNotKnown(fileId);
  return Readable.from([Buffer.from(agent.session?.command?.script.content ?? '', 'utf8')]);
}
