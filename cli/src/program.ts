/**
 * The commands and their options. Actions are loaded when they are needed: a command that starts a workflow must not wait for
 * the server's libraries.
 */
import { Command, type Option } from 'commander';
import { CONNECTION_HEADING } from './options/connection-options.ts';
import type { Act } from './register/act.ts';
import { addAgentCommand, addServerCommand } from './register/agent-commands.ts';
import { addAuthorCommands } from './register/author-commands.ts';
import { addCauseCommands } from './register/cause-commands.ts';
import { addExamples } from './register/command-examples.ts';
import { groupCommands, groupOrder, inGroupOrder } from './register/command-groups.ts';
import { addCompletionCommand } from './register/completion-command.ts';
import { addConfigCommands } from './register/config-commands.ts';
import { addDocsCommand } from './register/docs-command.ts';
import { addImportCommand } from './register/import-config-command.ts';
import { addInventoryCommands } from './register/inventory-commands.ts';
import { adviseHelp, misuse } from './register/misuse.ts';
import { addQueryCommands } from './register/query-commands.ts';
import { addRecoveryCommands } from './register/recovery-commands.ts';
import { addRerunCommands } from './register/rerun-commands.ts';
import { addResultCommands } from './register/result-commands.ts';
import { addRunCommand } from './register/run-command.ts';
import { refuseEmptyValues, refuseSecondValues } from './register/single-options.ts';
import { addTestCommands } from './register/test-commands.ts';
import { addTokenCommands } from './register/token-commands.ts';
import { refuseUnknownSubcommands } from './register/unknown-subcommand.ts';
import { addWatchCommand } from './register/watch-command.ts';
import { addWorkflowCommands } from './register/workflow-commands.ts';
import type { Io } from './terminal/io.ts';
import { withoutCredentials } from './terminal/shown-address.ts';
import { CLI_VERSION } from './terminal/version.ts';

export interface Program {
  readonly command: Command;
  /** Exit code of the action; null until it has resolved. */
  readonly exitCode: () => number | null;
}

/** `argv` excludes the names of Node and of the script; it selects the commands to load. */
export async function createProgram(argv: readonly string[], io: Io): Promise<Program> {
  let exitCode: number | null = null;
  const act: Act = async (action) => {
    exitCode = await action(io);
  };
  const program = new Command('tutti')
    .description('Orchestrates test workflows.')
    .version(CLI_VERSION)
    .option(
      '--debug',
      'show each request, and where errors come from; with every command (or TUTTI_DEBUG=1)',
    )
    .option('--no-color', 'print no colours, whatever the environment says; with every command')
    .addHelpText('after', EXIT_CODES_HELP)
    .exitOverride()
    .configureHelp({ groupItems: serverLast })
    .configureOutput({
      writeOut: (text) => io.screen.write(text),
      writeErr: (text) => io.complain(text),
      outputError: (text, write) => write(withoutCredentials(misuse(text))),
    });
  // `run` loads no other commands: loading them takes as long as a short step.
  if (argv[0] === 'run') addRunCommand(program, act);
  else {
    await addCommands(program, argv, act);
    const programFor = async (line: readonly string[]) => (await createProgram(line, io)).command;
    addCompletionCommand(program, programFor, act);
    groupCommands(program);
  }
  addExamples(program);
  adviseHelp(program, io.command);
  refuseSecondValues(program);
  refuseEmptyValues(program);
  refuseUnknownSubcommands(program);
  return { command: program, exitCode: () => exitCode };
}

async function addCommands(program: Command, argv: readonly string[], act: Act): Promise<void> {
  await addServerCommand(program, argv, act);
  addTokenCommands(program, act);
  addAgentCommand(program, act);
  addRunCommand(program, act);
  addAuthorCommands(program, act);
  addQueryCommands(program, act);
  const workflows = addWorkflowCommands(program, act);
  addRerunCommands(workflows, act);
  addWatchCommand(workflows, act);
  addResultCommands(program, act);
  addTestCommands(program, act);
  addCauseCommands(program, act);
  addInventoryCommands(program, act);
  addRecoveryCommands(program, act);
  addImportCommand(program, act);
  addConfigCommands(program, act);
  addDocsCommand(program, act);
}

/** Commands stand in groups by task. Options keep their order, but those of the server come last. */
function serverLast<Item extends Command | Option>(
  unsorted: Item[],
  visible: Item[],
  groupOf: (item: Item) => string,
): Map<string, Item[]> {
  const names = new Set([...unsorted, ...visible].map(groupOf));
  const isLast = names.delete(CONNECTION_HEADING);
  const sorted = groupOrder(names);
  const ordered = isLast ? [...sorted, CONNECTION_HEADING] : sorted;
  const itemsOf = (name: string) => visible.filter((item) => groupOf(item) === name);
  return new Map(ordered.map((name) => [name, inGroupOrder(name, itemsOf(name))]));
}

const EXIT_CODES_HELP = `
Exit codes:
  0  done; with "run --wait", or on this machine: the workflow succeeded
  1  with "run --wait", or on this machine: the workflow failed, or was canceled; with "validate" and "plan": there are
     problems; with "attachments --save-to" and "report": none fits, or not all could be saved;
     with "import-config": something could not be carried over; with "doctor": something is wrong;
     with "ready" and "done": the time is over; with "publish": nobody gets it
  2  wrong use, a refusal of the server, or a server that cannot be reached
  101  with "gate" and "run --gate": no verdict yet; with "testcases", "tags" and "report": they are not all there;
     with --timeout of what waits for an end: it did not come in time
  102  with "gate" and "run --gate": the quality gate is not passed
  "status" ends with 0 however the workflow stands; 130 and 143 follow Ctrl-C or SIGTERM where an
  end is waited for; with "run --wait" the second one, as the first cancels. Lists with --watch end with 0.

Documentation: "tutti docs", and /docs/ of each server.`;
