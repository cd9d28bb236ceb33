/** Reads output of a command, in several turns where that takes long. */
import {
  maskSteps,
  type OutputLines,
  type OutputReading,
  type OutputState,
  readOutput,
} from '@tutti/workflow';
import { Turns } from '../../../runtime/turns.ts';
import { outputPieces } from './output-pieces.ts';

/** Size of a piece between two looks at the time. Its workflow commands take a few milliseconds at worst. */
const PIECE = { length: 16 * 1024, lines: 256 };

export async function readInTurns(
  state: OutputState,
  output: readonly OutputLines[],
): Promise<OutputReading> {
  const all: OutputReading = { state, logs: [], requests: [] };
  let current = state;
  const turns = new Turns();
  for (const each of output) {
    for (const piece of outputPieces(each, PIECE)) {
      await turns.run(maskSteps(current.masks));
      const { state: next, logs, requests } = readOutput(current, [piece]);
      current = next;
      for (const log of logs) all.logs.push(log);
      all.requests.push(...requests);
      if (turns.isOver) await turns.next();
    }
  }
  return { ...all, state: current };
}
