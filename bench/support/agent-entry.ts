/** Our own agent in a process of its own. Its arguments are server, token, workspace and, if several, the number of slots. */
import { createSlots } from '../../agent/src/index.ts';
import type { ServerNews } from './server-process.ts';

const [server = '', token = '', workspaceDir = '', slots = '1'] = process.argv.slice(2);
const agent = createSlots(
  {
    ...{ server, token, tags: ['linux'], workspaceDir, name: 'own' },
    // Measured files are made elsewhere.
    allowPaths: ['/'],
  },
  Number(slots),
);
await agent.start();
const news: ServerNews = { kind: 'ready', url: server, token };
process.send?.(news);
const stop = async (): Promise<void> => {
  await agent.stop();
  process.exit(0);
};
process.on('message', () => void stop());
process.once('disconnect', () => void stop());
