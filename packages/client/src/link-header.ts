/** `Link` headers (RFC 8288), as far as paging needs them. */

/**
 * The query of the page that the header calls `next`; null on the last page. Only the query is used. A server behind a proxy may not know
 * its own address, and the token must not go elsewhere.
 */
export function nextQuery(header: string | null): Readonly<Record<string, string>> | null {
  for (const match of (header ?? '').matchAll(/<([^>]*)>\s*;([^<]*)/g)) {
    const [, target = '', parameters = ''] = match;
    if (!/\brel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i.test(parameters)) continue;
    const mark = target.indexOf('?');
    const query = new URLSearchParams(mark === -1 ? '' : target.slice(mark));
    return Object.fromEntries(query);
  }
  return null;
}
