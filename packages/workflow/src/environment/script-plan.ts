/** The actions of a command's script, before a system's language expresses them (wire facts 3.3 and 3.4). */
import { type ChannelOs, type ExecutionCommandEvent, STEP_SEQUENCE } from '@tutti/manifests';
import { secretNamesIn } from '../facts/decode.ts';
import { readHookAnnotation } from './hook-annotation.ts';
import { withLineFeeds } from './line-ends.ts';
import type { ScriptVariable } from './quoting.ts';

/** The environment of a script. */
export interface ScriptEnvironment {
  readonly os: ChannelOs;
  /** Directory that scripts are kept in; null is the system's directory for temporary files. */
  readonly root: string | null;
  /** Encoding in which the agent reads output; UTF-8 when absent. Scripts are always UTF-8. */
  readonly encoding?: string;
}

/** The workspace action before the variables are set. The directory `.` is never created or deleted. */
export type WorkspaceStart =
  | { readonly action: 'keep' }
  | { readonly action: 'make'; readonly directory: string; readonly announced: boolean };

/**
 * Goal of a script once the variables are set. `work` goes into the workspace. `discard` deletes the workspace early. The others belong to
 * the last script of a job, which frees the environment and deletes or keeps the workspace.
 */
export type ScriptGoal = 'work' | 'discard' | 'release' | 'release-keeping-workspace';

export interface ScriptPlan {
  readonly os: ChannelOs;
  readonly jobId: string;
  readonly sequence: number;
  readonly root: string;
  readonly variablesPath: string;
  readonly usesUtf8: boolean;
  readonly workspace: WorkspaceStart;
  readonly goal: ScriptGoal;
  /** Variables of the job; values of earlier steps replace them. */
  readonly variables: readonly ScriptVariable[];
  /** Variables of the step itself; they replace values of earlier steps. */
  readonly localVariables: readonly ScriptVariable[];
  readonly workingDirectory: string | null;
  /** The command text of the step, with line feeds; empty for none. It may have some MiB, so it stays one string. */
  readonly text: string;
  /** Null when the text is in the language of the script itself. */
  readonly shell: string | null;
}

/** Files and directories that a release removes. A missing one is no failure. */
export interface Removal {
  /** A directory, relative to the one that scripts start in. */
  readonly directory: string;
  /** The release removes files of the script directory whose names have this prefix and this `suffix`. */
  readonly prefix: string;
  readonly suffix: string;
}

const DEFAULTS = {
  linux: { root: '/tmp', separator: '/', extension: 'sh', shell: 'bash' },
  macos: { root: '/tmp', separator: '/', extension: 'sh', shell: 'bash' },
  windows: { root: '%TEMP%', separator: '\\', extension: 'cmd', shell: 'cmd' },
} as const;

export function planScript(
  command: ExecutionCommandEvent,
  environment: ScriptEnvironment,
): ScriptPlan {
  const { os } = environment;
  const { job_id: jobId, step_sequence_id: sequence } = command.metadata;
  const root = rootOf(environment);
  return {
    os,
    jobId,
    sequence,
    root,
    variablesPath: scriptPath(os, root, `${jobId}_dynamic_env`),
    usesUtf8: /^utf-?8$/i.test(environment.encoding ?? 'utf-8'),
    workspace: workspaceOf(command),
    goal: goalOf(command),
    ...variablesOf(command),
    workingDirectory: command['working-directory'] || null,
    text: command.scripts.map(withLineFeeds).join('\n'),
    shell: command.shell && command.shell !== DEFAULTS[os].shell ? command.shell : null,
  };
}

/** Path of a script in the language of the system, without a separator at the end of `root` becoming two. */
export function scriptPath(os: ChannelOs, root: string, stem: string): string {
  const { separator, extension } = DEFAULTS[os];
  return `${root}${separator}${stem}.${extension}`;
}

function rootOf({ os, root }: ScriptEnvironment): string {
  return (root || DEFAULTS[os].root).replace(
    os === 'windows' ? /(?<![\\/])[\\/]+$/ : /(?<!\/)\/+$/,
    '',
  );
}

function workspaceOf(command: ExecutionCommandEvent): WorkspaceStart {
  const { channel, 'use-workspace': used } = readHookAnnotation(command);
  const isFirst = command.metadata.step_sequence_id === 0;
  if (channel === 'setup' && used !== undefined) {
    return { action: 'make', directory: used, announced: true };
  }
  if (!isFirst) return { action: 'keep' };
  const directory = channel === 'setup' ? '.' : command.metadata.job_id;
  return { action: 'make', directory, announced: false };
}

function goalOf(command: ExecutionCommandEvent): ScriptGoal {
  const { channel, 'keep-workspace': kept } = readHookAnnotation(command);
  const isTeardown = channel === 'teardown';
  if (command.metadata.step_sequence_id === STEP_SEQUENCE.release) {
    return isTeardown && kept === true ? 'release-keeping-workspace' : 'release';
  }
  return isTeardown && kept === false ? 'discard' : 'work';
}

function variablesOf(
  command: ExecutionCommandEvent,
): Pick<ScriptPlan, 'variables' | 'localVariables'> {
  const listed = command.metadata.annotations?.local_variables_names;
  const local = new Set<unknown>(Array.isArray(listed) ? listed : []);
  const secrets = secretNamesIn(command);
  const all = Object.entries(command.variables ?? {}).map(
    ([name, given]): ScriptVariable =>
      typeof given === 'string'
        ? { name, value: given, verbatim: false }
        : {
            name,
            value: given.value,
            verbatim: given.verbatim === true,
            secret: secrets.has(name),
          },
  );
  return {
    variables: all.filter(({ name }) => !local.has(name)),
    localVariables: all.filter(({ name }) => local.has(name)),
  };
}
