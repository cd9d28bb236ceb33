/**
 * Loaded before a process of ours: writes the address of each module that it and its threads load to the file that the query of this one names, a line
 * each.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = new URL(import.meta.url).searchParams.get('to');

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(file, `${url}\n`);
    return nextLoad(url, context);
  },
});
