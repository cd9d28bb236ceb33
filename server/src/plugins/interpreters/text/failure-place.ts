/** Keeps the place of a test, as a report has it, in the text of its failure. */
import type { TestResultDetails } from '@tutti/manifests';
import { cutText } from '@tutti/workflow';
import type { FoundCase } from '../format-reader.ts';
import { REPORT_LIMITS } from '../report-limits.ts';

/** Adds `file:line` behind the text, unless message or text have a line of the file. */
export function withPlace(
  details: TestResultDetails,
  file: string | undefined,
  line: string | undefined,
): TestResultDetails {
  if (!file || line === undefined || !/^\d+$/.test(line)) return details;
  const { text = '', message = '' } = details;
  if (`${message}\n${text}`.includes(`${file.split(/[\\/]/).at(-1)}:`)) return details;
  const place = `${file}:${line}`;
  const placed = text === '' ? place : `${text}\n\n${place}`;
  return { ...details, text: cutText(placed, REPORT_LIMITS.textLengthMax) };
}

/** The same for a case that failed. */
export function caseWithPlace(
  found: FoundCase,
  file: string | undefined,
  line: string | undefined,
): FoundCase {
  const { failureDetails: failure, errorDetails: error } = found;
  if (failure !== undefined) return { ...found, failureDetails: withPlace(failure, file, line) };
  if (error !== undefined) return { ...found, errorDetails: withPlace(error, file, line) };
  return found;
}
