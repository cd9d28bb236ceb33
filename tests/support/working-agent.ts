/** An existing agent that really runs commands, in the synchronous mode of its version (wire facts 4.3). */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Api, Loose } from './api.ts';
import { type ExistingAgent, registerExisting } from './existing-agent.ts';

export interface WorkingAgentOptions {
  readonly tag: string;
  /** Absent for the oldest agents, which get scripts as files and say nothing of variables. */
  readonly version?: string;
  /** Commands run here. */
  readonly workspaceDir: string;
  readonly scriptPath: string;
}

/** Registers, works until the job that it gets is over, and de-registers. */
export async function workOneJob(api: Api, options: WorkingAgentOptions): Promise<void> {
  const { tag, version, workspaceDir, scriptPath } = options;
  for (const folder of [workspaceDir, scriptPath]) mkdirSync(folder, { recursive: true });
  const agent = await registerExisting(api, ['linux', tag], {
    metadata: version === undefined ? {} : { version },
    spec: { script_path: scriptPath },
  });
  let isOver = false;
  while (!isOver) {
    const command = await agent.work();
    const result = await obey(agent, command, options);
    if (result !== null) await agent.post(result);
    isOver = String(command.command).includes('_-2.sh');
  }
  await api.call('DELETE', `/agents/${agent.id}`);
}

/** Runs the command; returns the post for it, or null for other commands. A command ends with the `signal`. */
export async function obey(
  agent: ExistingAgent,
  command: Loose,
  options: Omit<WorkingAgentOptions, 'tag'>,
  signal?: AbortSignal,
): Promise<Loose | null> {
  const { workspaceDir, scriptPath, version } = options;
  switch (command.kind) {
    case 'put': {
      const { text } = await agent.getFile(command.file_id);
      const root = command.root === '' ? scriptPath : workspaceDir;
      writeFileSync(join(root, String(command.path)), text);
      return null;
    }
    case 'get':
      await agent.sendFile(command.file_id, readFileSync(String(command.path)));
      return null;
    case 'run':
      writeFileSync(join(scriptPath, String(command.filename)), String(command.content));
      break;
  }
  const ended = await runCommand(String(command.command), workspaceDir, signal);
  const variables = linesAt(command.variables_path);
  return { ...ended, ...(version === undefined ? {} : { variables }) };
}

function runCommand(command: string, cwd: string, signal?: AbortSignal): Promise<object> {
  const options = {
    cwd,
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { signal }),
  } as const;
  return new Promise((resolve) => {
    const child = execFile('/bin/sh', ['-c', command], options, (_error, stdout, stderr) => {
      const exitStatus = child.exitCode ?? -9;
      resolve({ stdout: linesOf(stdout), stderr: linesOf(stderr), exit_status: exitStatus });
    });
  });
}

const linesOf = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n');

function linesAt(path: unknown): readonly string[] | null {
  return typeof path === 'string' ? linesOf(readFileSync(path, 'utf8')) : null;
}
