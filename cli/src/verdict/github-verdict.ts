/** A verdict on GitHub Actions: the summary of the job, and the failed test cases at the sources. */
import { appendFile } from 'node:fs/promises';
import { githubError } from '../authoring/github-command.ts';
import { MARKED_ERRORS_MAX } from '../run-view/folded-presenter.ts';
import { withoutMarks } from '../run-view/folding.ts';
import { fileReason } from '../terminal/file-problem.ts';
import type { Io } from '../terminal/io.ts';
import { testPlace } from './test-place.ts';
import type { FailedTest, VerdictNote } from './verdict.ts';
import { verdictMarkdown } from './verdict-markdown.ts';

/** The file of the summary; null without one. */
export function summaryFileIn({ GITHUB_ACTIONS, GITHUB_STEP_SUMMARY }: Io['env']): string | null {
  const isThere = (GITHUB_ACTIONS ?? '') !== '' && (GITHUB_STEP_SUMMARY ?? '') !== '';
  return isThere ? (GITHUB_STEP_SUMMARY ?? null) : null;
}

/** Adds a verdict to the summary of a job of GitHub. It never rejects, because the verdict does not depend on it. */
export async function writeSummary(
  file: string,
  verdict: VerdictNote,
  io: Pick<Io, 'complain'>,
): Promise<void> {
  try {
    await appendFile(file, `${verdictMarkdown(verdict)}\n`);
  } catch (error) {
    io.complain(`tutti: The summary of the job could not be written: ${fileReason(error)}.\n`);
  }
}

/** Lines that mark errors; GitHub shows so many of a step. */
export function failureMarks({ failed }: VerdictNote, directory: string): readonly string[] {
  return failed.slice(0, MARKED_ERRORS_MAX).map((test) => failureMark(test, directory));
}

function failureMark({ name, job, message, details }: FailedTest, directory: string): string {
  const place = testPlace(details, directory);
  const at = place === null ? {} : { file: place.file, line: String(place.line) };
  const title = withoutMarks(job === '' ? name : `${job} ▸ ${name}`);
  const text = message === '' ? 'The test case failed.' : withoutMarks(message);
  return githubError({ ...at, title }, text);
}
