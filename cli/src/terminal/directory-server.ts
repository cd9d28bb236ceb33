/** The named data directory has no reachable server: the error says that this server is missing. */
import type { Fetch } from '@tutti/client';

/** The cause of the client's error. */
export class NoDirectoryServerError extends Error {
  override readonly name = 'NoDirectoryServerError';
  readonly dataDir: string;
  /** The directory names a server, which cannot be reached. */
  readonly isNamed: boolean;

  constructor({ dataDir, isNamed }: NamedDirectory, cause: unknown) {
    super(`The server of ${dataDir} is not there.`, { cause });
    this.dataDir = dataDir;
    this.isNamed = isNamed;
  }
}

export interface NamedDirectory {
  readonly dataDir: string;
  readonly isNamed: boolean;
}

/** Wraps requests: failed ones name the missing server. Null if no directory counts. */
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
