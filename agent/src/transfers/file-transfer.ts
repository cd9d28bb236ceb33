/** One attempt to move one file between the agent's disk and the server. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { REASON_CODES } from '@tutti/manifests';
import type { AgentFolders } from '../commands/command-files.ts';
import { describeAnswer, judge, saysNothing } from '../connection/answers.ts';
import type { Answer, Connection, SizedFile } from '../connection/http-connection.ts';
import { makeDirectory } from '../make-directory.ts';
import type { GetCommand, PutCommand } from '../protocol.ts';

export interface FileTransferOptions {
  readonly connection: Connection;
  /** The request path of a file. */
  readonly fileUrl: (fileId: string) => string;
  readonly folders: AgentFolders;
  readonly signal: AbortSignal;
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
  { connection, fileUrl, folders, signal }: FileTransferOptions,
): Promise<TransferOutcome> {
  const file = await sizedFile(path.resolve(folders.workspaceDir, name));
  const answer = await connection.upload(fileUrl(fileId), file, signal);
  return judge(answer) === 'done' ? { outcome: 'gone-over' } : refused(answer);
}

function refused(answer: Answer): TransferOutcome {
  const why = describeAnswer(answer);
  if (saysNothing(answer)) return { outcome: 'away', why };
  const verdict = judge(answer);
  const isTemporary = verdict === 'unavailable' || verdict === 'refused';
  return { outcome: isTemporary ? 'again' : 'impossible', why };
}

async function sizedFile(file: string): Promise<SizedFile> {
  const { size } = await regularFile(file);
  return {
    size,
    open: () => (size === 0 ? Readable.from([]) : readExactly(file, size)),
  };
}

/** Reading a pipe or a device would wait for ever. */
async function regularFile(file: string): Promise<{ size: number }> {
  const found = await stat(file);
  if (!found.isFile()) throw new UnusableFileError(`${file} is not a regular file.`);
  return found;
}

/** A file that is no file: another attempt would find the same. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

/** Read at once: each read is a way to another thread. A small file takes no more than it has. */
const READ_BYTES = 512 * 1024;

/** The length was announced: what a growing file gets later stays out, and a shrinking one must not leave the server waiting. */
function readExactly(file: string, size: number): Readable {
  const source = createReadStream(file, { end: size - 1, highWaterMark: READ_BYTES });
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
  { fileId, path: name, below }: PutCommand,
  { connection, fileUrl, folders, signal }: FileTransferOptions,
): Promise<TransferOutcome> {
  const root = below === 'workspace' ? folders.workspaceDir : folders.scriptPath;
  const file = path.resolve(root, name);
  // Beside the file, as a rename works within one file system only. No other transfer has this id.
  const part = path.join(path.dirname(file), `.${fileId}.part`);
  makeDirectory(path.dirname(file));
  try {
    const answer = await connection.download(
      fileUrl(fileId),
      (body) => pipeline(body, createWriteStream(part)),
      signal,
    );
    if (answer.code !== REASON_CODES.OK) return refused(answer);
    await rename(part, file);
    return { outcome: 'gone-over' };
  } finally {
    await rm(part, { force: true });
  }
}
