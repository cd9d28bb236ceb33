/** A data directory was named, and nobody answers where its server is, or would be: what is missing is that server. */
import type { Fetch } from '@tutti/client';

/** Beneath what the client throws. */
export class NoDirectoryServerError extends Error {
  override readonly name = 'NoDirectoryServerError';
  readonly dataDir: string;
  /** A server tells there of itself, and is not to be reached. */
  readonly isTold: boolean;

  constructor({ dataDir, isTold }: NamedDirectory, cause: unknown) {
    super(`The server of ${dataDir} is not there.`, { cause });
    this.dataDir = dataDir;
    this.isTold = isTold;
  }
}

export interface NamedDirectory {
  readonly dataDir: string;
  readonly isTold: boolean;
}

/** The same requests; those that fail say whose server is missing. Null where no directory counts. */
export function ofDirectory(fetch: Fetch, directory: NamedDirectory | null): Fetch {
  if (directory === null) return fetch;
  return async (url, request) => {
    try {
      return await fetch(url, request);
    } catch (error) {
      throw request.signal?.aborted === true ? error : new NoDirectoryServerError(directory, error);
    }
  };
}
