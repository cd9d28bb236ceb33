/** `tutti report open`: shows the report that a tool made, with its pictures and traces, in the browser of this machine. */
import { countOf } from '@tutti/manifests';
import { cleanLine } from '@tutti/run-view/text';
import {
  addressOf,
  FOLDER_LIMITS,
  type ReportFolder,
  readFolder,
  startPage,
  traceViewer,
} from '@tutti/server/report-folder';
import { listAttachments } from '../attachments/list-attachments.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { chosenFolder, type FolderChoice } from '../report-folder/find-folders.ts';
import { folderProblem } from '../report-folder/folder-problem.ts';
import { openBrowser } from '../report-folder/open-browser.ts';
import { type ServedFolder, serveFolder } from '../report-folder/serve-folder.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { untilAborted, untilStopped } from '../terminal/until-stopped.ts';

export interface OpenOptions extends ConnectionOptions, FolderChoice {
  /** False: the address is only printed. */
  readonly browser: boolean;
}

/** Serves the report until a request to stop. Resolves with the exit code. `file` is one of its files; absent, its first page. */
export async function openReport(
  workflowId: string | undefined,
  file: string | undefined,
  options: OpenOptions,
  io: Io,
): Promise<number> {
  const client = await connect(options, io);
  const id = await workflowRef(client, workflowId, { what: 'to open the report of' }, io);
  const { attachments } = await listAttachments(client, id);
  const { uuid, job, fileName } = chosenFolder(attachments, id, options);
  const show = async (signal: AbortSignal) => {
    const { chunks } = await client.attachment(id, uuid, { signal });
    const folder = await readFolder(chunks).catch(folderProblem);
    try {
      const served = await serveFolder(folder, `${fileName} of ${job}`);
      try {
        await announce(served, folder, { file, browser: options.browser }, io);
        await untilAborted(signal);
      } finally {
        await served.close();
      }
    } finally {
      await folder.close();
    }
  };
  return await untilStopped(show, {}, io);
}

interface Shown {
  readonly file: string | undefined;
  readonly browser: boolean;
}

/** Prints the address, and opens it. */
async function announce(
  { address: all }: ServedFolder,
  folder: ReportFolder,
  { file, browser }: Shown,
  io: Io,
): Promise<void> {
  const address = addressIn(all, folder, file);
  warn(folder, io);
  io.screen.write(`${address}\n`);
  if (browser && !(await openBrowser(address, io.env))) {
    io.complain('No browser can be started here. Open the address yourself.\n');
  }
  io.complain(`All files: ${all}\nCtrl-C ends it.\n`);
}

function warn({ leftOut, refused }: ReportFolder, { complain }: Io): void {
  if (leftOut.length > 0) {
    const what = `${countOf(leftOut.length, 'file')} of the report ${leftOut.length === 1 ? 'is' : 'are'} not there, as it was too large`;
    complain(`tutti: ${what}: ${named(leftOut)}.\n`);
  }
  if (refused.length > 0) {
    const what = `${countOf(refused.length, 'path')} of the archive ${refused.length === 1 ? 'is' : 'are'} not shown: only files of the folder are`;
    complain(`tutti: ${what}: ${named(refused)}.\n`);
  }
}

function named(names: readonly string[]): string {
  const shown = names
    .slice(0, FOLDER_LIMITS.shownNames)
    .map((name) => cleanLine(name).slice(0, 200));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function addressIn(base: string, folder: ReportFolder, file: string | undefined): string {
  const paths = [...folder.files.keys()];
  const path = file ?? startPage(paths);
  if (path === null) return base;
  if (folder.files.has(path)) return traceViewer(path, paths, base) ?? `${base}${addressOf(path)}`;
  throw new UsageError(
    `There is no file ${JSON.stringify(path)} in the report.`,
    'leave it out: the list of all files follows the address of the report.',
  );
}
