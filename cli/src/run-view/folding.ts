/** The folding marks of build servers, and escapes for output that looks like such marks. */
import type { FoldingMarks } from './progress-kinds.ts';

/** Texts to write; all but empty ones end a line. Times are epoch milliseconds. */
export interface Folding {
  open(title: string, atMs: number): string;
  close(atMs: number): string;
  /** A line of a step, between `open` and `close`. */
  inside(line: string): string;
  /** A line of ours, which may contain names of others. */
  outside(line: string): string;
  /** Lines outside of groups, escaped. */
  guarded(lines: readonly string[]): string;
  /** Marks an error for the page of the build; empty if the build server has no such mark. */
  error(title: string, message: string): string;
}

/** `token` is random, so that no step can guess it. */
export function createFolding(marks: FoldingMarks, token: string): Folding {
  switch (marks) {
    case 'github':
      return createGithubFolding(token);
    case 'gitlab':
      return createGitlabFolding();
    case 'azure':
      return azureFolding;
  }
}

const line = (text: string): string => `${text}\n`;
const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');

/** Some marks take effect anywhere in a line. */
export const withoutMarks = (text: string): string => text.replace(/##(?=\[|vso\[)/gi, '## ');

const escaped = (text: string, escapes: Readonly<Record<string, string>>): string =>
  text.replace(/[%\r\n:,;\]]/g, (character) => escapes[character] ?? character);

const GITHUB_DATA = { '%': '%25', '\r': '%0D', '\n': '%0A' } as const;
const GITHUB_PROPERTY = { ...GITHUB_DATA, ':': '%3A', ',': '%2C' } as const;

/** A prefix is chosen by the user, and may be the name of a job. */
const COMMAND = /^(\s*)::/;

/** Until the token appears again, commands in the output are plain text. */
function createGithubFolding(token: string): Folding {
  const stop = line(`::stop-commands::${token}`);
  const resume = line(`::${token}::`);
  return {
    open: (title) => line(`::group::${escaped(withoutMarks(title), GITHUB_DATA)}`) + stop,
    close: () => resume + line('::endgroup::'),
    inside: line,
    outside: (text) => line(withoutMarks(text).replace(COMMAND, '$1: :')),
    guarded: (lines) => stop + lines.map(line).join('') + resume,
    error: (title, message) =>
      line(
        `::error title=${escaped(withoutMarks(title), GITHUB_PROPERTY)}::${escaped(withoutMarks(message), GITHUB_DATA)}`,
      ),
  };
}

/** Its marks contain characters that `cleanOutput` removes from all lines. */
function createGitlabFolding(): Folding {
  const erase = '\u001b[0K';
  const seconds = (atMs: number) => Math.floor(atMs / 1000);
  let sections = 0;
  return {
    open(title, atMs) {
      sections += 1;
      const name = `tutti_${sections}[collapsed=true]`;
      return line(`${erase}section_start:${seconds(atMs)}:${name}\r${erase}${oneLine(title)}`);
    },
    close: (atMs) => line(`${erase}section_end:${seconds(atMs)}:tutti_${sections}\r${erase}`),
    inside: line,
    outside: line,
    guarded: (lines) => lines.map(line).join(''),
    error: () => '',
  };
}

const AZURE_DATA = { '%': '%AZP25', '\r': '%0D', '\n': '%0A' } as const;

const azureFolding: Folding = {
  open: (title) => line(`##[group]${withoutMarks(oneLine(title))}`),
  close: () => line('##[endgroup]'),
  inside: (text) => line(withoutMarks(text)),
  outside: (text) => line(withoutMarks(text)),
  guarded: (lines) => lines.map((each) => line(withoutMarks(each))).join(''),
  error: (title, message) =>
    line(
      `##vso[task.logissue type=error]${escaped(withoutMarks(`${title}: ${message}`), AZURE_DATA)}`,
    ),
};
