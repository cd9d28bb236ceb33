/** `tutti config`: the servers that the command line knows, and the current one. */

import { SERVICE_PORTS } from '@tutti/manifests/service-ports';
import { type Command, Option } from 'commander';
import type {
  ContextChange,
  CredentialsChange,
  OrchestratorChange,
} from '../commands/change-config.ts';
import type { ConfigOptions } from '../commands/config.ts';
import type { GeneratedParts } from '../commands/generate-config.ts';
import { prefixOption } from '../options/display-options.ts';
import { readWhole } from '../options/option-values.ts';
import { resourceOutputOption } from '../resources/output.ts';
import { PROGRESSES } from '../run-view/progress-kinds.ts';
import type { Act } from './act.ts';

const SERVICES_HEADING = 'Where services have addresses of their own:';

const SERVICES = Object.keys(SERVICE_PORTS);

const INSECURE = ['--insecure-skip-tls-verify [boolean]', 'do not check its certificate'] as const;
const AUTHORITY = [
  '--certificate-authority <file>',
  'certificates of authorities to trust (PEM)',
] as const;
const TOKEN = [
  '--token <token>',
  'token; - reads it from standard input, where no other user sees it',
] as const;
const TOKEN_FILE = [
  '--token-file <file>',
  'file with the token, read whenever it is needed',
] as const;

const portOption = (service: string): Option =>
  new Option(`--${service}-port <number>`, `port of the ${service}`).helpGroup(SERVICES_HEADING);

const depthOption = (name: string, what: string): Option =>
  new Option(`${name} <number>`, `${what}, as with "tutti run"`).argParser(readWhole(name));

export function addConfigCommands(program: Command, act: Act): void {
  const config = program
    .command('config')
    .description('Servers, users and contexts that commands are called in.')
    .addHelpText('after', CONFIG_HELP);
  addGenerating(config, act);
  addShowing(config, act);
  addContexts(config, act);
  addOrchestrators(config, act);
  addCredentials(config, act);
}

const loadShowing = () => import('../commands/config.ts');
const loadChanging = () => import('../commands/change-config.ts');

/** Each subcommand has an option for the file. */
const subcommand = (config: Command, name: string, description: string): Command =>
  config
    .command(name)
    .description(description)
    .option('--client-config <file>', 'configuration of the command line (or TUTTI_CLIENT_CONFIG)');

function addGenerating(config: Command, act: Act): void {
  const generate = config
    .command('generate')
    .description(
      'Print a configuration with one context; on a terminal, what is missing is asked for.',
    )
    .option('--name <name>', 'name of the context, its orchestrator and its user')
    .option('--server <url>', 'address of the server')
    .option('--namespace <name>', 'namespace of the runs that are started in the context')
    .option(...INSECURE)
    .option(...AUTHORITY)
    .option(...TOKEN)
    .option(...TOKEN_FILE)
    .option('--no-token', 'no token: the server needs none');
  for (const service of SERVICES) generate.addOption(portOption(service));
  generate.addHelpText('after', GENERATE_HELP).action(async (options: GeneratedParts) => {
    const { generateConfig } = await import('../commands/generate-config.ts');
    await act((io) => generateConfig(options, io));
  });
}

function addShowing(config: Command, act: Act): void {
  subcommand(config, 'view', 'Show the configuration; tokens are hidden.')
    .addOption(
      new Option('-o, --output <format>', 'form').choices(['yaml', 'json']).default('yaml'),
    )
    .addHelpText('after', '\nExample:\n  $ tutti config view -o json')
    .action(async (options: ConfigOptions & { readonly output: 'yaml' | 'json' }) => {
      await act(async (io) => (await loadShowing()).viewConfig(options, io));
    });
  subcommand(config, 'path', 'Show which file the configuration is.')
    .addHelpText('after', '\nExample:\n  $ chmod 600 "$(tutti config path)"')
    .action(async (options: ConfigOptions) => {
      await act(async (io) => (await loadShowing()).showPath(options, io));
    });
  subcommand(config, 'import', 'Copy the configuration of an existing client to our own place.')
    .argument('[file]', 'that configuration; OPENTF_CONFIG or ~/.opentf/config if absent')
    .option('--force', 'replace the configuration that is there')
    .addHelpText('after', '\nExample:\n  $ tutti config import ~/.opentf/config')
    .action(
      async (file: string | undefined, options: ConfigOptions & { readonly force?: boolean }) => {
        await act(async (io) => (await loadShowing()).importClientConfig(file, options, io));
      },
    );
}

