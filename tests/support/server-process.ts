/** A server in a process of its own. Its argument is its configuration, as JSON. */

import { startServer } from '../../server/src/main.ts';
import { loadConfig } from '../../server/src/runtime/config.ts';
import { databaseFor, testPostgres } from './test-databases.ts';

const config = loadConfig({ env: {}, options: JSON.parse(process.argv[2] ?? '{}') });
const postgres = testPostgres();
const store =
  config.store ?? (postgres === null ? undefined : await databaseFor(postgres, config.dataDir));
const server = await startServer({ ...config, ...(store === undefined ? {} : { store }) });

const stop = () => {
  server.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.on('SIGTERM', stop);
process.stdin.resume().once('end', () => process.exit(0));
process.stdout.write(`ready ${server.url}\n`);
