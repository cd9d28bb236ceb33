/** The steps of a described function for one call of it. */
import type { Scope } from '@tutti/expressions';
import {
  type ChannelOs,
  OrchestratorError,
  type ProviderAttachment,
  type ProviderStep,
  type ProviderSteps,
  type Variables,
  type WorkflowStep,
} from '@tutti/manifests';
import { WORKSPACE } from '../quoting.ts';
import { scriptStep } from '../script-step.ts';
import { renderCondition, renderPlain, renderValue } from './call-values.ts';
import { renderCommand, renderScript } from './command-words.ts';
import { attachReports, type Report, removeReports, reportOf } from './report-lines.ts';
import type { ScriptLanguage } from './script-places.ts';

/** Null when the function has none for this system. */
export function stepsFor(os: ChannelOs, steps: ProviderSteps): readonly ProviderStep[] | null {
  if (isForAll(steps)) return steps;
  return steps[os] ?? (os === 'windows' ? null : (steps.unix ?? null));
}

export const isForAll = (steps: ProviderSteps): steps is readonly ProviderStep[] =>
  Array.isArray(steps);

export const scriptLanguage = (os: ChannelOs): ScriptLanguage =>
  os === 'windows' ? 'cmd' : 'bash';

/** The quoting rules of a script's language; null where we do not know them. */
export function languageOf({ shell }: ProviderStep, os: ChannelOs): ScriptLanguage | null {
  if (shell === undefined) return scriptLanguage(os);
  return shell === 'bash' || shell === 'cmd' ? shell : null;
}

interface RenderedStep {
  readonly step: WorkflowStep;
  /** True for a script in the language of the system, which lines of ours can be added to. */
  readonly isOwnScript: boolean;
}

export function renderSteps(
  os: ChannelOs,
  written: readonly ProviderStep[],
  attachments: readonly ProviderAttachment[],
  scope: Scope,
): readonly WorkflowStep[] {
  const rendered = written.flatMap((step) => renderStep(os, step, scope));
  const steps = rendered.map(({ step }) => step);
  if (attachments.length === 0) return steps;
  const reports = attachments.map((attachment) => reportOf(attachment, scope));
  const [only] = rendered;
  if (only?.isOwnScript === true && rendered.length === 1) {
    return [{ ...only.step, run: aroundScript(os, only.step.run ?? '', reports) }];
  }
  return [
    scriptStep(os, removeReports(os, reports), { name: 'Remove earlier reports' }),
    ...steps,
    scriptStep(os, attachReports(os, reports), { name: 'Attach reports', if: 'always()' }),
  ];
}

function renderStep(os: ChannelOs, written: ProviderStep, scope: Scope): readonly RenderedStep[] {
  const { isThere, rest } = renderCondition(written.if, scope);
  if (!isThere) return [];
  const step = {
    ...otherKeys(written, scope),
    ...(rest === null ? {} : { if: rest }),
    ...variablesOf(written, os, scope),
    ...workingDirectoryOf(written, os, scope),
  };
  if (written.uses !== undefined) return [{ step, isOwnScript: false }];
  const language = languageOf(written, os);
  return [
    {
      step: {
        ...step,
        run: scriptOf(os, written, scope),
        shell: written.shell ?? scriptLanguage(os),
      },
      isOwnScript: language === scriptLanguage(os),
    },
  ];
}

function scriptOf(os: ChannelOs, written: ProviderStep, scope: Scope): string {
  const { command, run = '' } = written;
  if (command !== undefined) return renderCommand(os, command, scope);
  const language = languageOf(written, os);
  // Other languages have no expressions, as the check of the description says.
  return language === null ? run : renderScript(run, language, scope);
}

/** Keys of a step that are rendered by their own rules. */
const RENDERED_APART: ReadonlySet<string> = new Set([
  'command',
  'if',
  'run',
  'variables',
  'working-directory',
]);

