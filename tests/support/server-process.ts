/** A server in a process of its own. Its argument is its configuration, as JSON. */

import { startServer } from '../../server/src/main.ts';
import { loadConfig } from '../../server/src/runtime/config.ts';

const server = await startServer(
  loadConfig({ env: {}, options: JSON.parse(process.argv[2] ?? '{}') }),
);

const stop = () => {
  server.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.on('SIGTERM', stop);
process.stdin.resume().once('end', () => process.exit(0));
process.stdout.write(`ready ${server.url}\n`);
