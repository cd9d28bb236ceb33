/** Our own agent in a process of its own; its arguments are server and token. */
import { runAgent } from '../../agent/src/index.ts';
import type { ServerNews } from './server-process.ts';

const [server = '', token = '', workspaceDir = ''] = process.argv.slice(2);
const agent = await runAgent({
  ...{ server, token, tags: ['linux'], workspaceDir, name: 'own' },
  // Measured files are made elsewhere.
  allowPaths: ['/'],
});
const news: ServerNews = { kind: 'ready', url: server, token };
process.send?.(news);
const stop = async (): Promise<void> => {
  await agent.stop();
  process.exit(0);
};
process.on('message', () => void stop());
process.once('disconnect', () => void stop());
