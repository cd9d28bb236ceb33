/** `tutti namespaces`: where the bearer of the token may do something. */
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface NamespacesOptions extends ConnectionOptions {
  readonly resource?: string;
  readonly verb?: string;
  readonly output: string;
}

const LISTING: Listing = {
  columns: [{ title: 'NAMESPACE', cell: 'name' }],
  idPath: 'name',
  emptyText: 'There is no namespace in which this token may do that.',
};

/** Lists the namespaces of a token. Programs get the names as the server sends them; `*` means all. Resolves with the exit code. */
export async function listNamespaces(options: NamespacesOptions, io: Io): Promise<number> {
  const { resource, verb } = options;
  if ((resource === undefined) !== (verb === undefined)) {
    throw new UsageError(
      '--resource and --verb go together.',
      'give both, as in --resource workflows --verb create, or none of them.',
    );
  }
  const output = readOutput(options.output);
  const client = await connect(options, io);
  const { details } = await client.ask({ path: '/namespaces', query: { resource, verb } });
  const names = namesIn(details);
  if (output.kind === 'json') io.screen.write(`${JSON.stringify(names, null, 2)}\n`);
  else if (output.kind === 'yaml') {
    const { printYaml } = await import('../options/output-format.ts');
    await printYaml(names, io);
  } else {
    const items = names.map((name) => ({ name }));
    await printItems(items, LISTING, output, io);
  }
  return EXIT_CODES.done;
}

function namesIn(details: unknown): readonly string[] {
  const isRecord = typeof details === 'object' && details !== null;
  const items: unknown = isRecord && 'items' in details ? details.items : [];
  return Array.isArray(items) ? items.map(String) : [];
}
