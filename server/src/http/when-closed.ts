import type { ServerResponse } from 'node:http';

/** Calls back when the answer was sent or its connection broke. This may have happened while the request waited for its rights. */
export function whenClosed(answer: ServerResponse, call: () => void): void {
  if (answer.destroyed) call();
  // The event comes once; `once` would create two more functions for each request.
  else answer.on('close', call);
}
