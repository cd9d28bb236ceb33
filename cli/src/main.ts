/** The tutti command: from arguments to an exit code. */
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { subcommandFirst } from './register/subcommand-first.ts';
import { explained, knownHelp } from './register/unknown-subcommand.ts';
import { closeOpened } from './terminal/at-end.ts';
import { isDebugging, isGiven, traceText, withDebugOption } from './terminal/debug.ts';
import { EXIT_CODES } from './terminal/exit-codes.ts';
import { createProcessIo, type Io } from './terminal/io.ts';
import { problemOf, renderProblem } from './terminal/problem.ts';

/** `argv` excludes the names of Node and of the script. Never rejects: errors are printed on standard error. */
export async function main(argv: readonly string[], surroundings: Io): Promise<number> {
  const io = withDebugOption(argv, surroundings);
  if (isGiven('--no-color', argv)) io.withoutColors?.({ always: true });
  try {
    const { command, exitCode } = await createProgram(argv, io);
    await command.parseAsync([...subcommandFirst(knownHelp(argv, command), command)], {
      from: 'user',
    });
    return exitCode() ?? EXIT_CODES.done;
  } catch (error) {
    // Help and version end this way too, with code 0; commander has already printed errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.problem;
    printError(await explained(error), io);
    return EXIT_CODES.problem;
  } finally {
    await closeOpened(io);
  }
}

function printError(error: unknown, io: Io): void {
  io.complain(renderProblem(problemOf(error), io.command));
  if (isDebugging(io.env)) io.complain(traceText(error));
}

/** Runs the command of this process and ends it. */
export async function runProcess(): Promise<void> {
  const argv = process.argv.slice(2);
  const io = createProcessIo();
  // Failures of a server go to its log, with all details.
  if (argv[0] !== 'server') {
    process.on('uncaughtException', (error) => {
      printError(error, withDebugOption(argv, io));
      process.exit(EXIT_CODES.problem);
    });
  }
  process.exitCode = await main(argv, io);
}
