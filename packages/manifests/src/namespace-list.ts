/** Namespaces as agents and channel handlers write them: `*`, a name, or names with commas between them (specification 2.2, 2.3). */
import { NAMESPACE_NAME } from './workflow-manifest.ts';

const NAMESPACE = new RegExp(NAMESPACE_NAME);

/** The first text that is no name of a namespace; null when all are. `*` is valid only alone. */
export function wrongNamespace(names: readonly string[]): string | null {
  if (names.length === 1 && names[0] === '*') return null;
  return names.find((name) => !NAMESPACE.test(name)) ?? null;
}

/** Namespaces without blanks, each once: users type blanks after commas; listings and selectors have none. Empty without a name. */
export function plainNamespaces(namespaces: string): string {
  const names = new Set(namespaces.split(',').map((name) => name.trim()));
  names.delete('');
  return names.has('*') ? '*' : [...names].join(',');
}
