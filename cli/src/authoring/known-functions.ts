/** The functions that steps can call: those of the configured server, or those of runs on this machine. */
import type { Client } from '@tutti/client';
import { dictionary, type InputDeclarations } from '@tutti/manifests';
import type { ListedFunction } from '@tutti/manifests/reference';
import { cleanLine } from '@tutti/run-view/text';
import type { KnownFunctions } from '@tutti/workflow/validation';
import {
  type Connection,
  type ConnectionOptions,
  connectBy,
  findConnection,
} from '../connection/connection.ts';
import { dataDirOf } from '../connection/data-directory.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf } from '../terminal/problem.ts';
import { shownAddress } from '../terminal/shown-address.ts';

export interface FoundFunctions {
  readonly items: readonly ListedFunction[];
  /** False if the server did not answer. */
  readonly isComplete: boolean;
}

/** A server that does not answer this long is left out. */
const SERVER_WITHIN_MS = 5_000;

/** Undefined where no text calls a function, so that no server is asked. */
export const functionsFor = async (
  texts: readonly string[],
  options: ConnectionOptions & { readonly local?: boolean | undefined },
  io: Io,
): Promise<FoundFunctions | undefined> => {
  if (!texts.some((text) => /\buses\b/.test(text))) return undefined;
  return options.local === true
    ? await functionsHere(options, io)
    : await findFunctions(options, io);
};

export async function findFunctions(options: ConnectionOptions, io: Io): Promise<FoundFunctions> {
  const connection = await findConnection(options, io);
  if (isOfServer(connection)) {
    const signal = AbortSignal.timeout(SERVER_WITHIN_MS);
    try {
      const client = await connectBy(connection, options, io);
      return { items: await functionsOf(client, signal), isComplete: true };
    } catch (error) {
      const late = `The server ${shownAddress(connection.url)} gave no answer in time.`;
      const what = signal.aborted ? late : problemOf(error).what;
      io.complain(`tutti: ${cleanLine(what)} Only the built-in functions are known.\n`);
    }
  }
  return await functionsHere(options, io, !isOfServer(connection));
}

const isOfServer = ({ source, context }: Connection): boolean =>
  source !== 'the default' || context !== null;

async function functionsHere(
  options: ConnectionOptions,
  io: Io,
  isComplete = true,
): Promise<FoundFunctions> {
  const { localFunctions } = await import('@tutti/server/local-functions');
  return { items: await localFunctions(dataDirOf(options, io)), isComplete };
}

async function functionsOf(
  client: Client,
  signal: AbortSignal,
): Promise<readonly ListedFunction[]> {
  const document = await client.document('providers', { signal });
  const { details } = document;
  const items: unknown = isRecord(details) ? details.items : [];
  return Array.isArray(items) ? items.flatMap(readFunction) : [];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readFunction(item: unknown): readonly ListedFunction[] {
  if (!isRecord(item) || typeof item.name !== 'string') return [];
  const { name, description, inputs } = item;
  return [
    {
      name,
      description: typeof description === 'string' ? description : null,
      inputs: isRecord(inputs) ? readInputs(inputs) : null,
    },
  ];
}

/** Declarations in the form of this version; a server may have newer ones. */
function readInputs(inputs: Readonly<Record<string, unknown>>): InputDeclarations {
  const declared = dictionary<InputDeclarations[string]>();
  for (const [name, input] of Object.entries(inputs)) {
    const {
      description,
      required,
      type,
      options,
      default: fallback,
    } = isRecord(input) ? input : {};
    declared[name] = {
      description: typeof description === 'string' ? description : '',
      required: required === true,
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(type === 'string' || type === 'number' || type === 'boolean' ? { type } : {}),
      ...(type === 'choice' && Array.isArray(options)
        ? { type, options: options.map(String) }
        : {}),
    };
  }
  return declared;
}

/** With the rules of servers for versions and missing prefixes. `prefix/*` is a plugin that answers all functions of its prefix. */
export async function asKnown({ items, isComplete }: FoundFunctions): Promise<KnownFunctions> {
  const { findFunction, parseFunctionName } = await import('@tutti/sdk');
  const named = items.flatMap((item) => {
    const name = parseFunctionName(item.name);
    return name === null ? [] : [{ ...name, inputs: item.inputs }];
  });
  const find = (uses: string) => {
    const name = parseFunctionName(uses);
    if (name === null) return null;
    const anyOfPrefix = named.find(
      ({ prefix, category }) => category === '*' && prefix === name.prefix,
    );
    return findFunction(named, name) ?? anyOfPrefix ?? null;
  };
  return { names: items.map(({ name }) => name), isComplete, find };
}
