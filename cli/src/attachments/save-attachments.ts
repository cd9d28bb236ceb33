/** Saves attachments of a run as files. */
import { join } from 'node:path';
import type { Client } from '@tutti/client';
import { isOrchestratorError } from '@tutti/manifests';
import { cleanLine } from '@tutti/run-view/text';
import { type Io, SIGNAL_EXIT_CODES, type StopSignal } from '../terminal/io.ts';
import { createPathPicker } from './safe-path.ts';
import { FileInTheWay, saveFile } from './save-file.ts';

export interface WantedFile {
  readonly uuid: string;
  readonly fileName: string;
  /** Folders below the directory. */
  readonly folder: readonly string[];
  /** The whole path of the file, if the user chose it. */
  readonly at?: string;
}

export interface SaveFrom {
  readonly client: Client;
  readonly workflowId: string;
  readonly directory: string;
  readonly force: boolean;
}

export type SavedFile<File> = File & {
  /** Null if it could not be saved. */
  readonly path: string | null;
};

/**
 * Saves the files one after the other. It reports missing attachments and existing files on standard error, and saves the rest.
 * It rejects when the server or the disk cannot be used. A request to stop leaves no partial file.
 */
export async function saveAttachments<File extends WantedFile>(
  { client, workflowId, directory, force }: SaveFrom,
  files: readonly File[],
  io: Io,
): Promise<readonly SavedFile<File>[]> {
  const stop = new AbortController();
  const stopListening = io.onStop((signal) => stop.abort(signal));
  const pick = createPathPicker();
  const saved: SavedFile<File>[] = [];
  try {
    for (const file of files) {
      const path = file.at ?? join(directory, ...pick(file.folder, file.fileName));
      const content = async () =>
        (await client.attachment(workflowId, file.uuid, { signal: stop.signal })).chunks;
      const problem = await problemOf(saveFile(path, content, { force }));
      if (problem !== null) io.complain(`tutti: ${cleanLine(problem)}\n`);
      saved.push({ ...file, path: problem === null ? path : null });
    }
    return saved;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    // A request to stop is not an error, so nothing is reported.
    const signal: StopSignal = stop.signal.reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    io.exit(SIGNAL_EXIT_CODES[signal]);
    return saved;
  } finally {
    stopListening();
  }
}

/** Null on success. */
async function problemOf(saving: Promise<void>): Promise<string | null> {
  try {
    await saving;
    return null;
  } catch (error) {
    if (error instanceof FileInTheWay) return `${error.message} --force replaces it.`;
    if (isOrchestratorError(error) && error.reason === 'NotFound') return error.message;
    throw error;
  }
}
