/** Contexts: a server, a user and a namespace, in the form of existing clients (client facts 1.2). */
import { dirname, resolve } from 'node:path';
import {
  type ServiceAddresses,
  serverAddress,
  serviceAddresses,
} from '@tutti/client/service-addresses';
import { didYouMean } from '@tutti/manifests/documents';
import {
  booleanOf,
  type Entries,
  entriesOf,
  isEntries,
  listOf,
  numberOf,
  textOf,
} from '@tutti/manifests/values';
import { type LineColors, readLineColors } from '../run-view/line-colors.ts';
import { PROGRESSES, type Progress } from '../run-view/progress-kinds.ts';
import { UsageError } from '../terminal/problem.ts';

export interface ClientContext {
  readonly name: string;
  /** The configuration file of the context. */
  readonly file: string;
  readonly orchestrator: string;
  readonly user: string | null;
  readonly server: string;
  readonly services: ServiceAddresses;
  readonly tls: TlsFiles;
  /** Null if the user has none. */
  readonly token: string | null;
  readonly tokenFile: string | null;
  readonly namespace: string | null;
  readonly display: DisplayDefaults;
  /** Null if the user has no such setting. */
  readonly colors: boolean | null;
  /** The display of runs that are followed. */
  readonly progress: Progress | null;
}

/** Files for HTTPS: trusted authorities, and our own certificate. Paths are absolute. */
export interface TlsFiles {
  readonly insecure: boolean;
  readonly caFile: string | null;
  readonly certificateFile: string | null;
  readonly keyFile: string | null;
  /** The certificate of the server, if its data directory names one: it is trusted for every host name. */
  readonly serverFile?: string | null;
  /** The key file of that certificate, whose permissions `doctor` checks. */
  readonly serverKeyFile?: string | null;
}

/** Defaults of display options, under the names of these options. */
export interface DisplayDefaults {
  readonly stepDepth?: number | undefined;
  readonly jobDepth?: number | undefined;
  readonly maxCommandLength?: number | undefined;
  readonly outputPrefix?: string | undefined;
  readonly lineColors?: LineColors | undefined;
  readonly verbose?: boolean | undefined;
  readonly showNotifications?: boolean | undefined;
}

/** The lists of a configuration file, and the key of their items besides the name. */
export const PARTS = {
  contexts: 'context',
  orchestrators: 'orchestrator',
  users: 'user',
} as const;
export type PartList = keyof typeof PARTS;

export interface NamedPart {
  readonly name: string;
  readonly entries: Entries;
}

/** The parts of a configuration file, unchanged. */
export interface ConfigParts {
  readonly file: string;
  readonly current: string | null;
  readonly contexts: readonly NamedPart[];
  readonly orchestrators: readonly NamedPart[];
  readonly users: readonly NamedPart[];
}

/** Throws `UsageError` if the value is no configuration. */
export function configParts(value: unknown, file: string): ConfigParts {
  if (value !== null && value !== undefined && !isEntries(value)) {
    throw wrong(file, 'it is no map of keys');
  }
  const entries = entriesOf(value);
  return {
    file,
    current: textOf(entries['current-context']),
    contexts: namedParts(entries, 'contexts'),
    orchestrators: namedParts(entries, 'orchestrators'),
    users: namedParts(entries, 'users'),
  };
}

const namedParts = (all: Entries, list: PartList): readonly NamedPart[] =>
  listOf(all[list]).flatMap((item) => {
    const { name, [PARTS[list]]: entries } = entriesOf(item);
    const text = textOf(name);
    return text === null ? [] : [{ name: text, entries: entriesOf(entries) }];
  });

/** The context of that name. Throws `UsageError` if it, or a part that it names, is missing. */
export function contextNamed(parts: ConfigParts, name: string): ClientContext {
  const { file } = parts;
  const { entries } = partNamed(parts, 'contexts', name);
  const orchestratorName = textOf(entries.orchestrator);
  if (orchestratorName === null) {
    throw wrong(file, `its context "${name}" names no orchestrator`);
  }
  const orchestrator = partNamed(parts, 'orchestrators', orchestratorName).entries;
  const user = textOf(entries.user);
  return {
    name,
    file,
    orchestrator: orchestratorName,
    user,
    ...placesOf(orchestrator, orchestratorName, file),
    ...userOf(user === null ? {} : partNamed(parts, 'users', user).entries, file),
    namespace: textOf(entries.namespace),
  };
}

function placesOf(orchestrator: Entries, name: string, file: string) {
  const server = serverAddress(orchestrator);
  if (server === null) {
    throw wrong(
      file,
      `its orchestrator "${name}" has no address that begins with http:// or https://`,
    );
  }
  if (orchestrator.ports !== undefined && orchestrator.services !== undefined) {
    throw wrong(
      file,
      `its orchestrator "${name}" has ports and services, and one of both is right`,
    );
  }
  const path = (key: string) => pathOf(orchestrator[key], file);
  const tls = {
    insecure: booleanOf(orchestrator['insecure-skip-tls-verify']) === true,
    caFile: path('certificate-authority'),
    certificateFile: path('client-certificate'),
    keyFile: path('client-key'),
  };
  return { server, services: serviceAddresses(orchestrator), tls };
}

function userOf(user: Entries, file: string) {
  const number = (key: string) => wholeOf(user[key]);
  const boolean = (key: string) => booleanOf(user[key]) ?? undefined;
  const prefix = user['output-prefix'];
  return {
    token: textOf(user.token),
    tokenFile: pathOf(user['token-file'], file),
    colors: booleanOf(user.colors),
    progress: progressOf(user.progress, file),
    display: {
      stepDepth: number('step-depth'),
      jobDepth: number('job-depth'),
      maxCommandLength: number('max-command-length'),
      // With the blanks at its ends.
      outputPrefix: typeof prefix === 'string' && prefix !== '' ? prefix : undefined,
      lineColors: readLineColors(textOf(user.colors) ?? '') ?? undefined,
      verbose: boolean('verbose'),
      showNotifications: boolean('show-notifications'),
    },
  };
}

/** Other values are for other clients and ignored. */
function wholeOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function progressOf(value: unknown, file: string): Progress | null {
  const text = textOf(value);
  if (text === null) return null;
  const found = PROGRESSES.find((each) => each === text);
  if (found !== undefined) return found;
  throw wrong(file, `progress of a user is ${PROGRESSES.join(', ')}, not "${text}"`);
}

/** Paths are relative to the file, not to the current directory. */
function pathOf(value: unknown, file: string): string | null {
  const path = textOf(value);
  return path === null ? null : resolve(dirname(file), path);
}

/** Throws `UsageError` if no part has that name. */
export function partNamed(parts: ConfigParts, key: PartList, name: string): NamedPart {
  const found = parts[key].find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = parts[key].map((each) => each.name);
  throw new UsageError(
    `There is no ${PARTS[key]} "${name}" in ${parts.file}${didYouMean(name, names) || '.'}`,
    names.length === 0
      ? `it has no ${key}; "tutti config --help" says how to make one.`
      : `there are: ${names.join(', ')}.`,
  );
}

const wrong = (file: string, why: string): UsageError =>
  new UsageError(
    `The configuration ${file} cannot be used: ${why}.`,
    'correct it, or name another file with --client-config or TUTTI_CLIENT_CONFIG.',
  );
