/** Reads the configuration of the command line. It is loaded only if a file exists, because it loads the YAML parser. */
import { type Document, parseDocument } from 'yaml';
import { readNamedText } from '../terminal/named-file.ts';
import { UsageError } from '../terminal/problem.ts';
import {
  type ClientContext,
  CORRECT,
  type ConfigParts,
  configParts,
  contextNamed,
} from './client-context.ts';
import type { ConfigPlace } from './config-place.ts';

/** Throws `UsageError` if the file is no YAML, without its content, which may be a token. */
export function readConfigDocument(file: string): Document {
  const document = parseDocument(readNamedText(file));
  const [problem] = document.errors;
  if (problem === undefined) return document;
  const line = problem.linePos === undefined ? '' : ` (line ${problem.linePos[0].line})`;
  throw new UsageError(`The configuration ${file} is no valid YAML${line}.`, CORRECT);
}

/** The parts of the file; none without a file. */
export const readConfigParts = ({ file, isThere }: ConfigPlace): ConfigParts =>
  configParts(isThere ? readConfigDocument(file).toJS() : null, file);

/** The context of that name; by default the current one, if any. */
export function readContext(place: ConfigPlace, name: string | undefined): ClientContext | null {
  const parts = readConfigParts(place);
  const chosen = name ?? parts.current;
  return chosen === null ? null : contextNamed(parts, chosen);
}
