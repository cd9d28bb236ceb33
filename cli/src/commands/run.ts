/** `tutti run`: starts a workflow, on a server or on this machine. Follows a local run to its end, another one if asked. */

import { restoreEditorSchema } from '../authoring/editor-schema.ts';
import { SOURCES_VARIABLE, unexpanded } from '../init/sources-variable.ts';
import { type GivenLines, linesOf } from '../options/given-lines.ts';
import { variablesIn } from '../start/run-variables.ts';
import type { Start } from '../start/send-and-follow.ts';
import { type Place, type PlaceOptions, startRun } from '../start/start-run.ts';
import { testedBy } from '../start/tested-version.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { readWorkflowText, STANDARD_INPUT } from '../terminal/workflow-source.ts';

export interface RunOptions extends PlaceOptions {
  readonly env?: GivenLines;
  readonly input?: GivenLines;
  /** Each `name=path`. */
  readonly file?: readonly string[];
  readonly namespace?: string | undefined;
  /** Names of jobs; all, if absent. */
  readonly jobs?: readonly string[];
  /** Tags that all jobs ask for beside their own. */
  readonly runsOn?: readonly string[];
  /** Version and branch that the run tests. */
  readonly codeVersion?: string;
  readonly branch?: string;
  /** The run whose failed part runs again, instead of a file. */
  readonly fromFailed?: string;
  readonly dryRun?: boolean;
  /** A workflow with warnings is refused. */
  readonly strict?: boolean;
}

/** `path` is a file, or `-` for standard input; null where `fromFailed` is given. Resolves with the exit code. */
export async function runWorkflow(
  path: string | null,
  options: RunOptions,
  io: Io,
): Promise<number> {
  const { fromFailed } = options;
  if (fromFailed !== undefined) refuseWithRerun(path, options);
  const readStart = async (place: Place) => {
    if (path !== null) return await startOfFile(path, options, place, io);
    const { startOfRerun } = await import('./rerun.ts');
    return startOfRerun(fromFailed, { failed: true }, io);
  };
  return await startRun(readStart, options, io, watchedFiles(path, options));
}

/** The files that each run reads anew. */
function watchedFiles(
  path: string | null,
  { watch, file = [], env, input }: RunOptions,
): readonly string[] {
  if (watch === true && path === STANDARD_INPUT) {
    throw new UsageError(
      'Standard input can be read once, and --watch reads the workflow for each run.',
      'name the file of the workflow.',
    );
  }
  const resources = [
    ...file.map((pair) => pair.slice(pair.indexOf('=') + 1)),
    ...(env?.files ?? []),
    ...(input?.files ?? []),
  ];
  return path === null ? resources : [path, ...resources];
}

/** Options that a rerun refuses, because the earlier run gives their values. */
const OF_EARLIER_RUN = [
  ['env', '-e'],
  ['input', '-i'],
  ['file', '-f'],
  ['namespace', '--namespace'],
  ['jobs', '--jobs'],
  ['runsOn', '--runs-on'],
  ['codeVersion', '--code-version'],
  ['branch', '--branch'],
  ['dryRun', '--dry-run'],
  ['strict', '--strict'],
] as const;

function refuseWithRerun(path: string | null, options: RunOptions): void {
  const given = OF_EARLIER_RUN.find(([key]) => options[key] !== undefined);
  const what = path === null ? given?.[1] : 'a file';
  if (what === undefined) return;
  throw new UsageError(
    `--from-failed runs what is left of an earlier run, with all that this one was started with, and takes no ${what.replace(/^a /, '')}.`,
    `leave ${what} out; or leave --from-failed out, to run a workflow as a whole.`,
  );
}

async function startOfFile(
  path: string,
  options: RunOptions,
  place: Place,
  io: Io,
): Promise<Start> {
  const { env, input, file = [], namespace, jobs, dryRun = false, strict = false } = options;
  const [given, inputs] = [await linesOf('-e', env), await linesOf('-i', input)];
  const manifestText = await readManifest(path, options, io);
  await restoreEditorSchema(path, manifestText);
  // Most workflows call no functions, and need not wait for the check.
  if (/\buses\b/.test(manifestText)) {
    const { refuseUnknownFunctions } = await import('../authoring/refuse-unknown-functions.ts');
    const local = place.isHere;
    await refuseUnknownFunctions(manifestText, { ...options, local, dryRun, strict }, io);
  }
  // Steps on this machine find the directory of the command.
  const own = place.isHere ? { [SOURCES_VARIABLE]: ownDirectory() } : {};
  const variables = { ...own, ...variablesIn(io.env), ...given };
  const tested = await testedBy(options, io, { asksGit: !place.isHere && !dryRun });
  const start = {
    manifestText,
    files: await readFiles(manifestText, file),
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(input && { inputs }),
    namespace: namespace ?? place.namespace ?? undefined,
    jobs,
    dryRun,
    strict,
    ...tested,
  };
  return { dryRun, send: (client, call) => client.startWorkflow(start, call) };
}

const ownDirectory = (): string =>
  process.platform === 'win32' ? process.cwd() : unexpanded(process.cwd());

async function readManifest(path: string, { runsOn }: RunOptions, io: Io): Promise<string> {
  if (runsOn === undefined) return await readWorkflowText(path, io);
  // The YAML parser is loaded only here.
  const { checkAddedTags, withAddedTags } = await import('../authoring/added-tags.ts');
  checkAddedTags(runsOn);
  return await withAddedTags(await readWorkflowText(path, io), runsOn);
}

/** Most workflows have no files, and need not wait for the YAML parser. */
async function readFiles(manifestText: string, pairs: readonly string[]) {
  if (pairs.length === 0) return {};
  const { openResourceFiles } = await import('../start/resource-files.ts');
  return await openResourceFiles(manifestText, pairs);
}
