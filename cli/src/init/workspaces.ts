/** Packages that a workspace of npm, Yarn or pnpm installs with its root. */
import type { Folder } from './finding.ts';

/** The patterns of members, from the content of package.json and from pnpm-workspace.yaml; null for a folder that is no workspace. */
export function memberPatterns(
  { entries, text }: Folder,
  workspaces: unknown,
): readonly string[] | null {
  if (entries.includes('pnpm-workspace.yaml')) {
    const lines = (text('pnpm-workspace.yaml') ?? '').matchAll(/^\s*-\s+(["']?)([^"'#\s]+)\1/gm);
    return [...lines].map(([, , pattern = '']) => pattern);
  }
  if (workspaces === undefined) return null;
  const packages = Array.isArray(workspaces) ? workspaces : Object(workspaces).packages;
  return Array.isArray(packages) ? packages.map(String) : [];
}

/** `path` is relative to the root of the workspace. */
export function isMemberOf(patterns: readonly string[], path: string): boolean {
  const isMatched = (pattern: string) => matches(pattern, path);
  const excluded = patterns.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
  const included = patterns.filter((each) => !each.startsWith('!'));
  return included.some(isMatched) && !excluded.some(isMatched);
}

function matches(pattern: string, path: string): boolean {
  const names = path.split('/');
  // Numbers of names that the pattern may have taken so far.
  let taken = new Set([0]);
  for (const part of pattern.replace(/^\.\/|\/$/g, '').split('/')) {
    const reached = new Set<number>();
    for (const count of taken) {
      if (part === '**') for (let end = count; end <= names.length; end += 1) reached.add(end);
      else if (fits(names[count], part)) reached.add(count + 1);
    }
    taken = reached;
  }
  return taken.has(names.length);
}

/** Signs other than `*` are rare: what they stand for counts as a member. */
function fits(name: string | undefined, pattern: string): boolean {
  if (name === undefined) return false;
  if (/[?[{]/.test(pattern)) return true;
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}
