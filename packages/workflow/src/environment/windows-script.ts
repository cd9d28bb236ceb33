/** Scripts for windows, in the language of cmd (wire facts 3.4 and 3.5). */
import { encodeBase64 } from './base64.ts';
import { withCarriageReturns } from './line-ends.ts';
import { fillTemplate, powerShellText } from './other-shell.ts';
import { type ScriptVariable, setWindows } from './quoting.ts';
import type { ScriptPlan, WorkspaceStart } from './script-plan.ts';

export function windowsScript(plan: ScriptPlan): readonly string[] {
  return [
    '@echo off',
    // The script is UTF-8, whatever the code page of the console: names outside of it must survive.
    ...(plan.usesUtf8 ? ['chcp 65001 >nul'] : []),
    '@set "OPENTF_WORKSPACE="',
    `@set "OPENTF_VARIABLES=${fromHere(plan.variablesPath)}"`,
    '@set "OPENTF_ACTOR=dummy"',
    '@set "CI=true"',
    ...makeWorkspace(plan.workspace),
    ...plan.variables.flatMap(setLines),
    ...readVariables(plan),
    ...plan.localVariables.flatMap(setLines),
    ...pursue(plan),
  ];
}

const LINE_LENGTH_MAX = 8191;

/** cmd leaves out a line that is too long and goes on: the step would run without its variable. */
function setLines(variable: ScriptVariable): readonly string[] {
  const line = setWindows(variable);
  if (line.length <= LINE_LENGTH_MAX) return [line];
  return [
    `echo The variable ${variable.name} is longer than a line of cmd may be (${LINE_LENGTH_MAX} characters). 1>&2`,
    'exit /B 1',
  ];
}

/** A file that some step spoiled must not keep the environment from being freed. */
function readVariables({ goal, jobId, sequence }: ScriptPlan): readonly string[] {
  if (goal === 'release') return [];
  return [
    'if exist "%OPENTF_VARIABLES%" call "%OPENTF_VARIABLES%"',
    // A step that wrote the file anew took the workspace out of it.
    ...(sequence === 0
      ? []
      : [
          `if not defined OPENTF_WORKSPACE if exist "${jobId}" set "OPENTF_WORKSPACE=%CD%\\${jobId}"`,
        ]),
  ];
}

/** Matches a path that begins with a drive, a backslash (current drive or network), or a variable. */
const ABSOLUTE = /^(?:[a-z]:|\\|%)/i;

function fromHere(path: string): string {
  return ABSOLUTE.test(path) ? path : `%CD%\\${path}`;
}

const backslashes = (path: string): string => path.replaceAll('/', '\\');

function makeWorkspace(workspace: WorkspaceStart): readonly string[] {
  if (workspace.action === 'keep') return [];
  const directory = backslashes(workspace.directory);
  return [
    ...(directory === '.' ? [] : [`if not exist "${directory}" mkdir "${directory}"`]),
    'type nul >>"%OPENTF_VARIABLES%"',
    recordWorkspace(directory),
    ...(workspace.announced
      ? [`echo Using workspace '${escapeEcho(directory)}' on execution environment`]
      : []),
  ];
}

function recordWorkspace(directory: string): string {
  return `echo set "OPENTF_WORKSPACE=${fromHere(directory)}">>"%OPENTF_VARIABLES%"`;
}

const escapeEcho = (text: string): string => text.replace(/[\^&<>|]/g, '^$&');

function pursue(plan: ScriptPlan): readonly string[] {
  switch (plan.goal) {
    case 'work':
      return ['if defined OPENTF_WORKSPACE cd /D "%OPENTF_WORKSPACE%"', ...work(plan)];
    case 'discard':
      return [deleteWorkspace(plan), recordWorkspace('.'), ...work(plan)];
    case 'release':
      return [deleteWorkspace(plan), ...leave(plan)];
    case 'release-keeping-workspace':
      return [
        // Delayed expansion is not parsed again: a path may contain signs that end a command.
        'setlocal EnableDelayedExpansion',
        `echo Keeping workspace '!OPENTF_WORKSPACE!' on execution environment`,
        'endlocal',
        ...leave(plan),
      ];
  }
}

/** The workspace that the first step made, where scripts start. Steps may have set the variable to a directory of their own. */
const deleteWorkspace = ({ jobId }: ScriptPlan): string =>
  `if exist "${jobId}" rmdir /S /Q "${jobId}"`;

/**
 * A script ends when its file goes away. So another process deletes the files some two seconds later. It does not share the script's
 * output, since readers wait until every process has closed that.
 */
function leave({ root, jobId }: ScriptPlan): readonly string[] {
  const files = `${fromHere(`${root}\\${jobId}`)}_*.cmd`;
  return [
    `start "" /B "%ComSpec%" /D /S /C "ping -n 3 127.0.0.1 & del /Q "${files}"" >nul 2>nul`,
    'exit /B 0',
  ];
}

function work(plan: ScriptPlan): readonly string[] {
  const { workingDirectory, shell, text } = plan;
  return [
    ...(workingDirectory === null ? [] : [enter(workingDirectory)]),
    ...(shell !== null ? otherShell(plan, shell) : text === '' ? [] : [withCarriageReturns(text)]),
  ];
}

/** cmd goes on after a failed command. Without an exit, the step would run in a wrong directory. */
function enter(workingDirectory: string): string {
  const path = backslashes(workingDirectory);
  return `cd /D ${/[\s&()^;,=]/.test(path) ? `"${path}"` : path} || exit /B 1`;
}

/** Below the longest line of cmd, with room for the file name. */
const ENCODED_LINE_LENGTH = 4000;

function otherShell({ jobId, sequence, text }: ScriptPlan, shell: string): readonly string[] {
  const stem = `${jobId}_shell_script_${sequence}`;
  const { file, content } = shellFile(stem, shell, text);
  const encoded = encodeBase64(content).match(new RegExp(`.{1,${ENCODED_LINE_LENGTH}}`, 'g')) ?? [];
  return [
    `type nul >"${file}.b64"`,
    ...encoded.map((line) => `>>"${file}.b64" echo ${line}`),
    `certutil -f -decode "${file}.b64" "${file}" >nul`,
    `del /Q "${file}.b64"`,
    shellCommand(shell, file),
  ];
}

function shellFile(
  stem: string,
  shell: string,
  text: string,
): { readonly file: string; readonly content: string } {
  switch (shell) {
    case 'powershell':
    case 'pwsh':
      // Without the mark, Windows PowerShell reads the file in the code page of the system.
      return {
        file: `${stem}.ps1`,
        content: `\uFEFF${withCarriageReturns(powerShellText(text))}\r\n`,
      };
    case 'bash':
      return { file: stem, content: `${text}\n` };
    default:
      return { file: stem, content: `${withCarriageReturns(text)}\r\n` };
  }
}

function shellCommand(shell: string, file: string): string {
  switch (shell) {
    case 'bash':
      return `"%USERPROFILE%\\AppData\\Local\\Programs\\Git\\bin\\bash" --noprofile --norc -eo pipefail "${file}"`;
    case 'powershell':
    case 'pwsh':
      return `${shell} -command ". './${file}'"`;
    case 'python':
      return `python ${file}`;
    default:
      return fillTemplate(shell, file);
  }
}
