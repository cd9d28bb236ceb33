/** The configuration of the server: command line over environment over file over defaults. */
import { readFileSync } from 'node:fs';
import { dictionary, OrchestratorError } from '@tutti/manifests';
import { nearestName } from '@tutti/manifests/documents';
import {
  type ConfigNode,
  type ConfigRecord,
  checkConfig,
  checkPart,
  isRecord,
} from './config-check.ts';
import { configSchema, type ServerConfig, type ServerConfigInput } from './config-schema.ts';
import { readDecimal } from './decimal.ts';
import { withoutDots } from './dotted-keys.ts';
import { isLoopback } from './loopback.ts';
import { likeName, suggestion } from './nearest-key.ts';
import { sentence } from './sentence.ts';
import { parseYaml } from './yaml-document.ts';

export { configSchema, type ServerConfig, type ServerConfigInput };

export interface ConfigSources {
  /** Path of a YAML file. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly options?: ServerConfigInput;
}

const ROOT: ConfigNode = configSchema;
const PREFIX = 'TUTTI_';

/**
 * Reads and checks all sources. Paths are relative to the working directory. Throws `Invalid` naming every wrong or unknown
 * key with the source it came from.
 */
export function loadConfig(sources: ConfigSources): ServerConfig {
  const problems: string[] = [];
  const layers = [
    fileLayer(sources.file, problems),
    tracingVariablesLayer(sources.env, problems),
    hookVariablesLayer(sources.env),
    environmentLayer(sources.env, problems),
    optionsLayer(sources.options ?? {}, problems),
  ];
  if (problems.length > 0) throw invalidConfig(problems);
  const merged = layers.reduce<ConfigRecord>(merge, {});
  // Checked layer by layer above, and every key that the schema requires has a default.
  const config = deepFreeze(withDefaults(ROOT, merged)) as ServerConfig;
  requireLoopback(config);
  requireWholeTls(config);
  requireSharedPlaces(config);
  return config;
}

/** Without access control, any client of the server can run commands on all its agents. */
function requireLoopback({ host, auth }: ServerConfig): void {
  if (!auth.insecureLogin || isLoopback(host)) return;
  throw invalidConfig([
    `auth.insecureLogin: needs a host that no other machine reaches (127.0.0.1, ::1 or localhost), not "${host}"`,
  ]);
}

function requireWholeTls({ tls: { cert, key, clientCa } }: ServerConfig): void {
  const needs = (name: string, other: string) => `tls.${name}: needs tls.${other}, too`;
  const problems = [
    ...(cert !== undefined && key === undefined ? [needs('cert', 'key')] : []),
    ...(key !== undefined && cert === undefined ? [needs('key', 'cert')] : []),
    ...(clientCa !== undefined && cert === undefined ? [needs('clientCa', 'cert')] : []),
  ];
  if (problems.length > 0) throw invalidConfig(problems);
}

/** Runs and files in the data directory of one replica would be missing on the others. */
function requireSharedPlaces({ cluster, store, blobs, auth }: ServerConfig): void {
  if (cluster.address === undefined) return;
  const problems = [
    ...(store === undefined ? ['cluster.address: needs store, too'] : []),
    ...(blobs === undefined ? ['cluster.address: needs blobs, too'] : []),
    ...(auth.insecureLogin
      ? ['cluster.address: replicas take no requests without a token (auth.insecureLogin)']
      : []),
  ];
  if (problems.length > 0) throw invalidConfig(problems);
}

function invalidConfig(problems: readonly string[]): OrchestratorError {
  const message = sentence(`Not a valid configuration: ${problems.join('; ')}`);
  return new OrchestratorError('Invalid', message, {
    details: { error: problems.join('\n') },
  });
}

function fileLayer(file: string | undefined, problems: string[]): ConfigRecord {
  if (file === undefined) return {};
  const value = readConfigFile(file);
  if (value === null || value === undefined) return {};
  const { config, problems: twice } = withoutDots(withoutSchema(value));
  const found = [...twice, ...checkConfig(ROOT, config)];
  problems.push(...found.map((problem) => `${file}: ${problem}`));
  return isRecord(config) ? config : {};
}

/** Editors read `$schema`; the server ignores it. */
function withoutSchema(document: unknown): unknown {
  if (!isRecord(document)) return document;
  const { $schema: _, ...config } = document;
  return config;
}

function readConfigFile(file: string): unknown {
  try {
    return parseYaml(readFileSync(file, 'utf8')).value;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OrchestratorError('Invalid', `Cannot read the configuration file ${file}: ${why}`, {
      cause,
    });
  }
}

function optionsLayer(options: ServerConfigInput, problems: string[]): ConfigRecord {
  problems.push(...checkConfig(ROOT, options).map((problem) => `command line: ${problem}`));
  return options;
}

interface Variable {
  readonly name: string;
  readonly path: readonly string[];
  readonly node: ConfigNode;
}

/** `auth.insecureHealth` is `TUTTI_AUTH_INSECURE_HEALTH`. Lists are one variable, written as JSON. */
function variablesOf(node: ConfigNode, path: readonly string[] = []): readonly Variable[] {
  if (node.type !== 'object') return [{ name: variableName(path), path, node }];
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    variablesOf(child, [...path, key]),
  );
}

