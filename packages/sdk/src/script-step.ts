/** A step that runs lines of a script which a provider wrote. */
import type { ChannelOs, WorkflowStep } from '@tutti/manifests';

/**
 * The lines run in bash or cmd. A provider knows no other shell. A workflow may set one for its own scripts. On Windows, where a failing
 * line does not end a script, every line must see to that itself (`stopOnError`).
 */
export function scriptStep(
  os: ChannelOs,
  lines: readonly string[],
  more: Omit<WorkflowStep, 'run' | 'uses' | 'with' | 'shell'> = {},
): WorkflowStep {
  return { ...more, run: lines.join('\n'), shell: os === 'windows' ? 'cmd' : 'bash' };
}

/** The line, made to end the script with its exit code when it fails. */
export function stopOnError(os: ChannelOs, line: string): string {
  return os === 'windows' ? `@${line} || exit /b` : line;
}
