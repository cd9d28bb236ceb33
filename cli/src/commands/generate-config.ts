/** `tutti config generate`: prints a configuration with one context. On a terminal, it asks for missing values. */
import { SERVICE_PORTS, type ServiceName } from '@tutti/manifests/service-ports';
import { booleanOf } from '@tutti/manifests/values';
import { EditedConfig, type PartValues } from '../client-config/edit-config.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { checkedServer, givenSecret, orchestratorValues, userValues } from './config-values.ts';

export interface GenerateOptions {
  readonly name?: string;
  readonly server?: string;
  readonly namespace?: string;
  readonly insecureSkipTlsVerify?: unknown;
  readonly certificateAuthority?: string;
  /** False: no token; `-`: from standard input. */
  readonly token?: string | false;
  readonly tokenFile?: string;
}

/** With the ports of services, under the names that commander gives them. */
export type GeneratedParts = GenerateOptions & Readonly<Record<string, unknown>>;

type Ports = ReadonlyMap<ServiceName, number>;

/** Resolves with the exit code. */
export async function generateConfig(options: GeneratedParts, io: Io): Promise<number> {
  const secret = await givenSecret(options, io);
  const values = orchestratorValues(options);
  const user = userValues(options);
  const questions = questionsOf(io);
  if (questions === null) refuseMissing(options);
  const name = options.name ?? (await questions?.line(NAME, readName)) ?? '';
  const server =
    options.server === undefined
      ? ((await questions?.line('Address of the server: ', checkedServer)) ?? '')
      : checkedServer(options.server);
  const given = givenPorts(options);
  const ports = given.size > 0 || questions === null ? given : await askedPorts(questions);
  const insecure = await insecureOf(values, server, questions);
  const isAsked = secret === null && options.token !== false && options.tokenFile === undefined;
  const asked = isAsked ? await questions?.secret(TOKEN) : null;
  const config = new EditedConfig();
  const { namespace } = options;
  config.set('contexts', name, { orchestrator: name, user: name, namespace });
  config.set('orchestrators', name, { server, ...values, [INSECURE]: insecure });
  config.setServices(
    name,
    [...ports].map(([service, port]) => [service, 'port', port]),
  );
  config.set('users', name, { token: (secret ?? asked) || undefined, ...user });
  config.setCurrentContext(name);
  io.screen.write(String(config.document));
  return EXIT_CODES.done;
}

const INSECURE = 'insecure-skip-tls-verify';
const TOKEN = 'Token (it is not shown; none if empty): ';
const NAME = 'Name of the context, its orchestrator and its user [default]: ';

/** Refuses missing options where no user can be asked. */
function refuseMissing({ name, server, token, tokenFile }: GeneratedParts): void {
  const missing = [
    ...(name === undefined ? ['--name'] : []),
    ...(server === undefined ? ['--server'] : []),
    ...(token === undefined && tokenFile === undefined
      ? ['--token (or --token-file, or --no-token)']
      : []),
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
          return read(text.trim());
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          complain(`${error.message}\n`);
        }
      }
    },
    secret: async (question) => answered(await askSecret(question)).trim(),
  };
}

function answered(text: string | null): string {
  if (text !== null) return text;
  throw new UsageError(
    'A question was not answered, and nothing is generated.',
    'answer it, or give options in its place: see "tutti config generate --help".',
  );
}

function readName(text: string): string {
  return text === '' ? 'default' : text;
}

/** `false` means no; other words are asked again. */
function readYes(text: string): boolean {
  if (text === '') return false;
  const word = text.toLowerCase();
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

const SERVICES = Object.keys(SERVICE_PORTS).filter((name): name is ServiceName =>
  Object.hasOwn(SERVICE_PORTS, name),
);

function givenPorts(options: GeneratedParts): Ports {
  const given = SERVICES.map((name) => [name, options[`${name}Port`]] as const);
  return new Map(
    given.flatMap(([name, port]) =>
      port === undefined ? [] : [[name, readPort(String(port), `--${name}-port`)] as const],
    ),
  );
}

async function askedPorts(questions: Questions): Promise<Ports> {
  const ports = new Map<ServiceName, number>();
  if (!(await questions.line('Do services have ports of their own? [y/N] ', readYes))) return ports;
  for (const name of SERVICES) {
    const usual = SERVICE_PORTS[name];
    const read = (text: string) => (text === '' ? usual : readPort(text, 'A port'));
    ports.set(name, await questions.line(`Port of the ${name} [${usual}]: `, read));
  }
  return ports;
}

/** Asked for servers with a certificate, unless the user names an authority. */
async function insecureOf(
  { [INSECURE]: given, 'certificate-authority': authority }: PartValues,
  server: string,
  questions: Questions | null,
): Promise<PartValues[string]> {
  const isOpen = given === undefined && authority === undefined;
  if (!isOpen || questions === null || !server.startsWith('https:')) return given;
  return await questions.line('Trust its certificate without a check? [y/N] ', readYes);
}
