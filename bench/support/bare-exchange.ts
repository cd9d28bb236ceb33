/**
 * The lower limit of the exchange with agents. Over bare HTTP it accepts runs, gives each agent one step after the other, and
 * stores nothing. Argument: the number of steps of a run. It answers our agents, existing ones, and clients that start runs.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerNews } from './server-process.ts';

interface Command {
  readonly job: number;
  readonly step: number;
}

interface Agent {
  /** The command that it is to get, or that it has. */
  command: Command | null;
  isSent: boolean;
  poll: ServerResponse | null;
}

const STEPS = Number(process.argv[2] ?? '1');
/** The number of the release in the protocol. */
const RELEASE = -2;
/** About the length of a script. */
const CONTENT = 'x'.repeat(600);

const agents: Agent[] = [];
const free: Agent[] = [];
let jobs = 0;
let waiting = 0;

const server = createServer((request, response) => void handle(request, response));
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  // The server listens on an address, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const news: ServerNews = { kind: 'ready', url: `http://127.0.0.1:${port}`, token: 'none' };
  process.send?.(news);
});
process.once('disconnect', () => process.exit(0));
process.on('message', () => process.exit(0));

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request;
  const agent = agents[Number(/^\/agents\/(\d+)/.exec(url)?.[1] ?? -1)];
  if (method === 'GET')
    return agent === undefined ? answer(response, 404, {}) : sendCommand(agent, response);
  const body = await bodyOf(request);
  if (agent !== undefined) return takeResult(agent, response, body.next === true);
  if (url === '/agents') return answer(response, 201, { uuid: register() });
  answer(response, 201, {});
  waiting += 1;
  assign();
}

async function bodyOf(request: IncomingMessage): Promise<{ readonly next?: unknown }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function answer(response: ServerResponse, code: number, details: object | null): void {
  const text = JSON.stringify({ kind: 'Status', code, details });
  response.writeHead(code, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

function register(): string {
  const agent: Agent = { command: null, isSent: false, poll: null };
  free.push(agent);
  assign();
  return String(agents.push(agent) - 1);
}

/** Gives jobs to idle agents. */
function assign(): void {
  while (waiting > 0) {
    const agent = free.shift();
    if (agent === undefined) return;
    waiting -= 1;
    jobs += 1;
    give(agent, { job: jobs, step: 0 });
  }
}

function give(agent: Agent, command: Agent['command']): void {
  agent.command = command;
  agent.isSent = false;
  const { poll } = agent;
  agent.poll = null;
  if (poll !== null) sendCommand(agent, poll);
}

function sendCommand(agent: Agent, response: ServerResponse): void {
  const { command, isSent } = agent;
  if (command === null || isSent) {
    agent.poll = response;
    return;
  }
  agent.isSent = true;
  answer(response, 200, orderOf(command));
}

const orderOf = ({ job, step }: Command) => ({
  kind: 'run',
  command_id: `${job}/${step}`,
  content: CONTENT,
});

/** An agent that asks for it gets the next command in this answer, others in the answer to a poll. */
function takeResult(agent: Agent, response: ServerResponse, takesNext: boolean): void {
  const { command } = agent;
  const next = command === null ? null : following(command);
  const isAnswered = takesNext && next !== null;
  answer(response, command === null ? 409 : 200, isAnswered ? orderOf(next) : null);
  if (next !== null && !isAnswered) give(agent, next);
  else agent.command = next;
  if (command === null || next !== null) return;
  free.push(agent);
  assign();
}

/** Null after the last one of a job. */
function following({ job, step }: Command): Command | null {
  if (step === RELEASE) return null;
  return { job, step: step + 1 < STEPS ? step + 1 : RELEASE };
}
