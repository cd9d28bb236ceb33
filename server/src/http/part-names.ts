/** Names of parts in multipart forms: what arrives under the many ways in which clients write them, all of which are in use. */

/** What the reader of parts takes into a name whose last backslash was not meant to escape the quote after it. */
const OVERRUN = '"; filename=';

/** True for a name that ran on into the file name, which is lost with that: the part is a file. */
export const hasOverrun = (name: string): boolean => name.endsWith(OVERRUN);

/** The reader of parts refuses these without a way around it: it keeps all parts as entries of an object. */
export const isUnreadableName = (name: string): boolean => name in Object.prototype;

/**
 * The names under which the part `name` may arrive, each once. First its own: of clients that escape as the reader undoes it.
 * Then those of clients that write quotes and ends of lines in percent encoding (browsers make CR LF of all ends of lines), and
 * leave backslashes as they are, of which the reader drops some.
 */
export function receivedNames(name: string): readonly string[] {
  const encoded = percentEncoded(name);
  const ofBrowser = percentEncoded(name.replace(/\r\n?|\n/g, '\r\n'));
  return [...new Set([name, asRead(encoded), asRead(ofBrowser)])];
}

/**
 * The part of each name, of `parts` by the names under which they arrived. A name has the part that arrived under it before any
 * other may take that part, and no part is that of two names. Names without a part are left out.
 */
export function partsOfNames<Part>(
  names: Iterable<string>,
  parts: ReadonlyMap<string, Part>,
): ReadonlyMap<string, Part> {
  const left = new Map(parts);
  const found = new Map<string, Part>();
  const asked = [...new Set(names)].map((name) => ({ name, received: receivedNames(name) }));
  const formsMax = Math.max(0, ...asked.map(({ received }) => received.length));
  for (let rank = 0; rank < formsMax; rank++) {
    for (const { name, received } of asked) {
      const form = received[rank];
      const part = form === undefined ? undefined : left.get(form);
      if (form === undefined || part === undefined || found.has(name)) continue;
      found.set(name, part);
      left.delete(form);
    }
  }
  return found;
}

const percentEncoded = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** A name without quotes, as the reader takes it if it was written as it is: it drops a backslash before another one. */
function asRead(written: string): string {
  const read = written.replaceAll('\\\\', '\\');
  const [backslashes = ''] = /\\*$/.exec(written) ?? [];
  return backslashes.length % 2 === 0 ? read : `${read.slice(0, -1)}${OVERRUN}`;
}
