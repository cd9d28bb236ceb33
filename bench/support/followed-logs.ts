/** Measures step output as a follower of the log receives it: through a whole server, and through a bare relay. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createClient } from '../../packages/client/src/index.ts';
import { drain, openGet, sendBody, type Target } from './exchange.ts';

/** Prints so many bytes, in lines of `lineBytes` with their ends. */
export const printMuch = (bytes: number, lineBytes: number): string =>
  `yes "$(printf '%${lineBytes - 1}s' | tr ' ' x)" | head -c ${bytes}`;

/** Prints the time now and then, by the shell itself: epoch seconds with microseconds. */
export const printTimes = (lines: number): string =>
  `for i in $(seq ${lines}); do echo $EPOCHREALTIME; sleep 0.02; done`;

/** Starts the script and follows its output; resolves when the follower has all of it. */
type Follow<T> = (script: string, read: (answer: Answer) => Promise<T>) => Promise<T>;
type Answer = Awaited<ReturnType<typeof openGet>>;

/** Runs as the only step of a run, on an agent of that server. */
export const throughServer =
  <T>(server: Target): Follow<T> =>
  async (script, read) => {
    const client = createClient({ baseUrl: server.url.href, token: server.token });
    const jobs = { only: { 'runs-on': 'linux', steps: [{ run: script }] } };
    const manifest = { metadata: { name: 'prints' }, jobs };
    const id = await client.startWorkflow({ manifestText: JSON.stringify(manifest) });
    return await read(await openGet(server, `/workflows/${id}/logs?follow`));
  };

export const throughRelay =
  <T>(relay: Target): Follow<T> =>
  async (script, read) => {
    const answer = await openGet(relay, '/');
    const shell = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const sent = sendBody(relay, { method: 'POST', path: '/' }, shell.stdout);
    const [result] = await Promise.all([read(answer), sent]);
    return result;
  };

/** Bytes per second of the script's output of `bytes` bytes, from its start until the follower has read the last. */
export async function printedPerSecond(
  follow: Follow<number>,
  bytes: number,
  lineBytes: number,
): Promise<number> {
  const begin = performance.now();
  const received = await follow(printMuch(bytes, lineBytes), drain);
  const elapsedMs = performance.now() - begin;
  if (received < bytes) throw new Error(`The follower has ${received} of ${bytes} bytes.`);
  return (bytes * 1000) / elapsedMs;
}

const PRINTED_TIME = /(?:^|\] )(\d{10}\.\d{6})$/;

/** Milliseconds from the print of each line to its arrival. */
export async function lineLatencies(
  follow: Follow<readonly number[]>,
  lines: number,
): Promise<readonly number[]> {
  const latencies = await follow(printTimes(lines), readTimes);
  if (latencies.length !== lines) throw new Error(`${latencies.length} of ${lines} lines came.`);
  return latencies;
}

async function readTimes(answer: Answer): Promise<readonly number[]> {
  const latencies: number[] = [];
  for await (const line of createInterface({ input: answer })) {
    const printed = PRINTED_TIME.exec(line)?.[1];
    if (printed === undefined) continue;
    latencies.push(performance.timeOrigin + performance.now() - Number(printed) * 1000);
  }
  return latencies;
}
