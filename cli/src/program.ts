/**
 * The commands and their options. Actions are loaded when they are needed: a command that starts a workflow must not wait for
 * the server's libraries.
 */
import { Command, Option } from 'commander';
import type { AgentCommandOptions } from './commands/agent.ts';
import type { PlanFormat, PlanOptions } from './commands/plan.ts';
import type { ProvidersOptions } from './commands/providers.ts';
import type { RunOptions } from './commands/run.ts';
import type { StatusOptions } from './commands/status.ts';
import type { ValidateFormat, ValidateOptions } from './commands/validate.ts';
import { CONNECTION_HEADING, withConnection } from './options/connection-options.ts';
import { addEndOptions } from './options/end-options.ts';
import { addGiven } from './options/given-lines.ts';
import { defaultTags, withLocalOptions } from './options/local-options.ts';
import { addFile, addList, addNames, addPath } from './options/option-values.ts';
import { outputOption } from './options/output-format.ts';
import { runLimitOption } from './options/time-limit.ts';
import { addViewOptions } from './options/view-options.ts';
import { addExamples } from './register/command-examples.ts';
import { addCompletionCommand } from './register/completion-command.ts';
import { addConfigCommands } from './register/config-commands.ts';
import { addGateCommand } from './register/gate-command.ts';
import { addImportCommand } from './register/import-config-command.ts';
import { addInitCommand } from './register/init-command.ts';
import { addInventoryCommands } from './register/inventory-commands.ts';
import { adviseHelp, misuse } from './register/misuse.ts';
import { addRecoveryCommands } from './register/recovery-commands.ts';
import { addRerunCommands } from './register/rerun-commands.ts';
import { addResultCommands } from './register/result-commands.ts';
import { refuseEmptyValues, refuseSecondValues } from './register/single-options.ts';
import { addTokenCommands } from './register/token-commands.ts';
import { refuseUnknownSubcommands } from './register/unknown-subcommand.ts';
import { addWatchCommand } from './register/watch-command.ts';
import { addWorkflowCommands } from './register/workflow-commands.ts';
import { resourceOutputOption } from './resources/output.ts';
import type { Io } from './terminal/io.ts';
import { withoutCredentials } from './terminal/shown-address.ts';
import { CLI_VERSION } from './terminal/version.ts';

export interface Program {
  readonly command: Command;
  /** What the action resolved with; null before it did. */
  readonly exitCode: () => number | null;
}

/** `argv` is without the names of Node and of the script; it tells which commands are needed. */
export async function createProgram(argv: readonly string[], io: Io): Promise<Program> {
  let exitCode: number | null = null;
  const end = async (action: Promise<number>): Promise<void> => {
    exitCode = await action;
  };
  const program = new Command('tutti')
    .description('Orchestrates test workflows.')
    .version(CLI_VERSION)
    .option(
      '--debug',
      'show each request, and where errors come from; with every command (or TUTTI_DEBUG=1)',
    )
    .addHelpText('after', EXIT_CODES_HELP)
    .exitOverride()
    .configureHelp({ groupItems: serverLast })
    .configureOutput({
      writeOut: (text) => io.screen.write(text),
      writeErr: (text) => io.complain(text),
      outputError: (text, write) => write(withoutCredentials(misuse(text))),
    });
  // A short run waits for the commands that it does not call as long as for a step.
  if (argv[0] === 'run') addRunCommand(program, end, io);
  else await addCommands(program, argv, end, io);
  addExamples(program);
  adviseHelp(program, io.command);
  refuseSecondValues(program);
  refuseEmptyValues(program);
  refuseUnknownSubcommands(program);
  return { command: program, exitCode: () => exitCode };
}

