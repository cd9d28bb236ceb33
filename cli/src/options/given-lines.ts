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

/** In bytes. Larger texts are files that steps read, not variables of all of them. */
const FILE_BYTES_MAX = 1024 * 1024;

const NOTHING: GivenLines = { pairs: {}, files: [] };

/** Adds what an option says: what has no `=` is the name of a file. */
export function addGiven(option: string) {
  const add = addLine(option);
  return (text: string, { pairs, files }: GivenLines = NOTHING): GivenLines =>
    text.includes('=') ? { pairs: add(text, pairs), files } : { pairs, files: [...files, text] };
}

/** All of them by their names: pairs count more than files, later files more than those before. Throws `UsageError` for what cannot be read. */
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
    // What stands there may be a secret.
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
