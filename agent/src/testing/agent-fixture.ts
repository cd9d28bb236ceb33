/** A scripted server with a real agent that works in a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { AgentHandle } from '../agent.ts';
import { type AgentOptions, runAgent } from '../index.ts';
import { readProcessState } from '../processes/process-group.ts';
import type { CommandResult } from '../protocol.ts';
import { createScriptedServer, type ScriptedServer } from './scripted-server.ts';

export interface AgentFixture {
  readonly server: ScriptedServer;
  readonly agent: AgentHandle;
  readonly folder: string;
  /** Hands out a command that runs the script with `sh`. */
  run(commandId: string, script: string, more?: Readonly<Record<string, unknown>>): void;
  /** Waits until the result of the command is stored. */
  resultOf(commandId: string): Promise<CommandResult>;
  /** Waits for a line of the command with this beginning, and returns the rest of it. */
  lineOf(commandId: string, beginning: string): Promise<string>;
}

/** Repeats the check until it stops throwing. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000, interval: 5 });

/** Waits until the value exists. */
export const present = <T>(find: () => T | null | undefined): Promise<T> =>
  eventually(() => {
    const found = find();
    if (found === null || found === undefined) throw new Error('It is not there yet.');
    return found;
  });

export async function openFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tutti agent-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function openServer(): Promise<ScriptedServer> {
  const server = await createScriptedServer();
  onTestFinished(() => server.close());
  return server;
}

export async function openAgent(options: Partial<AgentOptions> = {}): Promise<AgentFixture> {
  const server = await openServer();
  const folder = await openFolder();
  const agent = await runAgent({
    server: server.url,
    tags: ['linux'],
    workspaceDir: folder,
    // Scripted commands begin there, and make no workspace.
    allowPaths: [folder],
    ...options,
  });
  onTestFinished(() => agent.stop({ finishWithinMs: 0 }));
  return {
    server,
    agent,
    folder,
    run: (commandId, script, more = {}) => {
      const filename = `${commandId.replace('/', '_')}.sh`;
      const command = `sh "${path.join(folder, filename)}"`;
      server.give({
        kind: 'run',
        command_id: commandId,
        filename,
        content: script,
        command,
        ...more,
      });
    },
    resultOf: (commandId) => present(() => server.resultOf(commandId)),
    lineOf: async (commandId, beginning) => {
      const lines = () => server.linesOf(commandId);
      const line = await present(() => lines().find((text) => text.startsWith(beginning)));
      return line.slice(beginning.length);
    },
  };
}

/** False also for a process that ended and was not collected by its parent. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return readProcessState(pid)?.isDead !== true;
}
