/** The tutti command: from arguments to an exit code. */
import { CommanderError } from 'commander';
import { EXIT_CODES } from './exit-codes.ts';
import { createProcessIo, type Io } from './io.ts';
import { problemOf, renderProblem } from './problem.ts';
import { createProgram } from './program.ts';

/** `argv` is without the names of Node and of the script. Never rejects: what goes wrong is told on standard error. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const { command, exitCode } = await createProgram(argv, io);
    await command.parseAsync([...argv], { from: 'user' });
    return exitCode() ?? EXIT_CODES.done;
  } catch (error) {
    // Help and version end this way too, with code 0; what is wrong was told already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.problem;
    io.complain(renderProblem(problemOf(error), io.command));
    return EXIT_CODES.problem;
  }
}

/** Runs the command of this process and ends it. */
export async function runProcess(): Promise<void> {
  process.exitCode = await main(process.argv.slice(2), createProcessIo());
}