function variableName(path: readonly string[]): string {
  const words = path.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return PREFIX + words.join('_');
}

/** Variables that Kubernetes sets for a service whose name begins with ours. */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_.*)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_.*)?)$/;
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;

const isServiceLink = (name: string, text: string | undefined): boolean =>
  SERVICE_LINK.test(name) || (name.endsWith('_PORT') && SERVICE_ADDRESS.test(text ?? ''));

function environmentLayer(given: ConfigSources['env'], problems: string[]): ConfigRecord {
  const own = Object.entries(given).filter(([name, text]) => !isServiceLink(name, text));
  const env = dictionary<string | undefined>(Object.fromEntries(own));
  const variables = variablesOf(ROOT);
  problems.push(...unknownVariables(env, variables));
  let layer: ConfigRecord = {};
  for (const { name, path, node } of variables) {
    const text = env[name];
    if (text === undefined) continue;
    const value = readVariable(node, text);
    const found = checkPart(node, value, { key: path.join('.'), root: ROOT });
    problems.push(...found.map((problem) => `${name}: ${problem}`));
    layer = merge(
      layer,
      path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value),
    );
  }
  return layer;
}

const CHANNEL_HOOKS = 'AGENTCHANNEL_CHANNEL_HOOKS';
const PROVIDER_HOOKS = /^([A-Z][A-Z0-9_]*)_PROVIDER_HOOKS$/;
/** Existing plugins whose name differs from the prefix of their functions. */
const PREFIXES: ReadonlyMap<string, string> = new Map([['actionprovider', 'actions']]);

/** The variables that name hook files in existing installations (wire facts 1.10). Ours win over them. */
function hookVariablesLayer(env: ConfigSources['env']): ConfigRecord {
  const channel = env[CHANNEL_HOOKS];
  const providers = Object.entries(env).flatMap(([name, path]) => {
    const [, plugin] = PROVIDER_HOOKS.exec(name) ?? [];
    if (plugin === undefined || !path || name.startsWith(PREFIX)) return [];
    const prefix = plugin.toLowerCase().replaceAll('_', '-');
    return [{ prefix: PREFIXES.get(prefix) ?? prefix, path }];
  });
  const hooks = {
    ...(channel ? { channel } : {}),
    ...(providers.length > 0 ? { providers } : {}),
  };
  return Object.keys(hooks).length === 0 ? {} : { hooks };
}

