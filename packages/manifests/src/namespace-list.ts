/** Namespaces as agents and channel handlers write them: `*`, a name, or names with commas between them (specification 2.2, 2.3). */

/** The names alone, each once: users type blanks after commas; listings and selectors know none. Empty when there is no name. */
export function plainNamespaces(namespaces: string): string {
  const names = new Set(namespaces.split(',').map((name) => name.trim()));
  names.delete('');
  return names.has('*') ? '*' : [...names].join(',');
}
