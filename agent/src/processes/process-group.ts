/** Queries and signals for processes and their groups. Not on Windows. */
import { readdirSync, readFileSync } from 'node:fs';

/** Without effect when the group has no process any more. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  sendSignal(groupId, signal);
}

/**
 * True while a process of the group runs. Zombies still take signals: in a container without an init they stay for ever. So the
 * state of processes is checked if the system shows it.
 */
export function isGroupAlive(groupId: number): boolean {
  return sendSignal(groupId, 0) && (hasLivingMember(groupId) ?? true);
}

function sendSignal(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch (error) {
    // EPERM: there is a process, but of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Null when the system has no list of processes in its file system. */
function hasLivingMember(groupId: number): boolean | null {
  const states = processStates();
  return states.length === 0
    ? null
    : states.some((state) => state.groupId === groupId && !state.isDead);
}

function processStates(): ProcessState[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => readProcessState(Number(pid)) ?? []);
  } catch {
    return [];
  }
}

/** The child processes of a process; none if the system does not list them. */
export function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const list = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
      return list.split(' ').filter(Boolean).map(Number);
    });
  } catch {
    return [];
  }
}

export interface ProcessState {
  readonly groupId: number;
  /** Ended, but not collected by its parent. */
  readonly isDead: boolean;
}

/** Null when there is no such process (any more), or no such list. */
export function readProcessState(pid: number): ProcessState | null {
  try {
    return parseProcessState(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

/** Parses `pid (name) state parent group ...`; the name may contain anything, parentheses and blanks too. */
export function parseProcessState(text: string): ProcessState | null {
  const [state, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || group === undefined) return null;
  return { groupId: Number(group), isDead: state === 'Z' || state === 'X' };
}