/** Variables of OpenTelemetry for the address of traces. Our own variables precede them; the exporter reads the others itself. */
function tracingVariablesLayer(env: ConfigSources['env'], problems: string[]): ConfigRecord {
  const isOff = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  const name = TRACE_ENDPOINTS.find((each) => env[each]);
  const given = name === undefined ? undefined : env[name];
  if (isOff || name === undefined || !given) return {};
  const isBase = name === TRACE_ENDPOINTS[1];
  const tracing = { endpoint: isBase ? `${given.replace(/\/+$/, '')}/v1/traces` : given };
  problems.push(...checkConfig(ROOT, { tracing }).map((problem) => `${name}: ${problem}`));
  return { tracing };
}

/** The address itself, or the base address of all signals. */
const TRACE_ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

/** Variables that other commands read. */
const OF_OTHERS: ReadonlySet<string> = new Set(
  [
    ...['CONFIG', 'SERVER', 'TOKEN', 'TOKEN_FILE', 'AGENT_TOKEN', 'AGENT_TOKEN_FILE'],
    ...['CLIENT_CONFIG', 'CONTEXT', 'CA_FILE', 'INSECURE_SKIP_TLS_VERIFY', 'DEBUG'],
  ].map((name) => PREFIX + name),
);

/**
 * Other programs have variables with our prefix. So only names that begin like a section, or nearly equal ours, are reported as
 * mistakes.
 */
function unknownVariables(env: ConfigSources['env'], variables: readonly Variable[]) {
  const known = variables.map(({ name }) => name);
  const sections = variables
    .filter(({ path }) => path.length > 1)
    .map(({ path }) => `${variableName(path.slice(0, 1))}_`);
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith(PREFIX) || OF_OTHERS.has(name) || known.includes(name)) return [];
    const section = sections.find((each) => name.startsWith(each));
    if (section !== undefined) return [unknownOfSection(name, section, known)];
    const rests = known.map((each) => each.slice(PREFIX.length));
    const nearest = nearestName(name.slice(PREFIX.length), rests);
    return nearest === null
      ? []
      : [`${name}: unknown variable${suggestion(PREFIX + nearest, known)}`];
  });
}

/** Compares the names without their section, because the common beginning says nothing. */
function unknownOfSection(name: string, section: string, known: readonly string[]): string {
  const rests = known
    .filter((each) => each.startsWith(section))
    .map((each) => each.slice(section.length));
  const meant = likeName(name.slice(section.length), rests);
  const names = rests.map((rest) => section + rest);
  return `${name}: unknown variable${suggestion(meant === null ? null : section + meant, names)}`;
}

const FLAGS: Readonly<Record<string, boolean>> = dictionary<boolean>({
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
});

/** The value of a variable; text that cannot be read stays text, which the check then refuses. */
function readVariable(node: ConfigNode, text: string): unknown {
  switch (node.type) {
    case 'boolean':
      return FLAGS[text.trim().toLowerCase()] ?? text;
    case 'integer':
    case 'number':
      return readDecimal(text) ?? text;
    case 'array':
      return readJson(text);
    default:
      return text;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Objects are merged key by key, and other values replaced; a key without a value changes nothing. */
function merge(base: ConfigRecord, over: unknown): ConfigRecord {
  if (!isRecord(over)) return base;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const below = merged[key];
    merged[key] = isRecord(value) ? merge(isRecord(below) ? below : {}, value) : value;
  }
  return merged;
}

function withDefaults(node: ConfigNode, value: unknown): unknown {
  if (node.type === 'object') {
    const given = isRecord(value) ? value : {};
    const entries = Object.entries(node.properties ?? {}).map(
      ([key, child]) => [key, withDefaults(child, given[key])] as const,
    );
    return Object.fromEntries(entries.filter(([, known]) => known !== undefined));
  }
  const known = value ?? node.default;
  const { items } = node;
  return items !== undefined && Array.isArray(known)
    ? known.map((item: unknown) => withDefaults(items, item))
    : known;
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) deepFreeze(child);
    Object.freeze(value);
  }
  return value;
}
