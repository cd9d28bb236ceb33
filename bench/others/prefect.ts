/** Prefect: its server, and flows in Python that run beside it. */
import { join } from 'node:path';
import { freePort } from '../../tests/support/free-port.ts';
import { Program } from './program.ts';
import { startPythonDriver } from './python-driver.ts';
import { SLOTS, type Tool } from './tool.ts';

const VERSION = '3.9.1';

export function prefect(): Tool {
  let programs = '';
  return {
    name: `Prefect ${VERSION}`,
    mode: 'its server with its database in a file (SQLite), flows in one process; a job is a task of a flow',
    slots: SLOTS,
    parallelMost: 200,
    install: async (cache) => {
      programs = await cache.python([`prefect==${VERSION}`]);
    },
    start: async (folder) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/api`;
      const env = {
        PREFECT_HOME: join(folder, 'home'),
        PREFECT_API_URL: url,
        DO_NOT_TRACK: '1',
        PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
      };
      const args = ['server', 'start', '--host', '127.0.0.1', '--port', String(port), '--no-ui'];
      const server = Program.start({ command: join(programs, 'prefect'), args, folder, env });
      await server.until(() =>
        fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      const script = 'prefect-jobs.py';
      const driver = { programs, script, args: [String(SLOTS)], folder, env };
      const flows = await startPythonDriver(driver);
      return {
        run: flows.run,
        stop: async () => {
          await flows.stop();
          await server.stop();
        },
      };
    },
  };
}
