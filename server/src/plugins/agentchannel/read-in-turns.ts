/** Reads output of a command, in several turns where there is much of it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type OutputLines,
  type OutputReading,
  type OutputState,
  readOutput,
} from '@tutti/workflow';

/** A post that was small enough to be read at once has no more pieces than these. */
const AT_ONCE_MAX = 2;

export async function readInTurns(
  state: OutputState,
  output: readonly OutputLines[],
): Promise<OutputReading> {
  if (output.length <= AT_ONCE_MAX) return readOutput(state, output);
  const all: OutputReading = { state, logs: [], requests: [] };
  let current = state;
  for (const lines of output) {
    const { state: next, logs, requests } = readOutput(current, [lines]);
    current = next;
    for (const log of logs) all.logs.push(log);
    all.requests.push(...requests);
    await nextTurn();
  }
  return { ...all, state: current };
}
