import type { TestResultDetails, TestResultStatus } from '@tutti/manifests';
import type { FoundCase } from '../format-reader.ts';

/** A test case with details that fit its status; a case that did not fail omits empty details. */
export function endedCase(
  head: Pick<FoundCase, 'suite' | 'name' | 'duration'>,
  status: TestResultStatus,
  details: TestResultDetails,
): FoundCase {
  if (status === 'FAILURE') return { ...head, status, failureDetails: details };
  if (status === 'ERROR') return { ...head, status, errorDetails: details };
  const isEmpty = Object.keys(details).length === 0;
  return { ...head, status, ...(isEmpty ? {} : { warningDetails: details }) };
}
