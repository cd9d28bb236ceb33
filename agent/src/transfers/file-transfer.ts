/** One attempt to move one file between the agent's disk and the server. */
import { constants, realpathSync, type Stats } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { REASON_CODES } from '@tutti/manifests';
import type { AgentFolders } from '../commands/command-files.ts';
import { describeAnswer, judge, saysNothing } from '../connection/answers.ts';
import type { Answer, Connection, SizedFile } from '../connection/http-connection.ts';
import type { GetCommand, PutCommand } from '../protocol.ts';
import {
  type OpenDirectory,
  openFile,
  openFolderOf,
  told,
  UnusableFileError,
} from './files-within.ts';

export interface FileTransferOptions {
  readonly connection: Connection;
  /** The request path of a file. */
  readonly fileUrl: (fileId: string) => string;
  readonly folders: AgentFolders;
  /** The directories whose files may move. */
  readonly roots: () => readonly string[];
  /** Of files that are written for a job that has a user of its own. */
  readonly owner: () => Owner | null;
  readonly signal: AbortSignal;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * - `gone-over`: the file is where it should be;
 * - `again`: worth another attempt, a few times;
 * - `away`: the server was not there to take it; as it comes back, this is no attempt;
 * - `impossible`: no attempt can succeed.
 */
export type TransferOutcome =
  | { readonly outcome: 'gone-over' }
  | { readonly outcome: 'again' | 'away' | 'impossible'; readonly why: string };

/** Sends a file; throws when the connection breaks or the file cannot be read. */
export async function sendFile(
  { fileId, path: name }: GetCommand,
  options: FileTransferOptions,
): Promise<TransferOutcome> {
  const { connection, fileUrl, folders, signal, roots } = options;
  const file = path.resolve(folders.workspaceDir, name);
  const handle = await openFile(file, roots());
  try {
    refuseForeign(await handle.stat(), file, options);
    const answer = await connection.upload(fileUrl(fileId), await sized(handle, file), signal);
    return judge(answer) === 'done' ? { outcome: 'gone-over' } : refused(answer);
  } finally {
    await handle.close();
  }
}

/** A job with a user of its own may have linked a file that it cannot read; the agent can. */
function refuseForeign(
  { uid, gid, mode }: Stats,
  file: string,
  { owner }: FileTransferOptions,
): void {
  const own = owner();
  if (own === null || uid === own.uid || gid === own.gid || (mode & constants.S_IROTH) !== 0)
    return;
  throw new UnusableFileError(`${file} belongs to another user, and the job cannot read it.`);
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

/** Read at once: each read is a way to another thread. A small file takes no more than it has. */
const READ_BYTES = 512 * 1024;

/** The length was announced: what a growing file gets later stays out, and a shrinking one must not leave the server waiting. */
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
  command: PutCommand,
  options: FileTransferOptions,
): Promise<TransferOutcome> {
  const { folders, roots } = options;
  const isInWorkspace = command.below === 'workspace';
  const root = isInWorkspace ? folders.workspaceDir : folders.scriptPath;
  const file = path.resolve(root, command.path);
  const directory = await openFolderOf(file, isInWorkspace ? roots() : [realpathSync(root)]);
  try {
    return await receiveInto(directory, path.basename(file), command.fileId, options);
  } catch (error) {
    throw told(error, directory.readable);
  } finally {
    await directory.close();
  }
}

async function receiveInto(
  { pathOf }: OpenDirectory,
  name: string,
  fileId: string,
  { connection, fileUrl, signal, owner }: FileTransferOptions,
): Promise<TransferOutcome> {
  // Beside the file, as a rename works within one file system only. No other transfer has this id.
  const part = pathOf(`.${fileId}.part`);
  try {
    const save = async (body: Readable) => {
      const handle = await open(part, 'wx');
      const own = owner();
      if (own !== null) await handle.chown(own.uid, own.gid);
      await pipeline(body, handle.createWriteStream());
    };
    const answer = await connection.download(fileUrl(fileId), save, signal);
    if (answer.code !== REASON_CODES.OK) return refused(answer);
    await rename(part, pathOf(name));
    return { outcome: 'gone-over' };
  } finally {
    await rm(part, { force: true });
  }
}
