import { setTimeout as sleep } from 'node:timers/promises';
import { getText, type Target } from './exchange.ts';

const LOOK_MS = 100;

/** Resolves when no run of the server is under way any more. */
export async function allEnded(server: Target): Promise<void> {
  for (;;) {
    const { details } = JSON.parse(await getText(server, '/workflows/status'));
    if (details.status === 'IDLE') return;
    await sleep(LOOK_MS);
  }
}