/** The other keys. Their values have the types that steps want, or the run refuses them. */
function otherKeys(written: ProviderStep, scope: Scope): WorkflowStep {
  const kept = Object.entries(written).filter(([key]) => !RENDERED_APART.has(key));
  return renderValue(Object.fromEntries(kept), scope) as WorkflowStep;
}

/** A shell expands a variable unless it is verbatim, so a variable with an expression in it is verbatim. */
function variablesOf(
  { variables }: ProviderStep,
  os: ChannelOs,
  scope: Scope,
): { readonly variables?: Variables } {
  if (variables === undefined) return {};
  const entries = Object.entries(variables).map(([name, variable]) => {
    const value = typeof variable === 'string' ? variable : variable.value;
    if (!value.includes('${{')) return [name, variable] as const;
    const rendered = renderValue(value, scope);
    const text = typeof rendered === 'object' ? JSON.stringify(rendered) : String(rendered ?? '');
    if (text.includes(WORKSPACE)) return [name, expandedVariable(name, text, os)] as const;
    return [name, { value: text, verbatim: true }] as const;
  });
  return { variables: Object.fromEntries(entries) };
}

/** The shell expands the workspace, so the rest must be nothing that it expands, too. */
function expandedVariable(name: string, text: string, os: ChannelOs): string {
  if (!/^[\w./\uFDD0-]*$/.test(text)) {
    const message = `The variable "${name}" has more than the workspace and a plain path.`;
    throw new OrchestratorError('Invalid', message);
  }
  const variable = os === 'windows' ? '%OPENTF_WORKSPACE%' : '$OPENTF_WORKSPACE';
  return text.replaceAll(WORKSPACE, () => variable);
}

/** Characters that a shell expands in the name of a directory, or that cannot be in it. */
const NO_DIRECTORY = /[\0\r\n$`"%&|<>^!*?]|\$\{\{/;

function workingDirectoryOf(
  { 'working-directory': directory }: ProviderStep,
  os: ChannelOs,
  scope: Scope,
): Pick<WorkflowStep, 'working-directory'> {
  if (directory === undefined) return {};
  if (!directory.includes('${{')) return { 'working-directory': directory };
  const path = renderPlain(directory, scope);
  if (NO_DIRECTORY.test(path) || (os !== 'windows' && path.includes('\\'))) {
    throw new OrchestratorError(
      'Invalid',
      `${JSON.stringify(path.slice(0, 100))} cannot be the directory of a step.`,
    );
  }
  return path === '' ? {} : { 'working-directory': path };
}

/** The script, with the exit code that it has by itself. */
function aroundScript(os: ChannelOs, script: string, reports: readonly Report[]): string {
  const lines = os === 'windows' ? aroundCmd(script, reports) : aroundBash(script, reports);
  return lines.join('\n');
}

function aroundBash(script: string, reports: readonly Report[]): readonly string[] {
  return [
    ...removeReports('linux', reports),
    'tutti_attach() {',
    'tutti_status=$?',
    'trap - EXIT',
    'set +e',
    // The tool's last line may lack its line end, and a workflow command must begin a line.
    'echo',
    ...attachReports('linux', reports),
    'exit "$tutti_status"',
    '}',
    'trap tutti_attach EXIT',
    script,
  ];
}

/** A script of several lines is called, so that one which ends early comes back. */
function aroundCmd(script: string, reports: readonly Report[]): readonly string[] {
  const isOneLine = !script.trimEnd().includes('\n');
  return [
    ...removeReports('windows', reports),
    isOneLine ? `@${script.trim()}` : '@call :tutti_script',
    '@set "TUTTI_STATUS=%ERRORLEVEL%"',
    '@echo.',
    ...attachReports('windows', reports),
    '@exit /b %TUTTI_STATUS%',
    ...(isOneLine ? [] : [':tutti_script', script, '@exit /b %ERRORLEVEL%']),
  ];
}
