/** The failing checks that a server reports. */
import { isOrchestratorError } from '@tutti/manifests';
import { textAt, valuesAt } from '../resources/value-path.ts';

export interface FailingCheck {
  readonly what: string;
  readonly advice: string;
}

/** Reads failing checks from the answer to `GET /health?ready`; null for other errors. */
export function failingChecksOf(error: unknown): readonly FailingCheck[] | null {
  if (!isOrchestratorError(error) || error.reason !== 'ServiceUnavailable') return null;
  const checks = valuesAt(error.details, ['failing', '*']).map((check) => ({
    what: textAt(check, ['what']),
    advice: textAt(check, ['advice']),
  }));
  return checks.length === 0 ? null : checks;
}
