/** One of our own agents in a process of its own, with one slot or several. Its argument is its options, as JSON. */
import { createSlots } from '../../agent/src/index.ts';

const ids: string[] = [];
const log =
  (level: string) =>
  (message: string, facts: Readonly<Record<string, unknown>> = {}) => {
    if (message === 'The agent is registered.') ids.push(String(facts.agent_id));
    process.stderr.write(`${level} ${message} ${JSON.stringify(facts)}\n`);
  };
const logger = {
  info: log('INFO'),
  warn: log('WARN'),
  error: log('ERROR'),
};

const { slots = 1, ...options } = JSON.parse(process.argv[2] ?? '{}');
const agent = createSlots({ ...options, logger }, slots);
agent.closed.then(
  () => process.exit(0),
  () => process.exit(1),
);
process.on('SIGTERM', () => void agent.stop());
process.stdin.resume().once('end', () => process.exit(0));
await agent.start();
process.stdout.write(`ready ${ids.join(',')}\n`);
