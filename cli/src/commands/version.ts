/** `tutti version`: the version of this command line and of a named server. */
import { type ConnectionOptions, connectTo, findConnection } from '../connection/connection.ts';
import { printDocument, printYaml } from '../options/output-format.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { CLI_VERSION } from '../terminal/version.ts';

export interface VersionOptions extends ConnectionOptions {
  readonly output: 'table' | 'json' | 'yaml';
}

/** Versions as programs read them; `server` is null without an address. */
interface Versions {
  readonly client: { readonly name: string; readonly version: string; readonly node: string };
  readonly server: {
    readonly url: string;
    readonly items: Readonly<Record<string, unknown>>;
  } | null;
}

/** Shows the version of the program, and of a server. Resolves with the exit code. */
export async function showVersion(options: VersionOptions, io: Io): Promise<number> {
  const client = { name: 'tutti', version: CLI_VERSION, node: process.versions.node };
  const isTable = options.output === 'table';
  // Printed even if the server does not answer.
  if (isTable) io.screen.write(`tutti ${CLI_VERSION} (Node ${process.versions.node})\n`);
  const server = await serverVersions(options, io);
  if (options.output === 'json') printDocument({ client, server } satisfies Versions, io);
  else if (options.output === 'yaml') await printYaml({ client, server } satisfies Versions, io);
  else if (server !== null) io.screen.write(serverLines(server).join(''));
  return EXIT_CODES.done;
}

async function serverVersions(options: VersionOptions, io: Io): Promise<Versions['server']> {
  const connection = await findConnection(options, io);
  const { url, source } = connection;
  const isOfDataDir = source === 'the data directory' || source === 'the default';
  if (isOfDataDir && !(options.dataDir ?? io.env.TUTTI_DATA_DIR)) return null;
  const client = await connectTo(connection, io);
  return { url, items: await client.version() };
}

function serverLines({ url, items }: NonNullable<Versions['server']>): readonly string[] {
  const components = Object.values(items).flatMap((entry) => (Array.isArray(entry) ? entry : []));
  return [
    `The server ${url} has:\n`,
    ...components.map((component) => `${componentLine(component)}\n`),
  ];
}

function componentLine(component: Readonly<Record<string, unknown>>): string {
  return `  ${String(component.name)} ${String(component.version)}`;
}
