/** Lines that GitHub shows as errors and warnings of a build: `::error file=..,line=..::message`. */

type Properties = Readonly<Record<string, string>>;

/** An annotation of GitHub. `named` has no `file` when the text is about no place in a file. */
export const githubError = (named: Properties, text: string): string =>
  githubLine('error', named, text);

export function githubLine(severity: 'error' | 'warning', named: Properties, text: string): string {
  const list = Object.entries(named).map(([name, value]) => `${name}=${escapedProperty(value)}`);
  return `::${severity} ${list.join(',')}::${escapedText(text)}`;
}

const escapedText = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapedProperty = (text: string): string =>
  escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