function addContexts(config: Command, act: Act): void {
  subcommand(config, 'contexts', 'List the contexts; the current one has a star.')
    .addOption(resourceOutputOption())
    .addHelpText('after', '\nExample:\n  $ tutti config contexts -o name')
    .action(async (options: ConfigOptions & { readonly output: string }) => {
      await act(async (io) => (await loadShowing()).listContexts(options, io));
    });
  subcommand(config, 'use-context', 'Make a context the current one.')
    .argument('<name>', 'name of the context')
    .addHelpText('after', '\nExample:\n  $ tutti config use-context staging')
    .action(async (name: string, options: ConfigOptions) => {
      await act(async (io) => (await loadChanging()).useContext(name, options, io));
    });
  subcommand(config, 'set-context', 'Make or change a context.')
    .argument('[name]', 'name of the context')
    .option('--current', 'change the current one')
    .option('--orchestrator <name>', 'the orchestrator that it is for')
    .option('--user <name>', 'the user whose token it takes')
    .option('--namespace <name>', 'namespace of the runs that are started in it')
    .addHelpText(
      'after',
      '\nExample:\n  $ tutti config set-context staging --orchestrator staging --user me --namespace team-a',
    )
    .action(async (name: string | undefined, options: ContextChange) => {
      await act(async (io) => (await loadChanging()).setContext(name, options, io));
    });
  addDeletion(config, 'contexts', act);
}

function addOrchestrators(config: Command, act: Act): void {
  const set = subcommand(config, 'set-orchestrator', 'Make or change an orchestrator.')
    .argument('<name>', 'name of the orchestrator')
    .option('--server <url>', 'its address')
    .option(...INSECURE)
    .option(...AUTHORITY)
    .option('--client-certificate <file>', 'certificate to be known by (PEM)')
    .option('--client-key <file>', 'key of that certificate (PEM)');
  for (const service of SERVICES) {
    const prefix = new Option(`--${service}-prefix <path>`, `prefix of its paths`);
    set
      .addOption(portOption(service).argParser(readWhole(`--${service}-port`)))
      .addOption(prefix.helpGroup(SERVICES_HEADING));
  }
  set
    .addHelpText('after', SET_ORCHESTRATOR_HELP)
    .action(async (name: string, options: OrchestratorChange) => {
      await act(async (io) => (await loadChanging()).setOrchestrator(name, options, io));
    });
  addDeletion(config, 'orchestrators', act);
}

function addCredentials(config: Command, act: Act): void {
  subcommand(config, 'set-credentials', 'Make or change a user: a token, and how output is shown.')
    .argument('<name>', 'name of the user')
    .option(...TOKEN)
    .option(...TOKEN_FILE)
    .addOption(depthOption('--step-depth', 'how deep steps are shown'))
    .addOption(depthOption('--job-depth', 'how deep jobs are shown'))
    .addOption(depthOption('--max-command-length', 'how much of commands is shown'))
    .addOption(prefixOption())
    .option(
      '--colors [value]',
      'false: none, unless FORCE_COLOR asks for them; or those of lines, as in ttl=1:run=36:out=32:err=31:att=2',
    )
    .addOption(
      new Option('--progress <kind>', 'how "tutti run --wait" shows runs').choices(PROGRESSES),
    )
    .option('--verbose [boolean]', 'show more, as with "tutti run"')
    .option('--show-notifications [boolean]', 'show what services log')
    .addHelpText('after', SET_CREDENTIALS_HELP)
    .action(async (name: string, options: CredentialsChange) => {
      await act(async (io) => (await loadChanging()).setCredentials(name, options, io));
    });
  addDeletion(config, 'users', act);
}

const DELETIONS = {
  contexts: ['delete-context', 'a context'],
  orchestrators: ['delete-orchestrator', 'an orchestrator'],
  users: ['delete-credentials', 'a user'],
} as const;

function addDeletion(config: Command, list: keyof typeof DELETIONS, act: Act): void {
  const [command, what] = DELETIONS[list];
  subcommand(config, command, `Remove ${what}.`)
    .argument('<name>', 'its name')
    .addHelpText('after', `\nExample:\n  $ tutti config ${command} old`)
    .action(async (name: string, options: ConfigOptions) => {
      await act(async (io) => (await loadChanging()).deleteConfigPart(list, name, options, io));
    });
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

Documentation: docs/reference/client-configuration.md.`;

const GENERATE_HELP = `
Questions are on standard error, the configuration on standard output. It has the token as it is: "tutti config import" keeps it where only you can read it.

Examples:
  $ tutti config generate > lab.yaml
  $ tutti config generate --name lab --server https://lab.example.org --token-file lab.token > lab.yaml
  $ tutti config import lab.yaml`;

const SET_ORCHESTRATOR_HELP = `
Example:
  $ tutti config set-orchestrator lab --server https://lab.example.org --certificate-authority lab.pem
  $ tutti config set-orchestrator old --server http://old.example.org --observer-port 7775`;

const SET_CREDENTIALS_HELP = `
Example:
  $ tutti tokens create --subject me | tutti config set-credentials me --token -
  $ tutti config set-credentials ci --token-file /run/secrets/tutti
  $ tutti config set-credentials me --job-depth 1 --output-prefix '{timestamp} [{job}] '`;
