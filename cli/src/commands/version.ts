/** `tutti version`: the version of this command line and, if one is named, of a server. */
import { type ConnectionOptions, connect, resolveConnection } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { CLI_VERSION } from '../version.ts';

/** Resolves with the exit code. */
export async function showVersion(options: ConnectionOptions, io: Io): Promise<number> {
  io.screen.write(`tutti ${CLI_VERSION} (Node ${process.versions.node})\n`);
  if (options.server === undefined) return EXIT_CODES.done;
  const client = await connect(options, io);
  const components = Object.values(await client.version()).flatMap((entry) =>
    Array.isArray(entry) ? entry : [],
  );
  io.screen.write(`The server ${resolveConnection(options, io.env).url} has:\n`);
  for (const component of components) io.screen.write(`${componentLine(component)}\n`);
  return EXIT_CODES.done;
}

function componentLine(component: Readonly<Record<string, unknown>>): string {
  return `  ${String(component.name)} ${String(component.version)}`;
}
