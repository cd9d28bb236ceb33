/** One attempt to transfer a file between the agent's disk and the server. */
import { createWriteStream, openSync, realpathSync, renameSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type GetOrder, type PutOrder, REASON_CODES } from '@tutti/manifests';
import { describeAnswer, judge, saysNothing } from '../connection/answers.ts';
import type { Answer, Connection, SizedFile } from '../connection/http-connection.ts';
import type { AgentFolders } from '../jobs/job-places.ts';
import { type FileOwner, withRightsOf } from '../jobs/rights.ts';
import { explained, type OpenDirectory, openFile, openFolderOf } from './files-within.ts';

export interface FileTransferOptions {
  readonly connection: Connection;
  /** The request path of a file. */
  readonly fileUrl: (fileId: string) => string;
  readonly folders: AgentFolders;
  /** Directories whose files may move. */
  readonly roots: () => readonly string[];
  /** The user whose rights count. */
  readonly owner: () => FileOwner;
  readonly signal: AbortSignal;
}

/**
 * - `gone-over`: the transfer is complete;
 * - `again`: retry a few times;
 * - `away`: the server was unreachable; this does not count as an attempt;
 * - `impossible`: no retry can succeed.
 */
export type TransferOutcome =
  | { readonly outcome: 'gone-over' }
  | { readonly outcome: 'again' | 'away' | 'impossible'; readonly why: string };

/** Sends a file; throws when the connection breaks or the file cannot be read. */
export async function sendFile(
  { file_id: fileId, path: name }: GetOrder,
  options: FileTransferOptions,
): Promise<TransferOutcome> {
  const { connection, fileUrl, folders, signal, roots, owner } = options;
  const file = path.resolve(folders.workspaceDir, name);
  const handle = await openFile(file, { roots: roots(), owner: owner() });
  try {
    const answer = await connection.upload(fileUrl(fileId), await sized(handle, file), signal);
    return judge(answer) === 'done' ? { outcome: 'gone-over' } : refused(answer);
  } finally {
    await handle.close();
  }
}

function refused(answer: Answer): TransferOutcome {
  const why = describeAnswer(answer);
  if (saysNothing(answer)) return { outcome: 'away', why };
  const verdict = judge(answer);
  const isTemporary = verdict === 'unavailable' || verdict === 'refused';
  return { outcome: isTemporary ? 'again' : 'impossible', why };
}

async function sized(handle: FileHandle, file: string): Promise<SizedFile> {
  const { size } = await handle.stat();
  return {
    size,
    open: () => (size === 0 ? Readable.from([]) : readExactly(handle, file, size)),
  };
}

/** Read size: each read goes through another thread. A small file takes only its own size. */
const READ_BYTES = 512 * 1024;

/** The length was announced: later growth stays out, and a shrunken file must not leave the server waiting. */
function readExactly(handle: FileHandle, file: string, size: number): Readable {
  const range = { start: 0, end: size - 1, highWaterMark: READ_BYTES, autoClose: false };
  const source = handle.createReadStream(range);
  return Readable.from(counted(source, file, size), { objectMode: false });
}

async function* counted(source: Readable, file: string, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const chunk of source) {
    left -= chunk.length;
    yield chunk;
  }
  if (left > 0) throw new Error(`${file} became shorter while it was read.`);
}

/** Fetches a file; it appears whole under its name or not at all. Throws when the connection or the disk fails. */
export async function receiveFile(
  command: PutOrder,
  options: FileTransferOptions,
): Promise<TransferOutcome> {
  const { folders, roots } = options;
  const owner = options.owner();
  const isInWorkspace = Boolean(command.root);
  const root = isInWorkspace ? folders.workspaceDir : folders.scriptPath;
  const file = path.resolve(root, command.path);
  const allowed = isInWorkspace ? roots() : [realpathSync(root)];
  const directory = openFolderOf(file, { roots: allowed, owner });
  const target = { directory, name: path.basename(file), owner };
  try {
    return await receiveInto(target, command.file_id, options);
  } catch (error) {
    throw explained(error, directory.readable);
  } finally {
    directory.close();
  }
}

interface Target {
  readonly directory: OpenDirectory;
  readonly name: string;
  readonly owner: FileOwner;
}

async function receiveInto(
  { directory: { pathOf }, name, owner }: Target,
  fileId: string,
  { connection, fileUrl, signal }: FileTransferOptions,
): Promise<TransferOutcome> {
  // In the same directory, as a rename works only within one file system. No other transfer has this id.
  const part = pathOf(`.${fileId}.part`);
  try {
    const save = async (body: Readable) => {
      const fd = withRightsOf(owner, () => openSync(part, 'wx'));
      await pipeline(body, createWriteStream(part, { fd }));
    };
    const answer = await connection.download(fileUrl(fileId), save, signal);
    if (answer.code !== REASON_CODES.OK) return refused(answer);
    withRightsOf(owner, () => renameSync(part, pathOf(name)));
    return { outcome: 'gone-over' };
  } finally {
    withRightsOf(owner, () => rmSync(part, { force: true }));
  }
}
