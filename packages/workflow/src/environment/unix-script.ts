/**
 * Scripts for linux and macos, in bash (wire facts 3.4 and 3.5). The bash of macOS is version 3.2, so scripts are POSIX but for `%q`, which
 * it knows.
 */
import { fillTemplate, powerShellText } from './other-shell.ts';
import { outputMessages } from './output-messages.ts';
import { exportPosix, quoteDirectory, quotePosix, type ScriptVariable } from './quoting.ts';
import type { Removal, ScriptPlan, WorkspaceStart } from './script-plan.ts';

const POWERSHELLS = new Set(['powershell', 'pwsh']);

export function unixScript(plan: ScriptPlan): readonly string[] {
  return [
    '#!/usr/bin/env bash',
    // An agent that itself runs in a workspace must not lend it: a job without one would delete it.
    'unset OPENTF_WORKSPACE',
    `export OPENTF_VARIABLES=${fromHere(plan.variablesPath)}`,
    'export OPENTF_ACTOR=dummy',
    'export CI=true',
    ...makeWorkspace(plan.workspace),
    ...exports(plan.variables),
    ...readVariables(plan),
    ...exports(plan.localVariables),
    ...warnings(plan),
    ...pursue(plan),
  ];
}

/** The workspace, if this script makes it and nobody chose another path for it. */
export const ownDirectory = ({ workspace, jobId }: ScriptPlan): string | null =>
  workspace.action === 'make' && workspace.directory === jobId ? jobId : null;

/** The effect of the release script as files to remove. The script's exports have no reader. */
export const unixRemoval = ({ goal, jobId }: ScriptPlan): Removal | null =>
  goal === 'release' ? filesOfJob(jobId) : null;

export const filesOfJob = (jobId: string): Removal => ({
  directory: jobId,
  prefix: `${jobId}_`,
  suffix: '.sh',
});

/** Expressions read variables of any name; bash ends a script that exports one which begins with a digit. */
const exports = (variables: readonly ScriptVariable[]): readonly string[] =>
  variables.filter(isKnownToShells).map(exportPosix);

const isKnownToShells = ({ name }: ScriptVariable): boolean => !/^\d/.test(name);

/** Variables of the job are the same in all steps, so only the first step warns about them. */
function warnings({ sequence, variables, localVariables }: ScriptPlan): readonly string[] {
  const exported = sequence === 0 ? [...variables, ...localVariables] : localVariables;
  return exported
    .filter((variable) => !isKnownToShells(variable))
    .map(({ name }) => `echo ${quotePosix(`::warning::${outputMessages.variableUnseen(name)}`)}`);
}

/** A file that some step spoiled fails the next step, but must not keep the environment from being freed. */
function readVariables({ goal, jobId, sequence }: ScriptPlan): readonly string[] {
  if (goal === 'release') return [];
  const isRelease = goal === 'release-keeping-workspace';
  const own = quotePosix(jobId);
  return [
    `if [ -f "$OPENTF_VARIABLES" ]; then ${isRelease ? READ_WORKSPACE : '. "$OPENTF_VARIABLES"'}; fi`,
    // A step that wrote the file anew took the workspace out of it.
    ...(sequence === 0
      ? []
      : [
          `if [ -z "$OPENTF_WORKSPACE" ] && [ -d ${own} ]; then export OPENTF_WORKSPACE="$PWD"/${own}; fi`,
        ]),
  ];
}

/** Other effects of the file, such as another PATH or an exit, stay in a shell of its own. */
const READ_WORKSPACE = `OPENTF_WORKSPACE=$(trap 'printf %s "$OPENTF_WORKSPACE"' EXIT; . "$OPENTF_VARIABLES" > /dev/null 2>&1) || true`;

/** The script changes directory, so a path that is relative to where it starts is made absolute there. */
function fromHere(path: string): string {
  return path.startsWith('/') ? quotePosix(path) : `"$PWD"/${quotePosix(path)}`;
}

