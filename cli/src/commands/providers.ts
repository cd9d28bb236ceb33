/** `tutti providers`: the functions that steps of workflows can call. */
import { didYouMean } from '@tutti/manifests/documents';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { printDocument, printYaml } from '../options/output-format.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { renderTable } from '../terminal/table.ts';

export interface ProvidersOptions extends ConnectionOptions {
  readonly output: string;
}

interface ShownFunction {
  readonly name: string;
  readonly origin: string;
  readonly description: string;
  readonly source: string;
  readonly systems: string;
  readonly inputs: readonly ShownInput[] | null;
}

interface ShownInput {
  readonly name: string;
  readonly type: string;
  readonly required: string;
  readonly fallback: string;
  readonly description: string;
}

/** Lists functions. With `name`, it shows one function with its inputs. Resolves with the exit code. */
export async function listProviders(
  name: string | undefined,
  options: ProvidersOptions,
  io: Io,
): Promise<number> {
  const client = await connect(options, io);
  const document = await client.document('providers');
  const items = itemsOf(document);
  const wanted = name === undefined ? null : find(name, items);
  const output = readOutput(options.output);
  const isTable = output.kind === 'table' || output.kind === 'wide';
  if (output.kind === 'json') printDocument(wanted ?? document, io);
  else if (output.kind === 'yaml') await printYaml(wanted ?? document, io);
  else if (wanted !== null && isTable) io.screen.write(`${details(wanted).join('\n')}\n`);
  else await printItems(wanted === null ? items : [wanted], LISTING, output, io);
  return EXIT_CODES.done;
}

type Item = Readonly<Record<string, unknown>>;

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function itemsOf({ details: given }: Item): readonly Item[] {
  const items: unknown = isItem(given) ? given.items : [];
  return Array.isArray(items) ? items.filter(isItem) : [];
}

function find(name: string, items: readonly Item[]): Item {
  const found = items.find((item) => item.name === name);
  if (found !== undefined) return found;
  const names = items.map((item) => String(item.name));
  throw new UsageError(
    `The server has no function "${name}"${didYouMean(name, names) || '.'}`,
    'see which there are with "tutti providers -o name".',
  );
}

function readFunction(item: Item): ShownFunction {
  const { inputs, systems } = item;
  return {
    name: textOf(item.name),
    origin: textOf(item.origin),
    description: textOf(item.description),
    source: textOf(item.source),
    systems: Array.isArray(systems) ? systems.join(',') : '',
    inputs: isItem(inputs) ? Object.entries(inputs).map(readInput) : null,
  };
}

function readInput([name, given]: readonly [string, unknown]): ShownInput {
  const input = isItem(given) ? given : {};
  return {
    name,
    type: textOf(input.type) || 'any',
    required: input.required === true ? 'required' : '',
    fallback: input.default === undefined ? '' : JSON.stringify(input.default),
    description: textOf(input.description),
  };
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value);

const LISTING: Listing = {
  columns: [
    { title: 'NAME', cell: 'name' },
    { title: 'FROM', cell: fromOf },
    { title: 'SYSTEMS', cell: (item) => readFunction(item).systems },
    { title: 'DESCRIPTION', cell: (item) => readFunction(item).description },
  ],
  idPath: 'name',
  emptyText: 'There are no functions.',
};

function fromOf(item: Item): string {
  const { origin, source } = readFunction(item);
  return source === '' ? origin : `${origin}: ${source}`;
}

function details(item: Item): readonly string[] {
  const { name, description, inputs } = readFunction(item);
  const head = [name, ...(description === '' ? [] : [description]), ''];
  if (inputs === null) return [...head, 'Only its plugin knows its inputs.'];
  if (inputs.length === 0) return [...head, 'It has no inputs.'];
  const rows = inputs.map((input) => [
    input.name,
    input.type,
    input.required || input.fallback,
    input.description,
  ]);
  return [...head, ...renderTable(['INPUT', 'TYPE', 'DEFAULT', 'DESCRIPTION'], rows)];
}
