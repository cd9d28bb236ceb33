/** Finds leftovers: processes of steps, and files of jobs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_VARIABLE } from './agent-keeper.ts';
import type { AgentRecord, Happenings } from './happenings.ts';

export interface LeftProcess {
  readonly pid: number;
  readonly agent: string;
  readonly words: string;
}

/** Processes that commands of agents started; `folder` is that of this run. Only Linux tells of them. */
export function processesOfSteps(
  folder: string,
  agents: Happenings['agents'],
): readonly LeftProcess[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const variables = read(`/proc/${name}/environ`).split('\0');
      const marked = variables.find((variable) => variable.startsWith(`${AGENT_VARIABLE}=`));
      const agent = marked?.slice(AGENT_VARIABLE.length + 1);
      const words = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim();
      if (agent === undefined || !agents.has(agent)) return [];
      // The agents themselves; and those of another run of this program.
      const isOther = !variables.some((variable) => variable.includes(folder));
      const isAgent = AGENT_PROGRAMS.some((program) => words.includes(program));
      if (isAgent || isOther) return [];
      return [{ pid: Number(name), agent, words }];
    });
}

const AGENT_PROGRAMS = ['agent-process.ts', '/bin/opentf-agent'];

/** Empty when the process is gone, or is none of ours. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** Whether nobody could end what it had started. */
export const wasKilled = (record: AgentRecord | undefined): boolean =>
  record !== undefined && record.killedAtMs !== null;

/**
 * Files that an agent left which was there to the end: its workspaces are gone when their jobs are over. An agent that ended before its job
 * leaves files. So does an existing agent that lost the command to remove them.
 */
export function filesLeft(record: AgentRecord): readonly string[] {
  if (
    record.isExisting ||
    wasKilled(record) ||
    record.hasStopped ||
    !existsSync(record.workspaceDir)
  )
    return [];
  return readdirSync(record.workspaceDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^slot-\d+$/.test(path))
    .map((path) => join(record.name, path));
}
