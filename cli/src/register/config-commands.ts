/** `tutti config`: the servers that the command line knows, and the current one. */
import { SERVICE_PORTS } from '@tutti/manifests/service-ports';
import { type Command, Option } from 'commander';
import type { PartList } from '../client-config/client-context.ts';
import { type ConfigKey, ORCHESTRATOR_KEYS, USER_KEYS } from '../client-config/config-keys.ts';
import type { GenerateOptions } from '../commands/generate-config.ts';
import { prefixOption } from '../options/display-options.ts';
import { readWhole } from '../options/option-values.ts';
import { resourceOutputOption } from '../resources/output.ts';
import { PROGRESSES } from '../run-view/progress-kinds.ts';
import type { Io } from '../terminal/io.ts';
import type { Act } from './act.ts';

type Commands = typeof import('../commands/config.ts');
/** Adds a command, whose function gets its options, and its argument among them. */
type Add = <Options>(
  name: string,
  about: string,
  pick: (commands: Commands) => (options: Options, io: Io) => Promise<number>,
) => Command;

export function addConfigCommands(program: Command, act: Act): void {
  const config = program
    .command('config')
    .description('Servers, users and contexts that commands are called in.')
    .addHelpText('after', CONFIG_HELP);
  addGenerating(config, act);
  addCommands((name, about, pick) => {
    const file = 'configuration of the command line (or TUTTI_CLIENT_CONFIG)';
    const command = config.command(name).description(about).option('--client-config <file>', file);
    return command.action(async () => {
      // Commander gives options of the declared types.
      type Options = Parameters<ReturnType<typeof pick>>[0];
      const options = { ...command.opts(), argument: command.args[0] } as Options;
      await act(async (io) => pick(await import('../commands/config.ts'))(options, io));
    });
  });
}

function addGenerating(config: Command, act: Act): void {
  const generate = config
    .command('generate')
    .description(
      'Print a configuration with one context; on a terminal, what is missing is asked for.',
    )
    .option('--name <name>', 'name of the context, its orchestrator and its user')
    .option('--server <url>', 'address of the server')
    .option('--namespace <name>', 'namespace of the runs that are started in the context');
  withKeys(generate, [...ORCHESTRATOR_KEYS.slice(0, 2), ...USER_KEYS.slice(0, 2)]);
  generate.option('--no-token', 'no token: the server needs none');
  for (const service of SERVICES) generate.addOption(ofService(service, 'port'));
  generate.addHelpText('after', GENERATE_HELP).action(async (options: GenerateOptions) => {
    const { generateConfig } = await import('../commands/generate-config.ts');
    await act((io) => generateConfig(options, io));
  });
}

/** Adds options that set the keys. */
function withKeys(command: Command, keys: readonly ConfigKey[]): Command {
  for (const [key, form, help] of keys) {
    const option = new Option(`--${key} ${form}`, help);
    if (form === '<number>') option.argParser(readWhole(`--${key}`));
    if (form === '<kind>') option.choices(PROGRESSES);
    command.addOption(form === '<text>' ? prefixOption() : option);
  }
  return command;
}

const SERVICES = Object.keys(SERVICE_PORTS);

function ofService(service: string, key: 'port' | 'prefix'): Option {
  const isPort = key === 'port';
  const help = isPort ? `port of the ${service}` : 'prefix of its paths';
  const option = new Option(`--${service}-${key} ${isPort ? '<number>' : '<path>'}`, help);
  return option.helpGroup('Where services have addresses of their own:');
}

const exampleOf = (...lines: readonly string[]): string =>
  ['\nExample:', ...lines].join('\n  $ tutti config ');

