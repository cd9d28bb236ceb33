/** Reads output of a command, in several turns where that takes long. */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type OutputLines,
  type OutputReading,
  type OutputState,
  readOutput,
} from '@tutti/workflow';
import { outputPieces } from './output-pieces.ts';

/** After this time, others get their turn. */
const TURN_MS = 5;
/** Between two looks at the time: what these lines may ask for takes a few milliseconds at worst. */
const PIECE = { length: 16 * 1024, lines: 256 };

export async function readInTurns(
  state: OutputState,
  output: readonly OutputLines[],
): Promise<OutputReading> {
  const all: OutputReading = { state, logs: [], requests: [] };
  let current = state;
  let sinceMs = performance.now();
  for (const each of output) {
    for (const piece of outputPieces(each, PIECE)) {
      const { state: next, logs, requests } = readOutput(current, [piece]);
      current = next;
      for (const log of logs) all.logs.push(log);
      all.requests.push(...requests);
      if (performance.now() - sinceMs < TURN_MS) continue;
      await nextTurn();
      sinceMs = performance.now();
    }
  }
  return { ...all, state: current };
}