function makeWorkspace(workspace: WorkspaceStart): readonly string[] {
  if (workspace.action === 'keep') return [];
  const { directory, announced } = workspace;
  // Else its name would be an option.
  const name = quotePosix(directory.startsWith('-') ? `./${directory}` : directory);
  return [
    // An existing directory needs no process.
    ...(directory === '.' ? [] : [`[ -d ${name} ] || mkdir -p ${name}`]),
    // As `touch` does, without a process.
    ': >> "$OPENTF_VARIABLES"',
    recordWorkspace(directory),
    ...(announced ? [`echo ${quotePosix(useNotice(directory))}`] : []),
  ];
}

const useNotice = (directory: string): string =>
  `Using workspace '${directory}' on execution environment`;

/** `%q` quotes only where the shell needs it, so that readers of the file see most paths as they are. */
function recordWorkspace(directory: string): string {
  const path = directory.startsWith('/')
    ? quotePosix(directory)
    : `"$PWD"/${quotePosix(directory)}`;
  return `printf 'export OPENTF_WORKSPACE=%q\\n' ${path} >> "$OPENTF_VARIABLES"`;
}

function pursue(plan: ScriptPlan): readonly string[] {
  switch (plan.goal) {
    case 'work':
      return ['if [ -n "$OPENTF_WORKSPACE" ]; then cd "$OPENTF_WORKSPACE"; fi', ...work(plan)];
    case 'discard':
      return [`rm -rf -- ${ownWorkspace(plan)} || exit 1`, recordWorkspace('.'), ...work(plan)];
    case 'release':
      // The scripts go even if the workspace cannot be deleted. One process does it all.
      return [`exec rm -rf -- ${ownWorkspace(plan)} ${scriptsOf(plan)}`];
    case 'release-keeping-workspace':
      return [
        `echo "Keeping workspace '$OPENTF_WORKSPACE' on execution environment"`,
        `exec rm -f -- ${scriptsOf(plan)}`,
      ];
  }
}

/** The workspace that the first step made, where scripts start. Steps may have set the variable to a directory of their own. */
const ownWorkspace = ({ jobId }: ScriptPlan): string => quotePosix(jobId);

const scriptsOf = ({ root, jobId }: ScriptPlan): string => `${fromHere(`${root}/${jobId}`)}_*.sh`;

function work(plan: ScriptPlan): readonly string[] {
  const { workingDirectory, shell, text } = plan;
  return [
    ...(workingDirectory === null ? [] : [`cd ${quoteDirectory(workingDirectory)}`]),
    ...(shell !== null ? otherShell(plan, shell) : text === '' ? [] : [text]),
  ];
}

function otherShell({ jobId, sequence, text }: ScriptPlan, shell: string): readonly string[] {
  const isPowerShell = POWERSHELLS.has(shell);
  const file = `${jobId}_shell_script_${sequence}${isPowerShell ? '.ps1' : ''}`;
  const content = isPowerShell ? powerShellText(text) : text;
  const end = delimiterFor(content);
  return [`cat > ${file} <<'${end}'`, content, end, shellCommand(shell, file)];
}

const DELIMITER = 'END_OF_STEP_SCRIPT';

/** A line that does not occur in the text: longer by one than the longest that looks like it. */
function delimiterFor(text: string): string {
  if (!text.includes(DELIMITER)) return DELIMITER;
  let longest = -1;
  for (const [, more = ''] of text.matchAll(/^END_OF_STEP_SCRIPT(_*)$/gm)) {
    longest = Math.max(longest, more.length);
  }
  return DELIMITER + '_'.repeat(longest + 1);
}

function shellCommand(shell: string, file: string): string {
  switch (shell) {
    case 'cmd':
      return "echo 'The shell cmd is there on Windows only.' >&2; exit 127";
    case 'powershell':
    case 'pwsh':
      return `${shell} -command ". './${file}'"`;
    case 'python':
      // Many systems have `python3` only.
      return `"$(command -v python || command -v python3 || echo python)" ${file}`;
    default:
      return fillTemplate(shell, file);
  }
}
