/**
 * Loaded before a process of ours. Writes the address of each module that the process loads, one a line, to the file in its query.
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
