/** The store's error for a full disk. */
import { OrchestratorError } from '@tutti/manifests';
import { LIMITS } from '../../runtime/limits.ts';

/** Nothing of the operation was done, and it can be repeated when there is room. */
export function noRoom(why: string): OrchestratorError {
  return new OrchestratorError('ServiceUnavailable', 'The disk of the server is full.', {
    cause: new Error(why),
    retryAfterSeconds: LIMITS.retryAfterFullDiskSeconds,
    details: {
      error:
        'Nothing of the request was stored. The server goes on by itself when there is room again.',
    },
  });
}

/** The refusal of a start, in the system's words, with the path. */
export function noRoomFor(file: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, write '${file}'`), {
    code: 'ENOSPC',
    syscall: 'write',
    path: file,
  });
}
