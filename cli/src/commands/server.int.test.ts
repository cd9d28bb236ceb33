import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Io, StopSignal } from '../terminal/io.ts';
import { createPaint } from '../terminal/style.ts';
import { runServer } from './server.ts';

/** The output of a server that is stopped once it has printed something that fits. */
async function outputUntil(pattern: RegExp, isTerminal: boolean): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tutti-server-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  let output = '';
  let stop: (signal: StopSignal) => void = () => undefined;
  const io: Partial<Io> = {
    command: 'tutti',
    env: {},
    screen: {
      write: (text) => {
        output += text;
        if (pattern.test(output)) stop('SIGTERM');
      },
      isTerminal,
      hasColors: false,
      paint: createPaint(false),
      columns: () => 80,
    },
    outliveReaders: () => undefined,
    onStop: (handler) => {
      stop = handler;
      return () => undefined;
    },
  };
  // A server asks nothing, and ends by itself.
  await runServer(undefined, { dataDir, port: 0, logLevel: 'error' }, io as Io);
  return output;
}

test('a server on a terminal prints an address that signs in', async () => {
  const output = await outputUntil(/60 seconds/, true);
  const [, url = ''] = /^Tutti is ready on (\S+)\n/.exec(output) ?? [];
  expect(output).toContain(`\nOpen ${url}/ui/login#code=`);
  expect(output).toMatch(/It signs in once, within 60 seconds; "tutti ui" makes another\.\n$/);
});

test('a log gets no such address', async () => {
  expect(await outputUntil(/ready/, false)).toMatch(/^Tutti is ready on \S+\n$/);
});