async function addCommands(
  program: Command,
  argv: readonly string[],
  end: End,
  io: Io,
): Promise<void> {
  await addServerCommand(program, argv, end, io);
  addTokenCommands(program, end, io);
  addAgentCommand(program, end, io);
  addRunCommand(program, end, io);
  addInitCommand(program, end, io);
  addAuthorCommands(program, end, io);
  addQueryCommands(program, end, io);
  const workflows = addWorkflowCommands(program, end, io);
  addRerunCommands(workflows, end, io);
  addWatchCommand(workflows, end, io);
  addResultCommands(program, end, io);
  addInventoryCommands(program, end, io);
  addRecoveryCommands(program, end, io);
  addImportCommand(program, end, io);
  addConfigCommands(program, end, io);
  const programFor = async (line: readonly string[]) => (await createProgram(line, io)).command;
  addCompletionCommand(program, programFor, end, io);
}

/** Groups in the order in which they begin, but for the options about the server: what a command is about comes first. */
function serverLast<Item extends Command | Option>(
  unsorted: Item[],
  visible: Item[],
  groupOf: (item: Item) => string,
): Map<string, Item[]> {
  const names = new Set([...unsorted, ...visible].map(groupOf));
  const isLast = names.delete(CONNECTION_HEADING);
  const ordered = isLast ? [...names, CONNECTION_HEADING] : [...names];
  return new Map(ordered.map((name) => [name, visible.filter((item) => groupOf(item) === name)]));
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

Documentation: README.md and docs/ of the repository.`;

type End = (action: Promise<number>) => Promise<void>;

async function addServerCommand(
  program: Command,
  argv: readonly string[],
  end: End,
  io: Io,
): Promise<void> {
  const command = program
    .command('server')
    .description('Run a server.')
    .option('--config <file>', 'YAML file with the configuration (or TUTTI_CONFIG)');
  if (argv[argv[0] === 'help' ? 1 : 0] !== 'server') return;
  const { configSchema } = await import('@tutti/server');
  const { addServerOptions, readServerOptions } = await import('./register/server-options.ts');
  addServerOptions(command, configSchema);
  command.action(async (options: { readonly config?: string }) => {
    const { runServer } = await import('./commands/server.ts');
    await end(runServer(options.config, readServerOptions(command, configSchema), io));
  });
}

function addAgentCommand(program: Command, end: End, io: Io): void {
  withConnection(program.command('agent').description('Offer this machine to a server.'))
    .option(
      '--tags <list>',
      'what jobs ask for, as in linux,node; the operating system if absent',
      addList,
    )
    .option('--name <name>', 'name in listings; that of the host if absent')
    .option(
      '--namespaces <list>',
      'namespaces whose jobs may run here, or *; default if absent',
      addNames('--namespaces'),
    )
    .option('--workspace-dir <dir>', 'directory that commands run in; temporary if absent')
    .option(
      '--allow-path <dir>',
      'one more directory whose files ::attach, ::put and others may move; may be repeated',
      addPath,
    )
    .option(
      '--user-per-job [first-last]',
      'run each job as a user of its own, out of these user ids, 2000000000-2000000999 if absent; needs root, and Linux',
    )
    .option('--encoding <name>', 'of what commands print; utf-8 if absent')
    .action(async (options: Partial<AgentCommandOptions>) => {
      const { runAgentCommand } = await import('./commands/agent.ts');
      const tags = options.tags ?? defaultTags(process.platform);
      await end(runAgentCommand({ ...options, tags }, io));
    });
}

function withValues(command: Command): Command {
  return command
    .option(
      '-e, --env <name=value>',
      'variable, or the name of a file with one on each line; may be repeated',
      addGiven('-e'),
    )
    .option(
      '-i, --input <name=value>',
      'input, or the name of a file with one on each line; may be repeated',
      addGiven('-i'),
    );
}

function addRunCommand(program: Command, end: End, io: Io): void {
  const run = program
    .command('run')
    .description('Start a workflow, on a server or, where none is, on this machine.');
  const workflow = addEndOptions(addViewOptions(withLocalOptions(withConnection(run)))).argument(
    '[file]',
    'workflow, in YAML or JSON; - is standard input',
  );
  withValues(workflow)
    .option('-f, --file <name=path>', 'resource file; may be repeated', addFile('-f'))
    .option('--namespace <name>', 'namespace of the run')
    .option('--wait', 'follow the run to its end: exit code 0 when it is done, 1 when it failed')
    .option('--no-hints', 'with --wait: do not say what can be done next')
    .option(
      '--jobs <list>',
      'run only these jobs and what they need, separated by commas',
      addNames('--jobs'),
    )
    .option(
      '--runs-on <list>',
      'tags that all jobs ask for beside their own, separated by commas; an operating system takes the place of theirs',
      addNames('--runs-on'),
    )
    .option(
      '--from-failed <id>',
      'instead of a file: run what failed or did not run of this workflow',
    )
    .option('--dry-run', 'check the workflow without starting it')
    .option('--strict', STRICT)
    .addHelpText('after', RUN_EXAMPLES)
    .action(async (file: string | undefined, options: RunOptions, command: Command) => {
      if (file === undefined && options.fromFailed === undefined) {
        command.error("error: missing required argument 'file'");
      }
      const { runWorkflow } = await import('./commands/run.ts');
      await end(runWorkflow(file ?? null, options, io));
    });
}

const RUN_EXAMPLES = `
Examples:
  tutti run nightly.yaml -e STAGE=qa --wait
  tutti run nightly.yaml -e stages/qa.env -i browser=firefox
  tutti run nightly.yaml --jobs unit-tests,lint
  tutti run --from-failed 0198 --wait`;

const STRICT = 'treat warnings as errors';

const API_GROUP = 'api group of the server, if it has its own (or TUTTI_API_GROUP)';

/** What authors of workflows do without a server. */
function addAuthorCommands(program: Command, end: End, io: Io): void {
  program
    .command('validate')
    .description('Check workflows, without a server.')
    .argument('<files...>', 'workflows, in YAML or JSON; - is standard input')
    .addOption(
      new Option('-o, --format <format>', 'how problems are told')
        .choices(['human', 'json', 'github', 'sarif'] satisfies readonly ValidateFormat[])
        .default('human' satisfies ValidateFormat),
    )
    .option('--called', 'check workflows of a repository that others call, and nobody starts')
    .option('--strict', STRICT)
    .option('--api-group <name>', API_GROUP)
    .action(async (files: readonly string[], options: ValidateOptions) => {
      const { validateWorkflows } = await import('./commands/validate.ts');
      await end(validateWorkflows(files, options, io));
    });
  const plan = program
    .command('plan')
    .description('Show what a workflow would run, and where, without a server.')
    .argument('<file>', 'workflow, in YAML or JSON; - is standard input');
  withValues(plan)
    .option('--namespace <name>', 'namespace of the run')
    .addOption(
      new Option('-o, --format <format>', 'how the plan is shown')
        .choices(['tree', 'mermaid', 'json'] satisfies readonly PlanFormat[])
        .default('tree' satisfies PlanFormat),
    )
    .option('--steps', 'show the steps of each job')
    .option('--strict', STRICT)
    .option('--api-group <name>', API_GROUP)
    .action(async (file: string, options: PlanOptions) => {
      const { planOf } = await import('./commands/plan.ts');
      await end(planOf(file, options, io));
    });
}

function addQueryCommands(program: Command, end: End, io: Io): void {
  withConnection(program.command('status').description('Show all workflows, or one.'))
    .argument('[id]', 'id of a workflow, or the beginning of one')
    .addOption(new Option('--log', 'print its execution log').conflicts('output'))
    .option('--follow', 'with --log: print what comes, until the workflow is over')
    .addOption(runLimitOption('--follow'))
    .addOption(outputOption())
    .action(async (id: string | undefined, options: StatusOptions) => {
      const { showStatus } = await import('./commands/status.ts');
      await end(showStatus(id, options, io));
    });
  addGateCommand(program, end, io);
  withConnection(program.command('providers').description('Show the functions of a server.'))
    .argument('[name]', 'a function, to show its inputs')
    .addOption(resourceOutputOption())
    .action(async (name: string | undefined, options: ProvidersOptions) => {
      const { listProviders } = await import('./commands/providers.ts');
      await end(listProviders(name, options, io));
    });
}
