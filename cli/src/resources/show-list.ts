/** A list of a server, printed once or watched. */
import type { Client, ResourceName } from '@tutti/client';
import { type SelectorOptions, selectionOf } from '../options/selector-options.ts';
import { checkWatchOptions, type WatchOptions } from '../options/watch-option.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { readOutput } from './output.ts';
import { type Listing, printItems } from './print-items.ts';

export interface ListOptions extends SelectorOptions, WatchOptions {
  readonly output: string;
}

/** Prints a list. With `watch`, it prints changes until the user or the timeout ends it. Resolves with the exit code. */
export async function showList(
  client: Client,
  { resource, listing }: { readonly resource: ResourceName; readonly listing: Listing },
  options: ListOptions,
  io: Io,
): Promise<number> {
  const output = readOutput(options.output);
  checkWatchOptions(options);
  const selection = selectionOf(options);
  if (options.watch === true) {
    const { watchItems } = await import('./watch-items.ts');
    const read = (signal: AbortSignal) => client.list(resource, { ...selection, signal });
    const { timeout } = options;
    return await watchItems({ read, listing, output, timeout }, io);
  }
  await printItems(await client.list(resource, selection), listing, output, io);
  return EXIT_CODES.done;
}
