/** One of our own agents in a process of its own. Its argument is its options, as JSON. */
import { runAgent } from '../../agent/src/index.ts';

const log =
  (level: string) =>
  (message: string, facts: unknown = {}) => {
    process.stderr.write(`${level} ${message} ${JSON.stringify(facts)}\n`);
  };
const logger = {
  info: log('INFO'),
  warn: log('WARN'),
  error: log('ERROR'),
};

const agent = await runAgent({ ...JSON.parse(process.argv[2] ?? '{}'), logger });
agent.closed.then(
  () => process.exit(0),
  () => process.exit(1),
);
process.on('SIGTERM', () => void agent.stop());
process.stdin.resume().once('end', () => process.exit(0));
process.stdout.write(`ready ${agent.agentId}\n`);
