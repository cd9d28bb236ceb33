/** `tutti init`: writes a workflow for the tests that a folder has. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { schemaText } from '../authoring/schema-text.ts';
import { canBeCalled } from '../init/find-program.ts';
import { type FoundTests, findTests, type PlacedFinding } from '../init/find-tests.ts';
import { type Remote, remoteOf } from '../init/git-remote.ts';
import { openFolder } from '../init/open-folder.ts';
import { workflowText } from '../init/workflow-text.ts';
import { defaultTags } from '../options/local-options.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import { codeOf, fileReason } from '../terminal/file-problem.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { asArgument } from '../terminal/shell-argument.ts';
import { cleanLine } from '../terminal/style.ts';

export interface InitOptions {
  /** A path from the current directory, or `-` for standard output. */
  readonly output?: string | undefined;
  readonly force?: boolean;
}

const FILE = 'workflow.yaml';
/** The data directory of runs there, which git ignores. */
const SCHEMA_FOLDER = '.tutti';
const SCHEMA = 'workflow.schema.json';

/**
 * Writes a first workflow for the tests of a folder. Resolves with the exit code. Throws `UsageError` if the file exists or cannot be
 * written.
 */
export async function initWorkflow(
  directory: string,
  { output, force = false }: InitOptions,
  io: Io,
): Promise<number> {
  checkDirectory(directory);
  const file = output ?? join(directory, FILE);
  const folder = openFolder(resolve(directory));
  const [system = 'linux'] = defaultTags(process.platform);
  const { findings, undone } = findTests(
    folder,
    (name) => openFolder(resolve(directory, name)),
    system === 'windows',
  );
  const remote = remoteOf(directory);
  const text = workflowText({
    name: folder.name === '' ? 'tests' : folder.name,
    system,
    file: asArgument(file === '-' ? FILE : basename(file)),
    schema: file === '-' ? null : `./${SCHEMA_FOLDER}/${SCHEMA}`,
    findings,
    remote,
  });
  if (file === '-') {
    io.screen.write(text);
    return EXIT_CODES.done;
  }
  write(file, text, force);
  await writeSchema(dirname(file));
  io.screen.write(
    `${toldLines({ findings, undone }, { directory, file, remote }, io).join('\n')}\n`,
  );
  return EXIT_CODES.done;
}

/** For the editor. */
async function writeSchema(directory: string): Promise<void> {
  const folder = resolve(directory, SCHEMA_FOLDER);
  const { localFunctions } = await import('@tutti/server/local-functions');
  // As a server makes it.
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) writeFileSync(join(folder, '.gitignore'), '*\n', { mode: 0o600 });
  write(join(folder, SCHEMA), await schemaText(await localFunctions(folder)), true);
}

function checkDirectory(directory: string): void {
  const what = problemWith(directory);
  if (what !== null) throw new UsageError(what, 'name the directory that has the tests.');
}

function problemWith(directory: string): string | null {
  try {
    return statSync(directory).isDirectory() ? null : `${directory} is no directory.`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return `There is no directory ${directory}.`;
    return `Cannot read the directory ${directory}: ${fileReason(error)}.`;
  }
}

function write(file: string, text: string, force: boolean): void {
  try {
    writeFileSync(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      throw new UsageError(
        `Cannot write ${file}: ${fileReason(error)}.`,
        'name another file with --output.',
      );
    }
    throw new UsageError(
      `${file} is there already.`,
      'replace it with --force, or name another file with --output.',
    );
  }
}

interface Told {
  readonly directory: string;
  readonly file: string;
  readonly remote: Remote | null;
}

function toldLines(
  { findings, undone }: FoundTests,
  { directory, file, remote }: Told,
  io: Io,
): readonly string[] {
  const found = findings.map(({ title, folder }) => {
    const place = folder === '' ? '' : ` in ${folder}`;
    return `  ${cleanLine(`${title}${place}`)}`;
  });
  const where = directory === '.' ? 'here' : `in ${cleanLine(directory)}`;
  const first =
    findings.length === 0
      ? [
          `Found no tests ${where} that Tutti knows: ${cleanLine(basename(file))} has a job that greets.`,
        ]
      : [`Found ${where}:`, ...found];
  const at = directory === '.' ? '' : `cd ${asArgument(directory)} && `;
  const argument = asArgument(directory === '.' ? file : relative(directory, file));
  return [
    ...first,
    ...missingPrograms(findings, io),
    ...(undone.length === 0 ? [] : ['Not done:', ...undone.map((each) => `  ${cleanLine(each)}`)]),
    ...(findings.length === 0 ? [] : [sourcesLine(remote)]),
    `Wrote ${cleanLine(file)}. What comes next:`,
    `  ${at}${asCalled(`tutti run ${argument}`, io.command)}`,
  ];
}

const sourcesLine = (remote: Remote | null): string =>
  remote === null
    ? 'Found no git remote: on a server, say in the workflow where the sources come from.'
    : `On a server, each job checks out ${cleanLine(remote.url)}.`;

function missingPrograms(findings: readonly PlacedFinding[], { env }: Io): readonly string[] {
  const wanted = [...new Set(findings.flatMap(({ programs }) => programs))];
  const missing = wanted.filter((program) => !canBeCalled(program, env));
  if (missing.length === 0) return [];
  return [`Not installed on this machine, and needed: ${missing.join(', ')}.`];
}
