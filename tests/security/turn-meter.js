/**
 * Loaded before a server: measures the turns of its event loop, in milliseconds of processor time of its main thread. Other programs do not
 * count, nor do other threads. A fixed work, done before and after, shows how slow the processor is now. So a slow or shared processor counts as a quiet one.
 * A connection to the socket that `TUTTI_TURN_METER` names gets the longest turn since the last time. Plain JavaScript, as it is loaded in
 * threads, too.
 */
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** Turns that follow each other within this time are measured as one. */
const LOOK_MS = 1;

/** Read and written again to measure the processor. */
const WORK = JSON.stringify(
  Array.from({ length: 4000 }, (_, value) => ({ name: `n${value}`, value, list: [value, 'a'] })),
);
const WORK_TIMES = 10;
/** The time for that on the quiet machine that the limit of turns is for, in milliseconds. */
const WORK_MS = 10;

function processorMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The time of the work now, in times of a quiet machine; at least 1. */
function slowness() {
  const before = processorMs();
  for (let times = 0; times < WORK_TIMES; times += 1) JSON.stringify(JSON.parse(WORK));
  return Math.max(1, (processorMs() - before) / WORK_MS);
}

function measure(socket) {
  let longestMs = 0;
  let slownessBefore = slowness();
  let last = processorMs();
  const look = () => {
    const now = processorMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  setInterval(look, LOOK_MS).unref();
  const server = createServer((connection) => {
    look();
    const slownessAfter = slowness();
    connection.end(String(longestMs / Math.max(slownessBefore, slownessAfter)));
    slownessBefore = slownessAfter;
    longestMs = 0;
    last = processorMs();
  });
  server.listen(socket).unref();
}

const { TUTTI_TURN_METER: socket } = process.env;
if (isMainThread && socket !== undefined) measure(socket);
