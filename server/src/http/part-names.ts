/** Names of parts in multipart forms: clients write them in many ways, all of which are in use. */

/** The reader of parts takes this into a name whose last backslash was no escape. */
const OVERRUN = '"; filename=';

/** True for a name that ran on into the file name. The file name is lost, and the part is a file. */
export const hasOverrun = (name: string): boolean => name.endsWith(OVERRUN);

/** The reader of parts refuses these without a way around it: it keeps all parts as entries of an object. */
export const isUnreadableName = (name: string): boolean => name in Object.prototype;

/**
 * The names under which the part `name` may arrive, each once. The first is its own name: of clients that escape as the reader
 * unescapes. The others come from clients that percent-encode quotes and line ends (browsers turn all line ends into CR LF). They
 * leave backslashes, and the reader drops some.
 */
export function receivedNames(name: string): readonly string[] {
  const encoded = percentEncoded(name);
  const ofBrowser = percentEncoded(name.replace(/\r\n?|\n/g, '\r\n'));
  return [...new Set([name, asRead(encoded), asRead(ofBrowser)])];
}

/**
 * The part of each name, from `parts` by received names. A part goes first to the name that it arrived under, and to one name
 * only. Names without a part are left out.
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

/** A name without quotes that was sent unescaped, as the reader returns it: it drops a backslash before another one. */
function asRead(written: string): string {
  const read = written.replaceAll('\\\\', '\\');
  const [backslashes = ''] = /\\*$/.exec(written) ?? [];
  return backslashes.length % 2 === 0 ? read : `${read.slice(0, -1)}${OVERRUN}`;
}
