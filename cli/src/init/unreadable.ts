/** Files that name the tests of a project, and that cannot be read. */
import type { Folder } from './finding.ts';

const JSON_FILES = ['package.json', 'composer.json'];
const FILES = [
  ...JSON_FILES,
  ...['pyproject.toml', 'setup.cfg', 'tox.ini', 'pytest.ini', 'requirements.txt'],
  ...['Cargo.toml', 'pom.xml', 'build.gradle', 'build.gradle.kts', 'pnpm-workspace.yaml'],
];

/** A sentence for each. */
export function unreadableFiles({ entries, text }: Folder, path: string): readonly string[] {
  return FILES.flatMap((name) => {
    const what = entries.includes(`${name}/`) ? 'is a folder' : flawOf(name, entries, text);
    return what === null ? [] : [`${path === '' ? '' : `${path}/`}${name} ${what}.`];
  });
}

function flawOf(name: string, entries: Folder['entries'], text: Folder['text']): string | null {
  if (!entries.includes(name)) return null;
  const content = text(name);
  if (content === null) return 'cannot be read, or is larger than 1 MiB';
  // Bytes that are no UTF-8 become this sign.
  if (/[\0\uFFFD]/.test(content)) return 'is no text';
  return JSON_FILES.includes(name) ? flawOfJson(content) : null;
}

function flawOfJson(content: string): string | null {
  try {
    JSON.parse(content);
    return null;
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    if (position === undefined) return 'is no JSON';
    return `is no JSON (line ${content.slice(0, Number(position)).split('\n').length})`;
  }
}