function addCommands(add: Add): void {
  const form = new Option('-o, --output <format>', 'form').choices(['yaml', 'json']);
  add('view', 'Show the configuration; tokens are hidden.', (to) => to.viewConfig)
    .addOption(form.default('yaml'))
    .addHelpText('after', exampleOf('view -o json'));
  const chmod = '\nExample:\n  $ chmod 600 "$(tutti config path)"';
  const path = 'Show which file the configuration is.';
  add('path', path, (to) => to.showPath).addHelpText('after', chmod);
  const copy = 'Copy the configuration of an existing client to our own place.';
  add('import', copy, (to) => to.importClientConfig)
    .argument('[file]', 'that configuration; OPENTF_CONFIG or ~/.opentf/config if absent')
    .option('--force', 'replace the configuration that is there')
    .addHelpText('after', exampleOf('import ~/.opentf/config'));
  add('contexts', 'List the contexts; the current one has a star.', (to) => to.listContexts)
    .addOption(resourceOutputOption())
    .addHelpText('after', exampleOf('contexts -o name'));
  add('use-context', 'Make a context the current one.', (to) => to.useContext)
    .argument('<name>', 'name of the context')
    .addHelpText('after', exampleOf('use-context staging'));
  const staging = 'set-context staging --orchestrator staging --user me --namespace team-a';
  add('set-context', 'Make or change a context.', (to) => to.setContext)
    .argument('[name]', 'name of the context')
    .option('--current', 'change the current one')
    .option('--orchestrator <name>', 'the orchestrator that it is for')
    .option('--user <name>', 'the user whose token it takes')
    .option('--namespace <name>', 'namespace of the runs that are started in it')
    .addHelpText('after', exampleOf(staging));
  addDeletion(add, 'contexts');
  const set = 'Make or change an orchestrator.';
  const orchestrator = add('set-orchestrator', set, (to) => to.setOrchestrator)
    .argument('<name>', 'name of the orchestrator')
    .option('--server <url>', 'its address');
  withKeys(orchestrator, ORCHESTRATOR_KEYS);
  for (const service of SERVICES) {
    const port = ofService(service, 'port').argParser(readWhole(`--${service}-port`));
    orchestrator.addOption(port).addOption(ofService(service, 'prefix'));
  }
  const lab =
    'set-orchestrator lab --server https://lab.example.org --certificate-authority lab.pem';
  const old = 'set-orchestrator old --server http://old.example.org --observer-port 7775';
  orchestrator.addHelpText('after', exampleOf(lab, old));
  addDeletion(add, 'orchestrators');
  const setUser = 'Make or change a user: a token, and how output is shown.';
  const user = add('set-credentials', setUser, (to) => to.setCredentials).argument(
    '<name>',
    'name of the user',
  );
  withKeys(user, USER_KEYS).addHelpText('after', SET_CREDENTIALS_HELP);
  addDeletion(add, 'users');
}

const DELETIONS = {
  ...{ contexts: ['delete-context', 'a context'], users: ['delete-credentials', 'a user'] },
  orchestrators: ['delete-orchestrator', 'an orchestrator'],
} as const;

function addDeletion(add: Add, list: PartList): void {
  const [name, what] = DELETIONS[list];
  add(name, `Remove ${what}.`, (to) => to.deletePart(list))
    .argument('<name>', 'its name')
    .addHelpText('after', exampleOf(`${name} old`));
}

const CONFIG_HELP = `
The configuration is ~/.config/tutti/config.yaml (XDG_CONFIG_HOME moves it; --client-config and
TUTTI_CLIENT_CONFIG name another file). Where there is none, that of existing clients is read
(OPENTF_CONFIG or ~/.opentf/config), and never written.

Example:
  $ tutti config set-orchestrator staging --server https://tests.example.org
  $ tutti config set-credentials me --token-file ~/staging.token
  $ tutti config set-context staging --orchestrator staging --user me
  $ tutti config use-context staging

Documentation: tutti docs reference/client-configuration`;

const GENERATE_HELP = `
Questions are on standard error, the configuration on standard output. It has the token as it is: "tutti config import" keeps it where only you can read it.

Examples:
  $ tutti config generate > lab.yaml
  $ tutti config generate --name lab --server https://lab.example.org --token-file lab.token > lab.yaml
  $ tutti config import lab.yaml`;

const SET_CREDENTIALS_HELP = `
Example:
  $ tutti tokens create --subject me | tutti config set-credentials me --token -
  $ tutti config set-credentials ci --token-file /run/secrets/tutti
  $ tutti config set-credentials me --job-depth 1 --output-prefix '{timestamp} [{job}] '`;
