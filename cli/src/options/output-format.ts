/** The output format of a command: for people, or for programs. */
import { Option } from 'commander';
import type { Io } from '../terminal/io.ts';

export type OutputFormat = 'table' | 'json';

/** `-o, --output`; the commands that have it do not have `-o` for anything else. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'json: the document of the server, as it is')
    .choices(['table', 'json'] satisfies readonly OutputFormat[])
    .default('table' satisfies OutputFormat);
}

/** Prints a document of the interface. */
export function printDocument(document: object, io: Io): void {
  io.screen.write(`${JSON.stringify(document, null, 2)}\n`);
}

/** Prints YAML that readers of all versions understand the same way. */
export async function printYaml(document: object, io: Io): Promise<void> {
  // Loaded only here.
  const [yaml, { portableYaml }] = await Promise.all([
    import('yaml'),
    import('@tutti/manifests/documents'),
  ]);
  io.screen.write(portableYaml(yaml, document));
}
