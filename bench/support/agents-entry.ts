/** Synthetic agents in a process of their own; server, token and number in the arguments. */
import type { ServerNews } from './server-process.ts';
import { startSyntheticAgents } from './synthetic-agent.ts';

const [url = '', token = '', count = '0'] = process.argv.slice(2);
await startSyntheticAgents(Number(count), { server: { url: new URL(url), token } });
const news: ServerNews = { kind: 'ready', url, token };
process.send?.(news);
process.on('message', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
