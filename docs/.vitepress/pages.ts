/** Which files of the repository are pages, where the site has them, and in which order it lists them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme, MarkdownRenderer } from 'vitepress';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Pages that stand where people who read the sources look for them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md': 'explain/architecture.md',
  'GLOSSARY.md': 'explain/glossary.md',
  'CONTRIBUTING.md': 'explain/contributing.md',
  'CHANGELOG.md': 'explain/changelog.md',
  'bench/README.md': 'explain/performance.md',
  'examples/technologies/README.md': 'guides/example.md',
  'README.md': 'index.md',
};

/** In the order of the site. A folder is a group of all its pages. */
export const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Start: [
    'docs/start/install.md',
    'docs/start/first-run.md',
    'docs/start/first-agent.md',
    'docs/start/first-red-test.md',
  ],
  Guides: [
    'docs/guides/init.md',
    'docs/guides/workflows.md',
    'docs/guides/local.md',
    'docs/guides/watching.md',
    'docs/guides/page.md',
    'docs/guides/results.md',
    'docs/guides/flaky-tests.md',
    'docs/guides/gates.md',
    'docs/guides/reports.md',
    'docs/guides/rerun.md',
    'docs/guides/agents.md',
    'docs/guides/build-servers.md',
    'docs/guides/pipelines.md',
    'docs/guides/functions.md',
    'docs/guides/inception.md',
    'examples/technologies/README.md',
    'docs/guides/plugins.md',
    'docs/guides/migration.md',
    'docs/guides/differences.md',
  ],
  Operate: [
    'docs/operate/deploy.md',
    'docs/operate/configure.md',
    'docs/operate/access.md',
    'docs/operate/reverse-proxy.md',
    'docs/operate/browser-sessions.md',
    'docs/operate/backup.md',
    'docs/operate/bucket.md',
    'docs/operate/postgresql.md',
    'docs/operate/replicas.md',
    'docs/operate/monitor.md',
    'docs/operate/upgrade.md',
    'docs/operate/scale.md',
    'docs/operate/doctor.md',
    'docs/operate/security.md',
  ],
  Reference: [
    'docs/reference/language.md',
    'docs/reference/workflow-commands.md',
    'docs/reference/what-happens-when.md',
    'docs/reference/tools',
    'docs/reference/actions.md',
    'docs/reference/commands',
    'docs/reference/command-line.md',
    'docs/reference/client-configuration.md',
    'docs/reference/http.md',
    'docs/reference/agent-protocol.md',
    'docs/reference/settings.md',
    'docs/reference/limits.md',
    'docs/reference/compatibility.md',
  ],
  Explain: [
    'ARCHITECTURE.md',
    'GLOSSARY.md',
    'bench/README.md',
    'docs/explain/compare.md',
    'docs/explain/durability.md',
    'docs/explain/decisions',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
  ],
};

/** The place of a file of the repository within the site. */
export const pageOf = (path: string): string =>
  ELSEWHERE[path] ?? path.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');

export const sidebar = (): DefaultTheme.SidebarItem[] =>
  Object.entries(SECTIONS).map(([text, paths]) => ({ text, items: paths.map(itemOf) }));

function itemOf(path: string): DefaultTheme.SidebarItem {
  if (path.endsWith('.md')) return { text: titleOf(path), link: `/${pageOf(path)}` };
  const pages = readdirSync(join(ROOT, path)).filter((name) => name !== 'README.md');
  return {
    ...itemOf(`${path}/README.md`),
    collapsed: true,
    items: pages.map((name) => itemOf(`${path}/${name}`)),
  };
}

/** The first heading of a page, as plain text. */
export function titleOf(path: string): string {
  const [, title = path] = /^# (.*)$/m.exec(readFileSync(join(ROOT, path), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

const linked = new Set<string>();

/** The files that pages link to, by their paths in the repository: known once all pages are made. */
export const linkedFiles = (): readonly string[] => [...linked];

/** Links are written for the repository. Here they lead to pages, and to files of docs/; others become plain text. */
export function linksOfRepository(md: MarkdownRenderer): void {
  md.core.ruler.push('links-of-repository', ({ tokens, env }) => {
    const from = dirname((env.realPath ?? env.path).slice(ROOT.length));
    let isPlain = false;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open') {
        const href = linkOf(token.attrGet('href') ?? '', from);
        isPlain = href === null;
        if (href !== null) token.attrSet('href', href);
      }
      if (isPlain && /^link_/.test(token.type)) {
        isPlain = token.type === 'link_open';
        token.type = 'text';
      }
    }
  });
}

/** Pages are templates of Vue, where two braces begin an expression. Here they are those of the workflow language. */
export function plainBraces(md: MarkdownRenderer): void {
  for (const kind of ['text', 'code_inline'] as const) {
    const render = md.renderer.rules[kind];
    md.renderer.rules[kind] = (...all) => (render?.(...all) ?? '').replaceAll('{{', '&#123;&#123;');
  }
}

/** Null where the site has nothing of the kind. */
function linkOf(href: string, from: string): string | null {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const path = posix.join(from, target).replace(/\/$/, '');
  const place = join(ROOT, path);
  // The build names what leads nowhere.
  if (!existsSync(place)) return href;
  const at = anchor === undefined ? '' : `#${anchor}`;
  if (path in ELSEWHERE || /^docs\/.*\.md$/.test(path)) return `/${pageOf(path)}${at}`;
  if (!path.startsWith('docs/')) return null;
  if (statSync(place).isDirectory()) return `/${pageOf(`${path}/README.md`)}`;
  linked.add(path);
  return `/${pageOf(path)}`;
}
