/** `tutti init`: writes a workflow for the tests that a folder has. */
import { statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { cleanLine } from '@tutti/run-view/text';
import { EDITOR_LINE, writeEditorSchema } from '../authoring/editor-schema.ts';
import { objectIn } from '../authoring/read-document.ts';
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
import { readSourceText } from '../terminal/workflow-source.ts';

export interface InitOptions {
  /** A path from the current directory, or `-` for standard output. */
  readonly output?: string | undefined;
  readonly force?: boolean;
  /** A workflow of another build server. */
  readonly from?: string | undefined;
}

const FILE = 'workflow.yaml';

/**
 * Writes a first workflow for the tests of a folder. Resolves with the exit code. Throws `UsageError` if the file exists or cannot be
 * written.
 */
export async function initWorkflow(
  directory: string,
  { output, force = false, from }: InitOptions,
  io: Io,
): Promise<number> {
  checkDirectory(directory);
  const file = output ?? join(directory, FILE);
  const folder = openFolder(resolve(directory));
  const remote = remoteOf(directory);
  const name = folder.name === '' ? 'tests' : folder.name;
  if (from !== undefined) {
    const [{ translatedText }, { withMarks }] = await Promise.all([
      import('../init/from/translate.ts'),
      import('../init/from/marked-text.ts'),
    ]);
    const noun = 'workflow to translate';
    const source = await objectIn(
      await withMarks(await readSourceText(from, noun, io)),
      from,
      noun,
    );
    const { text: plain, undone } = await translatedText(from, source, name, remote);
    const head = [`Translated ${cleanLine(from)}.`, ...undoneLines(undone)];
    return await finish(plain, head, { directory, file, remote, force }, io);
  }
  const [system = 'linux'] = defaultTags(process.platform);
  const { findings, undone } = findTests(
    folder,
    (path) => openFolder(resolve(directory, path)),
    system === 'windows',
  );
  const plain = workflowText({
    name,
    system,
    file: asArgument(file === '-' ? FILE : basename(file)),
    findings,
    remote,
  });
  const head = foundLines({ findings, undone }, { directory, file, remote }, io);
  return await finish(plain, head, { directory, file, remote, force }, io);
}

/** Writes the text, and says what was done. */
async function finish(
  plain: string,
  head: readonly string[],
  target: InitTarget & { readonly force: boolean },
  io: Io,
): Promise<number> {
  const { file, force } = target;
  if (file === '-') {
    io.screen.write(plain);
    return EXIT_CODES.done;
  }
  // Editors read it in the first lines alone.
  write(file, `${EDITOR_LINE}\n${plain}`, force);
  await schemaBeside(file);
  io.screen.write(`${[...head, ...nextLines(target, io)].join('\n')}\n`);
  return EXIT_CODES.done;
}

async function schemaBeside(file: string): Promise<void> {
  try {
    await writeEditorSchema(dirname(file));
  } catch (error) {
    throw new UsageError(
      `Cannot write the schema for editors beside ${file}: ${fileReason(error)}.`,
      'name another file with --output.',
    );
  }
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

interface InitTarget {
  readonly directory: string;
  readonly file: string;
  readonly remote: Remote | null;
}

function foundLines(
  { findings, undone }: FoundTests,
  { directory, file, remote }: InitTarget,
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
  return [
    ...first,
    ...missingPrograms(findings, io),
    ...undoneLines(undone),
    ...(findings.length === 0 ? [] : [sourcesLine(remote)]),
  ];
}

const undoneLines = (undone: readonly string[]): readonly string[] =>
  undone.length === 0 ? [] : ['Not done:', ...undone.map((each) => `  ${cleanLine(each)}`)];

function nextLines({ directory, file }: InitTarget, io: Io): readonly string[] {
  const at = directory === '.' ? '' : `cd ${asArgument(directory)} && `;
  const argument = asArgument(directory === '.' ? file : relative(directory, file));
  return [
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
