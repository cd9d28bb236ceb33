/** Search parameters of addresses: texts, as they are in the address. */

export type SearchOf<Name extends string> = { readonly [Key in Name]?: string };

/** Keeps the named parameters of an address that are not empty, as texts. */
export function searchOf<const Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): SearchOf<Name> => {
    const entries = names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    });
    // Keys are the names, values are texts.
    return Object.fromEntries(entries) as SearchOf<Name>;
  };
}

/** Reads the search part of an address. */
export const parseSearch = (text: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text));

/** Writes the search part of an address, with its question mark. */
export function searchText(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
  // Colons and commas are allowed there, and easier to read.
  const shown = text.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return shown === '' ? '' : `?${shown}`;
}
