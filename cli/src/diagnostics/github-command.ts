/** Lines that GitHub shows as errors of a build: `::error file=..,line=..::message`. */

/** Of what is said about nothing in a file, `named` has no `file`. */
export function githubError(named: Readonly<Record<string, string>>, text: string): string {
  const list = Object.entries(named).map(([name, value]) => `${name}=${escapedProperty(value)}`);
  return `::error ${list.join(',')}::${escapedText(text)}`;
}

const escapedText = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapedProperty = (text: string): string =>
  escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
