/** The text of an execution log as a file: rendered from the events of the run, slice by slice. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type WorkflowId, workflowNotFound } from '@tutti/manifests';
import { type LogOptions, renderEvent } from '@tutti/workflow';
import type { Store } from '../../store/store.ts';
import { COLLECTOR_LIMITS } from './limits.ts';

type ReadableStore = Pick<Store, 'events'>;

const CUT = 'The log is cut here: no more of it fits into a report.\n';

/**
 * The log of all events that exist at the first read, in UTF-8 and whole lines. It has at most `bytesMax` bytes, with the line that then
 * ends it. Throws `NotFound` when the run is forgotten meanwhile.
 */
export async function* executionLogContent(
  store: ReadableStore,
  workflowId: WorkflowId,
  options: LogOptions,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let gathered = '';
  let left = bytesMax - CUT.length;
  for await (const text of textsOfEvents(store, workflowId, options)) {
    const fits = wholeLines(text, left);
    left -= Buffer.byteLength(fits);
    gathered += fits;
    if (fits.length < text.length) {
      gathered += CUT;
      break;
    }
    if (gathered.length < COLLECTOR_LIMITS.chunkLength) continue;
    yield Buffer.from(gathered);
    gathered = '';
  }
  yield Buffer.from(gathered);
}

/** The lines of a text that fit into so many bytes together. */
function wholeLines(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  let length = 0;
  let bytes = 0;
  for (const line of text.split(/(?<=\n)/)) {
    bytes += Buffer.byteLength(line);
    if (bytes > bytesMax) break;
    length += line.length;
  }
  return text.slice(0, length);
}

/** Events that come while the log is read are left out: a run may add them without end. */
async function* textsOfEvents(
  store: ReadableStore,
  workflowId: WorkflowId,
  options: LogOptions,
): AsyncGenerator<string> {
  let end = Number.POSITIVE_INFINITY;
  for (let seq = 1; seq <= end; await nextTurn()) {
    const count = Math.min(COLLECTOR_LIMITS.eventsSlice, end - seq + 1);
    const page = await store.events(workflowId, seq, count);
    if (page === null || page.items.length === 0) throw workflowNotFound(workflowId);
    for (const json of page.items) yield renderEvent(JSON.parse(json), options);
    end = Math.min(end, page.total);
    seq += page.items.length;
  }
}
