/**
 * Loaded before a server: it finds another time of day. `TUTTI_CHAOS_CLOCK_MS` is the difference from the true clock at the start; the file
 * that `TUTTI_CHAOS_CLOCK` names has the later difference. It acts as if somebody set the clock of a machine. The time of day changes for
 * all processes there, and measured durations do not. The monotonic clock (`performance.now`) is left alone, as setting a clock leaves it.
 * Plain JavaScript, as it is loaded in threads, too.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const LOOK_MS = 100;
const file = process.env.TUTTI_CHAOS_CLOCK;
const TrueDate = Date;
let offsetMs = Number(process.env.TUTTI_CHAOS_CLOCK_MS ?? 0);
if (!isMainThread && file !== undefined) offsetMs = Number(readFileSync(file, 'utf8'));

Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + offsetMs });
globalThis.Date = class ShiftedDate extends TrueDate {
  constructor(...parts) {
    if (parts.length === 0) super(TrueDate.now() + offsetMs);
    else super(...parts);
  }

  static now() {
    return TrueDate.now() + offsetMs;
  }
};

function look() {
  const text = readFileSync(file, 'utf8');
  // Another process writes it at this moment.
  if (text === '' || Number(text) === offsetMs) return;
  offsetMs = Number(text);
  if (isMainThread) appendFileSync(`${file}.seen`, `${offsetMs}\n`);
}

if (file !== undefined) setInterval(look, LOOK_MS).unref();
