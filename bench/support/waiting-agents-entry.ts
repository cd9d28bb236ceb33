/** Agents that wait for work, in a process of their own; server, token and number in the arguments. */
import type { ServerNews } from './server-process.ts';
import { startWaitingAgents } from './waiting-agents.ts';

const [url = '', token = '', count = '0'] = process.argv.slice(2);
await startWaitingAgents({ url: new URL(url), token }, Number(count));
const news: ServerNews = { kind: 'ready', url, token };
process.send?.(news);
process.on('message', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
