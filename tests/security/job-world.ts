/** A server with one agent for all namespaces, and processes that outlive their jobs there. Linux shows them. */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import {
  type AgentChild,
  type AgentOptions,
  type ServerChild,
  Workbench,
} from '../support/workbench.ts';

export interface JobWorld {
  readonly bench: Workbench;
  readonly server: ServerChild;
  readonly agent: AgentChild;
}

/** The caller closes the workbench. */
export async function openWorld(options: Partial<AgentOptions> = {}): Promise<JobWorld> {
  const bench = await Workbench.open();
  // The users of jobs go through it to their workspaces.
  chmodSync(bench.folder, 0o711);
  const server = await bench.server();
  const agent = await bench.agent(server, { tags: ['linux'], namespaces: '*', ...options });
  return { bench, server, agent };
}

/** The processes with a word in their arguments, and not in what they read. */
export function processesWith(word: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => argumentsOf(name).includes(word))
    .map(Number);
}

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

export const DAEMON = `#!/bin/sh
trap '' HUP INT TERM
cd /
while :; do sleep 0.05; done
`;

/** Starts itself again, in another session, and ends. Tests that run beside it come first. */
export const HOPPER = `#!/bin/sh
trap '' HUP INT TERM
cd /
nice -n 19 setsid /bin/sh "$0" "$1" < /dev/null > /dev/null 2>&1 &
sleep 0.02
`;

interface Left {
  readonly word: string;
  readonly script: string;
}

/** A script that starts a process that outlives it. The process has its own session, and no variable, pipe or parent. */
export function leave(bench: Workbench, kinds: Readonly<Record<string, string>>): Left {
  const word = `left-${process.pid}-${process.hrtime.bigint()}`;
  onTestFinished(async () => void (await endAll(word)));
  const lines = Object.entries(kinds).flatMap(([name, text]) => {
    const file = bench.path(name);
    writeFileSync(file, text);
    chmodSync(file, 0o644);
    const daemon = `env -i PATH="$PATH" setsid /bin/sh ${file} ${word}`;
    return [`( ( ${daemon} < /dev/null > /dev/null 2>&1 & ) & )`];
  });
  return { word, script: `${lines.join('\n')}\necho started` };
}

/** Ends leftover processes where the bound does not hold. */
const endAll = (word: string) =>
  eventually('the end of what was left', () => {
    const left = processesWith(word);
    for (const pid of left) tryToKill(pid);
    return left.length === 0;
  });

function tryToKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

export async function expectNothingLeft(world: JobWorld, left: Left) {
  const { server } = world;
  const gate = world.bench.path('gate');
  const first = sh(`${left.script}; until [ -e ${gate} ]; do sleep 0.05; done`);
  const id = await start(server, oneJob('leaves', [first, sh('true')]));
  await eventually('processes that leave their job', () => processesWith(left.word).length > 0);
  writeFileSync(gate, '');
  expect(await ended(server, id)).toBe('DONE');
  expect(processesWith(left.word)).toEqual([]);
  const next = oneJob('next', [sh('echo here')]);
  expect(await ended(server, await start(server, next))).toBe('DONE');
  expect(processesWith(left.word)).toEqual([]);
}

export function skip(why: string): void {
  process.stdout.write(`SKIPPED: ${why}\n`);
}
