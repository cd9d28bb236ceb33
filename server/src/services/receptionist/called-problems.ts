/** Messages about workflows that cannot be called. */
import type { OrchestratorError } from '@tutti/manifests';
import { extension } from '@tutti/workflow';

/** Lists all problems on lines of their own, if there are several. */
export function cannotBeCalled(file: string | undefined, problems: string): string {
  const separator = problems.includes('\n') ? '\n' : ' ';
  return `Workflow "${file}" cannot be called:${separator}${problems}`;
}

export function problemsOf({ message, details }: OrchestratorError): string {
  return extension.text(details ?? undefined, 'error') ?? message;
}
