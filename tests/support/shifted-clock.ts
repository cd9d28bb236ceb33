/** A server whose time of day the test changes while it runs, like a user who sets the machine's clock. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { eventually } from './eventually.ts';
import type { ServerChild, ServerOptions, Workbench } from './workbench.ts';

const CLOCK = new URL('../chaos/program/clock-shift.js', import.meta.url).href;

export interface ShiftedServer {
  readonly server: ServerChild;
  /** Resolves when the server has this time of day: so far from the true one. */
  shift(ms: number): Promise<void>;
}

export async function shiftedServer(
  bench: Workbench,
  options: ServerOptions = {},
): Promise<ShiftedServer> {
  const file = bench.path('clock');
  writeFileSync(file, '0');
  const server = await bench.server({
    ...options,
    nodeOptions: ['--import', CLOCK],
    environment: { TUTTI_CHAOS_CLOCK: file, TUTTI_CHAOS_CLOCK_MS: '0' },
  });
  const seen = (ms: number) => {
    const lines = existsSync(`${file}.seen`) ? readFileSync(`${file}.seen`, 'utf8') : '';
    return lines.trimEnd().split('\n').at(-1) === String(ms);
  };
  return {
    server,
    shift: async (ms) => {
      writeFileSync(file, String(ms));
      await eventually('the server has the other time', () => seen(ms));
    },
  };
}
