/** Scripts of GitHub Actions: the files and the variables that only GitHub has. */
import { unexpanded } from '../sources-variable.ts';
import type { Undone, Values } from './translation.ts';

const EXPRESSION = /\$\{\{.*?\}\}/gs;
/** A line that appends a text to a file of GitHub. */
const APPENDS =
  /^([ \t]*)echo +(["']?)(.*?)\2[ \t]*>>[ \t]*"?\$\{?GITHUB_(OUTPUT|ENV|PATH)\}?"?[ \t]*$/gm;
const ASSIGNMENT = /^([A-Za-z_][\w-]*)=(.*)$/s;
const SUMMARY = 'GITHUB_STEP_SUMMARY';

export interface ShellStep {
  readonly run: string;
  readonly variables: Values;
}

/** Names the variables that only GitHub sets. The workflow sets the `known` ones itself. */
export function translatedScript(
  { run, variables }: ShellStep,
  { shell, place, undone, known }: ScriptPlace,
): ShellStep {
  const isBash = shell === undefined || shell === 'bash';
  const script = isBash
    ? run.replace(APPENDS, (line, indent, quote, text, file) =>
        ownLine({ line, indent, quote, text, file }),
      )
    : run;
  const used = `${script}\n${JSON.stringify(variables)}`.replace(EXPRESSION, '');
  const names = namesIn(used, /\b(?:GITHUB|RUNNER)_[A-Z0-9_]+\b/g, known);
  const isSummarized = isBash && names.includes(SUMMARY);
  if (names.length > 0) undone.add(place, `uses ${names.join(', ')}, which only GitHub has.`);
  // The step does its other work.
  return {
    run: script,
    variables: isSummarized ? { ...variables, [SUMMARY]: '/dev/null' } : variables,
  };
}

interface ScriptPlace {
  readonly shell: unknown;
  readonly place: string;
  readonly undone: Undone;
  readonly known: readonly string[];
}

/** The names in a text that fit and that the workflow does not set, each once. */
export function namesIn(text: string, name: RegExp, known: readonly string[]): readonly string[] {
  const found = [...text.matchAll(name)].map(([each]) => each);
  return [...new Set(found)].filter((each) => !known.includes(each));
}

interface AppendingLine {
  readonly line: string;
  readonly indent: string;
  readonly quote: string;
  readonly text: string;
  /** The last part of the name of its variable. */
  readonly file: string;
}

function ownLine({ line, indent, quote, text, file }: AppendingLine): string {
  // Other commands may stand in such a line.
  if (/[;|&<>`]/.test(text.replace(/\$\([^()]*\)/g, ''))) return line;
  if (quote === '' && /["'\s]/.test(text)) return line;
  const mark = quote === '' ? '"' : quote;
  const exported = (name: string, word: string) =>
    `${indent}printf 'export ${name}=%q\\n' ${word} >> "$OPENTF_VARIABLES"`;
  if (file === 'PATH') return exported('PATH', `${mark}${text}${mark}":$PATH"`);
  const [, name, value] = ASSIGNMENT.exec(text) ?? [];
  if (name === undefined) return line;
  if (file === 'OUTPUT') return `${indent}echo ${mark}::set-output name=${name}::${value}${mark}`;
  return /-/.test(name) ? line : exported(name, `${mark}${value}${mark}`);
}

/** GitHub takes a folder as it is; here, the shell expands it. */
export function asFolder(folder: string): string {
  const pieces = folder.split(/(\$\{\{.*?\}\})/s);
  return pieces.map((piece, index) => (index % 2 === 0 ? unexpanded(piece) : piece)).join('');
}
