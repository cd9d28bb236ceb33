import type { ServerResponse } from 'node:http';

/**
 * Calls back when the answer was sent, or its connection broke: also when that was before, as a request may have waited for its
 * rights while its sender left.
 */
export function whenClosed(answer: ServerResponse, call: () => void): void {
  if (answer.destroyed) call();
  // Told once; `once` would make two functions more for each request.
  else answer.on('close', call);
}
