/** `tutti config generate`: prints a configuration with one context. On a terminal, it asks for missing values. */
import { SERVICE_PORTS } from '@tutti/manifests/service-ports';
import { booleanOf } from '@tutti/manifests/values';
import { ORCHESTRATOR_KEYS, USER_KEYS } from '../client-config/config-keys.ts';
import { EditedConfig, type PartValues, type ServiceValue } from '../client-config/edit-config.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { checkedServer, givenSecret, valuesOf } from './config-values.ts';

/** Also has the other keys, and ports of services, under the names that commander gives them. */
export type GenerateOptions = PartValues & {
  readonly name?: string;
  readonly server?: string;
  readonly namespace?: string;
  /** False: no token; `-`: from standard input. */
  readonly token?: string | false;
};

const INSECURE = 'insecure-skip-tls-verify';

/** Writes a configuration from options and answers. Resolves with the exit code. */
export async function generateConfig(options: GenerateOptions, io: Io): Promise<number> {
  const secret = await givenSecret(options, io);
  const values = valuesOf(ORCHESTRATOR_KEYS, options);
  const user = valuesOf(USER_KEYS, options);
  const questions = questionsOf(io);
  if (questions === null) refuseMissing(options);
  const name = options.name ?? (await questions?.line(NAME, (text) => text || 'default')) ?? '';
  const server =
    options.server === undefined
      ? ((await questions?.line('Address of the server: ', checkedServer)) ?? '')
      : checkedServer(options.server);
  const ports = await portsOf(options, questions);
  let { [INSECURE]: insecure, 'certificate-authority': authority } = values;
  // Asked for servers with a certificate, unless the user names an authority.
  if (insecure === undefined && authority === undefined && server.startsWith('https:')) {
    insecure = await questions?.line('Trust its certificate without a check? [y/N] ', readYes);
  }
  const isAsked = secret === null && options.token !== false && options.tokenFile === undefined;
  const token = isAsked ? await questions?.secret(TOKEN) : secret;
  const config = new EditedConfig();
  const { namespace } = options;
  config.set('contexts', name, { orchestrator: name, user: name, namespace });
  config.set('orchestrators', name, { server, ...values, [INSECURE]: insecure });
  config.setServices(name, ports);
  config.set('users', name, { ...user, token: token || undefined });
  config.document.set('current-context', name);
  io.screen.write(String(config.document));
  return EXIT_CODES.done;
}

const TOKEN = 'Token (it is not shown; none if empty): ';
const NAME = 'Name of the context, its orchestrator and its user [default]: ';

/** Refuses missing options where no user can be asked. */
function refuseMissing({ name, server, token, tokenFile }: GenerateOptions): void {
  const missing = [
    ...(name === undefined ? ['--name'] : []),
    ...(server === undefined ? ['--server'] : []),
    ...((token ?? tokenFile) === undefined ? ['--token (or --token-file, or --no-token)'] : []),
  ];
  if (missing.length === 0) return;
  throw new UsageError(
    `There is no terminal to ask on, and options are missing: ${missing.join(', ')}.`,
    'add them, or call it on a terminal, which asks for them.',
  );
}

interface Questions {
  /** Asks until the answer is valid. */
  line<Value>(question: string, read: (text: string) => Value): Promise<Value>;
  secret(question: string): Promise<string>;
}

/** Null if the user cannot be asked. */
function questionsOf({ ask, askSecret, complain }: Io): Questions | null {
  if (ask === undefined || askSecret === undefined) return null;
  return {
    async line(question, read) {
      for (;;) {
        const text = answered(await ask(question));
        try {
          return read(text);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          complain(`${error.message}\n`);
        }
      }
    },
    secret: async (question) => answered(await askSecret(question)),
  };
}

function answered(text: string | null): string {
  if (text !== null) return text.trim();
  throw new UsageError(
    'A question was not answered, and nothing is generated.',
    'answer it, or give options in its place: see "tutti config generate --help".',
  );
}

/** `false` means no; other words are asked again. */
function readYes(text: string): boolean {
  const word = text.toLowerCase() || 'n';
  const answer = word === 'y' || word === 'n' ? word === 'y' : booleanOf(word);
  if (answer !== null) return answer;
  throw new UsageError(`Answer yes or no, not "${text}".`);
}

const PORT_MAX = 65_535;

function readPort(text: string, what: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= PORT_MAX) return port;
  throw new UsageError(`${what} is a number from 1 to ${PORT_MAX}, not "${text}".`);
}

/** The ports that options name; the answers if there are none. */
async function portsOf(options: PartValues, questions: Questions | null) {
  const ports: ServiceValue[] = [];
  for (const name of Object.keys(SERVICE_PORTS)) {
    const port = options[`${name}Port`];
    if (port !== undefined) ports.push([name, 'port', readPort(String(port), `--${name}-port`)]);
  }
  if (ports.length > 0 || questions === null) return ports;
  if (!(await questions.line('Do services have ports of their own? [y/N] ', readYes))) return ports;
  for (const [name, usual] of Object.entries(SERVICE_PORTS)) {
    const read = (text: string) => (text === '' ? usual : readPort(text, 'A port'));
    ports.push([name, 'port', await questions.line(`Port of the ${name} [${usual}]: `, read)]);
  }
  return ports;
}
