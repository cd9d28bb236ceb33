/** Reads documents in YAML or JSON that commands send unchanged. */
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { readSourceText } from '../terminal/workflow-source.ts';

/** `noun` names the document, as in "subscription". Throws `UsageError` if it cannot be read or is no object. */
export async function readObject(
  file: string,
  noun: string,
  io: Pick<Io, 'input'>,
): Promise<object> {
  return await objectIn(await readSourceText(file, noun, io), file, noun);
}

/** `file` is where the text is from. Throws `UsageError` if it is no object. */
export async function objectIn(text: string, file: string, noun: string): Promise<object> {
  const value = await documentOf(text, file, noun);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(
    `There is no ${noun} in ${sourceOf(file)}: it has no object.`,
    `write the ${noun} in YAML or JSON.`,
  );
}

const sourceOf = (file: string): string => (file === '-' ? 'standard input' : file);

async function documentOf(text: string, file: string, noun: string): Promise<unknown> {
  // Loaded only here.
  const [yaml, { readYaml }] = await Promise.all([
    import('yaml'),
    import('@tutti/manifests/documents'),
  ]);
  const reading = readYaml(yaml, text);
  if (reading.ok) return reading.document.value;
  const [first] = reading.problems;
  const place = first?.span == null ? '' : `, line ${first.span.line}`;
  throw new UsageError(
    `Cannot read the ${noun} from ${sourceOf(file)}${place}: ${first?.message ?? 'it is no YAML'}.`,
    'correct it; YAML and JSON are taken.',
  );
}
