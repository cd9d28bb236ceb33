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
export const PARTS = { contexts: 'context', orchestrators: 'orchestrator', users: 'user' } as const;
export type PartList = keyof typeof PARTS;

export interface NamedPart {
  readonly name: string;
  readonly entries: Entries;
}

/** The parts of a configuration file, unchanged. */
export interface ConfigParts extends Readonly<Record<PartList, readonly NamedPart[]>> {
  readonly file: string;
  readonly current: string | null;
}

/** Throws `UsageError` if the value is no configuration. */
export function configParts(value: unknown, file: string): ConfigParts {
  if ((value ?? null) !== null && !isEntries(value)) throw wrong(file, 'it is no map of keys');
  const all = entriesOf(value);
  const parts = (list: PartList): readonly NamedPart[] =>
    listOf(all[list]).flatMap((item) => {
      const { name, [PARTS[list]]: entries } = entriesOf(item);
      const text = textOf(name);
      return text === null ? [] : [{ name: text, entries: entriesOf(entries) }];
    });
  const [contexts, orchestrators, users] = [
    parts('contexts'),
    parts('orchestrators'),
    parts('users'),
  ];
  return { file, current: textOf(all['current-context']), contexts, orchestrators, users };
}

/** The context of that name. Throws `UsageError` if it, or a part that it names, is missing. */
export function contextNamed(parts: ConfigParts, name: string): ClientContext {
  const { file } = parts;
  const { entries } = partNamed(parts, 'contexts', name);
  const [named, user] = [textOf(entries.orchestrator), textOf(entries.user)];
  if (named === null) throw wrong(file, `its context "${name}" names no orchestrator`);
  const orchestrator = partNamed(parts, 'orchestrators', named).entries;
  const server = serverAddress(orchestrator);
  if (server === null) {
    throw wrong(
      file,
      `its orchestrator "${named}" has no address that begins with http:// or https://`,
    );
  }
  if (orchestrator.ports !== undefined && orchestrator.services !== undefined) {
    throw wrong(
      file,
      `its orchestrator "${named}" has ports and services, and one of both is right`,
    );
  }
  return {
    ...{ name, file, orchestrator: named, user, server },
    services: serviceAddresses(orchestrator),
    tls: {
      insecure: booleanOf(orchestrator['insecure-skip-tls-verify']) === true,
      caFile: pathOf(orchestrator['certificate-authority'], file),
      certificateFile: pathOf(orchestrator['client-certificate'], file),
      keyFile: pathOf(orchestrator['client-key'], file),
    },
    ...userOf(user === null ? {} : partNamed(parts, 'users', user).entries, file),
    namespace: textOf(entries.namespace),
  };
}

function userOf(user: Entries, file: string) {
  const [prefix, progress] = [user['output-prefix'], textOf(user.progress)];
  const known = PROGRESSES.find((each) => each === progress) ?? null;
  if (known === null && progress !== null) {
    throw wrong(file, `progress of a user is ${PROGRESSES.join(', ')}, not "${progress}"`);
  }
  return {
    token: textOf(user.token),
    tokenFile: pathOf(user['token-file'], file),
    colors: booleanOf(user.colors),
    progress: known,
    display: {
      stepDepth: wholeOf(user['step-depth']),
      jobDepth: wholeOf(user['job-depth']),
      maxCommandLength: wholeOf(user['max-command-length']),
      // With the blanks at its ends.
      outputPrefix: typeof prefix === 'string' && prefix !== '' ? prefix : undefined,
      lineColors: readLineColors(textOf(user.colors) ?? '') ?? undefined,
      verbose: booleanOf(user.verbose) ?? undefined,
      showNotifications: booleanOf(user['show-notifications']) ?? undefined,
    },
  };
}

/** Other values are for other clients and ignored. */
function wholeOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
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
  new UsageError(`The configuration ${file} cannot be used: ${why}.`, CORRECT);

/** Advice for a file that cannot be used. */
export const CORRECT =
  'correct it, or name another file with --client-config or TUTTI_CLIENT_CONFIG.';
