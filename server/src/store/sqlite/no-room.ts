/** What the store says when its disk has no room left. */
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

/** For a start: what the system says of files, with the path. */
export function noRoomFor(file: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, write '${file}'`), {
    code: 'ENOSPC',
    syscall: 'write',
    path: file,
  });
}
