/** The report folders among the attachments of a run, and which of them is meant. */
import { countOf, REPORT_FOLDER_TYPE } from '@tutti/manifests';
import { cleanLine } from '@tutti/run-view/text';
import type { Attachment } from '../attachments/list-attachments.ts';
import { UsageError } from '../terminal/problem.ts';
import { asArgument } from '../terminal/shell-argument.ts';

export interface FolderChoice {
  readonly job?: string | undefined;
  /** Number of the step in its job, from 1. */
  readonly step?: string | undefined;
}

export const foldersIn = (attachments: readonly Attachment[]): readonly Attachment[] =>
  attachments.filter(({ type }) => type === REPORT_FOLDER_TYPE);

/** The words that choose this folder in `tutti report open`: none if it is the only one. */
export function choiceOf(folder: Attachment, all: readonly Attachment[]): string {
  const others = all.filter(({ uuid }) => uuid !== folder.uuid);
  if (others.length === 0) return '';
  const isOfJob = others.some(({ job }) => job === folder.job);
  return ` --job ${asArgument(folder.job)}${isOfJob ? ` --step ${asArgument(folder.step)}` : ''}`;
}

/** Throws `UsageError` unless exactly one folder is meant. */
export function chosenFolder(
  attachments: readonly Attachment[],
  workflowId: string,
  { job, step }: FolderChoice,
): Attachment {
  const all = foldersIn(attachments);
  const chosen = all.filter(
    (each) => (job === undefined || each.job === job) && (step === undefined || each.step === step),
  );
  const [only, ...more] = chosen;
  if (only === undefined) throw noFolder(attachments, workflowId, all);
  if (more.length === 0) return only;
  const commands = chosen.map((each) => `"tutti report open ${workflowId}${choiceOf(each, all)}"`);
  throw new UsageError(
    `Workflow ${workflowId} has ${countOf(chosen.length, 'report')}.`,
    `choose one: ${cleanLine(commands.join(', '))}.`,
  );
}

function noFolder(
  attachments: readonly Attachment[],
  workflowId: string,
  folders: readonly Attachment[],
): UsageError {
  if (folders.length > 0) {
    const jobs = [...new Set(folders.map(({ job }) => asArgument(job)))].join(', ');
    return new UsageError(
      `Workflow ${workflowId} has no report of that job and step.`,
      `there are reports of: ${cleanLine(jobs)}.`,
    );
  }
  return new UsageError(
    `Workflow ${workflowId} has no report that can be opened.`,
    attachments.length === 0
      ? 'functions of Playwright, Cypress and Robot Framework attach one, and your own if they attach a folder.'
      : `see its ${countOf(attachments.length, 'attachment')} with "tutti attachments ${workflowId}", or make a page about it with "tutti report ${workflowId} --html".`,
  );
}
