/** A list of a server, as it is or as it becomes. */
import type { Client, ResourceName } from '@tutti/client';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { readOutput } from './output.ts';
import { type Listing, printItems } from './print-items.ts';
import { type SelectorOptions, selectionOf } from './selector-options.ts';

export interface ListOptions extends SelectorOptions {
  readonly output: string;
  readonly watch?: boolean;
}

/** Resolves with the exit code; with `watch`, when the user has seen enough. */
export async function showList(
  client: Client,
  { resource, listing }: { readonly resource: ResourceName; readonly listing: Listing },
  options: ListOptions,
  io: Io,
): Promise<number> {
  const output = readOutput(options.output);
  const selection = selectionOf(options);
  if (options.watch === true) {
    const { watchItems } = await import('./watch-items.ts');
    const read = (signal: AbortSignal) => client.list(resource, { ...selection, signal });
    return await watchItems({ read, listing, output }, io);
  }
  await printItems(await client.list(resource, selection), listing, output, io);
  return EXIT_CODES.done;
}
