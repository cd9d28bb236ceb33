/** Runs commands in this process, with input and output in memory. */

import { main } from '../main.ts';
import type { Io } from '../terminal/io.ts';
import { createPaint } from '../terminal/style.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandSurroundings {
  /** Standard input. */
  readonly input?: string;
  readonly env?: Io['env'];
  /** The name by which the command was called; `tutti` if absent. */
  readonly command?: string;
  /** Input for a question for a secret; absent, there is no terminal. */
  readonly secret?: string | undefined;
  /** Answers, question by question; input ends behind the last one. Absent, no questions are possible. */
  readonly answers?: readonly string[];
  /** Whether the user can be asked on standard input. */
  readonly isInteractive?: boolean;
}

export async function runCommand(
  args: readonly string[],
  {
    input = '',
    env = {},
    command = 'tutti',
    secret,
    answers,
    isInteractive = false,
  }: CommandSurroundings = {},
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' };
  const left = answers === undefined ? undefined : [...answers];
  const code = await main(args, {
    command,
    env,
    isInteractive,
    input: (async function* () {
      yield Buffer.from(input);
    })(),
    screen: {
      write: (text) => {
        written.stdout += text;
      },
      isTerminal: false,
      hasColors: false,
      paint: createPaint(false),
      columns: () => 80,
    },
    complain: (text) => {
      written.stderr += text;
    },
    ...(secret !== undefined && { askSecret: async () => secret }),
    ...(left !== undefined && {
      ask: async (question) => {
        written.stderr += question;
        return left.shift() ?? null;
      },
    }),
    drained: async () => {},
    now: () => 0,
    onStop: () => () => {},
    onTick: () => () => {},
    outliveReaders: () => {},
    exit: () => {},
  });
  return { code, ...written };
}
