/** DBOS: a library that records the work of functions in a database. One program sends requests and works on them. */
import { startPythonDriver } from './python-driver.ts';
import { SLOTS, type Tool } from './tool.ts';

const VERSION = '3.4.0';

export function dbos(): Tool {
  let programs = '';
  return {
    name: `DBOS ${VERSION} (Python)`,
    mode: 'library in one process; durable in SQLite, its default; a job is a step of a workflow, and steps in parallel wait for a slot within the process',
    slots: SLOTS,
    install: async (cache) => {
      programs = await cache.python([`dbos==${VERSION}`]);
    },
    start: (folder) =>
      startPythonDriver({ programs, script: 'dbos-jobs.py', args: [String(SLOTS)], folder }),
  };
}
