/**
 * Loaded before a server: measures the turns of its event loop, in milliseconds of processor time of its main thread. Other programs do not
 * count, nor do other threads. A connection to the socket that `TUTTI_TURN_METER` names gets the longest turn since the last
 * time. Plain JavaScript, as it is loaded in threads, too.
 */
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** Turns that follow each other within this time are measured as one. */
const LOOK_MS = 1;

function measure(socket) {
  let longestMs = 0;
  let last = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system - last.user - last.system) / 1000);
    last = { user, system };
  };
  setInterval(look, LOOK_MS).unref();
  const server = createServer((connection) => {
    look();
    connection.end(String(longestMs));
    longestMs = 0;
  });
  server.listen(socket).unref();
}

const { TUTTI_TURN_METER: socket } = process.env;
if (isMainThread && socket !== undefined) measure(socket);
