/** The documentation as a site: `npm run docs` builds it, and the server has it under `/docs/`. Nothing is loaded from other hosts. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitepress';
import { linkedFiles, linksOfRepository, pageOf, plainBraces, ROOT, sidebar } from './pages.ts';
import { withoutInlineScripts } from './scripts.ts';

const OUT = join(ROOT, 'server/dist/docs');

export default defineConfig({
  title: 'Tutti',
  description: 'Runs your tests on your machines, and keeps every result.',
  base: '/docs/',
  // Pages outside of docs/ are part of the site as well.
  srcDir: '..',
  srcExclude: [
    'README.md',
    'examples/quickstart/**',
    '{agent,cli,packages,scripts,server,tests}/**',
    '**/.*/**',
  ],
  outDir: OUT,
  cacheDir: join(ROOT, 'node_modules/.cache/vitepress'),
  rewrites: pageOf,
  metaChunk: true,
  // Pages join the index of the search in one order, so that each build has the same bytes.
  buildConcurrency: 1,
  // The index of the search is one file, which is loaded with the first search.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // Else a script would add a style, which the policy of the server forbids.
  appearance: { disableTransition: false },
  // Pages are near: fetching them before they are asked for helps nobody.
  router: { prefetchLinks: false },
  markdown: {
    config: (md) => {
      linksOfRepository(md);
      plainBraces(md);
    },
  },
  themeConfig: {
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  },
  transformHtml: (html) =>
    withoutInlineScripts(html, (name, script) => {
      mkdirSync(join(OUT, 'assets'), { recursive: true });
      writeFileSync(join(OUT, 'assets', name), script);
      return `/docs/assets/${name}`;
    }),
  buildEnd: () => {
    for (const path of linkedFiles()) {
      const to = join(OUT, path.replace(/^docs\//, ''));
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(ROOT, path), to);
    }
  },
});
