/** Notes of a release: its part of the changelog. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/bundles.ts';

/** Throws for a version that the changelog does not have. Links into the repository become their texts. */
export function releaseNotes(version: string): string {
  const [, ...parts] = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  const part = parts.find((text) => text.split(/[\s,]/, 1)[0] === version);
  if (part === undefined) throw new Error(`CHANGELOG.md has nothing about ${version}.`);
  return `# Tutti ${part.trimEnd()}\n`.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1');
}
