/** The script of a command, for any environment (wire facts 3.3 to 3.6). */
import type { ChannelOs, ExecutionCommandEvent } from '@tutti/manifests';
import { quoteCommandLinePath } from './quoting.ts';
import {
  planScript,
  type Removal,
  type ScriptEnvironment,
  type ScriptPlan,
  scriptPath,
} from './script-plan.ts';
import { filesOfJob, ownDirectory, unixRemoval, unixScript } from './unix-script.ts';
import { windowsScript } from './windows-script.ts';

export interface Script {
  /**
   * Name of the file in the environment's root, without a directory. Without a known root, the writer of the file may choose one. Then this
   * is the whole path, if no shell is needed to read it.
   */
  readonly filename: string;
  readonly content: string;
  /** Command line for the system shell of the environment. */
  readonly command: string;
  /** The command as a program and its arguments, for agents that can start it without a shell. Null where only a shell can. */
  readonly words: readonly string[] | null;
  /** File in which steps leave variables for later steps. */
  readonly variablesPath: string;
  /**
   * A directory that the script makes in the one it starts in, by its name; null for none. An environment that makes it beforehand saves
   * the script a process.
   */
  readonly directory: string | null;
  /**
   * The directory in which the job works after this script begins, relative to the one that scripts start in. Null if the script does not
   * change it.
   */
  readonly workspace: string | null;
  /** Set when the script only removes the job's files: an environment that can remove them itself needs no shell. */
  readonly removal: Removal | null;
}

/** Writes the script of a step (sequence 0 and above) or of the release (-2); other commands have none. */
export function buildScript(
  command: ExecutionCommandEvent,
  environment: ScriptEnvironment,
): Script {
  const plan = planScript(command, environment);
  const path = scriptPath(plan.os, plan.root, `${plan.jobId}_${plan.sequence}`);
  const isWindows = plan.os === 'windows';
  const lines = isWindows ? windowsScript(plan) : unixScript(plan);
  const lineEnd = isWindows ? '\r\n' : '\n';
  return {
    filename: environment.root || isWindows ? path.slice(plan.root.length + 1) : path,
    content: `${lines.join(lineEnd)}${lineEnd}`,
    command: commandLine(plan.os, path),
    words: isWindows ? null : [...BASH, path],
    variablesPath: plan.variablesPath,
    directory: isWindows ? null : ownDirectory(plan),
    workspace: workspaceFrom(plan),
    removal: isWindows ? null : unixRemoval(plan),
  };
}

/** The removal of the release of a job that no hook touches; null where a shell does it. */
export const plainRelease = ({ metadata }: ExecutionCommandEvent, os: ChannelOs): Removal | null =>
  os === 'windows' ? null : filesOfJob(metadata.job_id);

function workspaceFrom({ workspace, goal }: ScriptPlan): string | null {
  if (goal === 'discard') return '.';
  return workspace.action === 'make' ? workspace.directory : null;
}

const BASH = ['bash', '--noprofile', '--norc', '-eo', 'pipefail'];

function commandLine(os: ChannelOs, path: string): string {
  const isWindows = os === 'windows';
  const quoted = quoteCommandLinePath(path, isWindows);
  return isWindows
    ? `%ComSpec% /D /E:ON /V:OFF /S /C "CALL ${quoted}"`
    : // Existing agents end the shell around it when they are told to stop, and no process below that.
      `exec ${BASH.join(' ')} ${quoted}`;
}
