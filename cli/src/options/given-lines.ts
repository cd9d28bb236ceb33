/** Variables and inputs of a run, as options give them: `name=value`, or a file with such lines (client facts 3.1). */
import { createReadStream } from 'node:fs';
import { fileReason } from '../terminal/file-problem.ts';
import { UsageError } from '../terminal/problem.ts';
import { readText, TextProblem } from '../terminal/workflow-source.ts';
import { addLine } from './option-values.ts';

export interface GivenLines {
  readonly pairs: Readonly<Record<string, string>>;
  /** In their order. */
  readonly files: readonly string[];
}

/** Limit in bytes. Larger texts are files for steps, not variables. */
const FILE_BYTES_MAX = 1024 * 1024;

const NOTHING: GivenLines = { pairs: {}, files: [] };

/** Adds an option value: without `=`, it is the name of a file. */
export function addGiven(option: string) {
  const add = addLine(option);
  return (text: string, { pairs, files }: GivenLines = NOTHING): GivenLines =>
    text.includes('=') ? { pairs: add(text, pairs), files } : { pairs, files: [...files, text] };
}

/** Variables by name. Pairs precede files, later files precede earlier ones. Throws `UsageError` for unreadable files. */
export async function linesOf(
  option: string,
  { pairs, files }: GivenLines = NOTHING,
): Promise<Readonly<Record<string, string>>> {
  const read = await Promise.all(files.map((file) => readLines(option, file)));
  return Object.fromEntries([...read, pairs].flatMap((values) => Object.entries(values)));
}

async function readLines(option: string, file: string): Promise<Readonly<Record<string, string>>> {
  const values = new Map<string, string>();
  for (const [index, line] of (await readFile(option, file)).split(/\r\n|\n|\r/).entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const split = text.indexOf('=');
    const name = text.slice(0, Math.max(0, split));
    // The line may contain a secret, so it is not shown.
    if (name === '' || /\s/.test(name))
      throw badLine(`Line ${index + 1} of ${file} is not name=value`);
    const value = text.slice(split + 1);
    if ((values.get(name) ?? value) !== value) {
      throw badLine(
        `Line ${index + 1} of ${file} gives "${name}" another value than a line before`,
      );
    }
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

const badLine = (what: string): UsageError =>
  new UsageError(
    `${what}.`,
    'write one name=value on each line, without blanks before the =; empty lines, and those that begin with #, do not count.',
  );

async function readFile(option: string, file: string): Promise<string> {
  try {
    return await readText(createReadStream(file), FILE_BYTES_MAX);
  } catch (error) {
    const why = error instanceof TextProblem ? error.message : fileReason(error);
    throw new UsageError(
      `${option} takes name=value, or a file with such lines, and "${file}" cannot be read: ${why}.`,
      `write the value behind a =, or check the path.`,
    );
  }
}
