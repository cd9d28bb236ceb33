/** Builds the program and the page if their sources changed since the last build. Runs on older versions of Node too. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../cli/bin/program.js';
import { runShown } from './processes.mjs';

/** Never rejects: without a build the program runs from its sources, and starts later. */
export async function ensureBuilt(root, node) {
  const hasBuilder = existsSync(join(root, 'node_modules', 'rolldown'));
  if (hasBuilder && builtProgram(join(root, 'cli', 'dist')) === null) {
    const code = await runShown(node, [join(root, 'scripts', 'build', 'build.ts')], { cwd: root });
    if (code !== 0) {
      console.error(
        'The program could not be built: commands run from its sources, and start later.',
      );
    }
  }
  await ensurePage(root, node);
}

/** Builds the page alone. Never rejects. */
export async function ensurePage(root, node) {
  if (!existsSync(join(root, 'node_modules', 'vite')) || isPageBuilt(root)) return;
  const code = await runShown(node, [join(root, 'scripts', 'build', 'page.ts')], { cwd: root });
  if (code !== 0) console.error('The page could not be built: servers have none, or an older one.');
}

/** True if no source of the page is younger than the page. */
function isPageBuilt(root) {
  const page = statSync(join(root, 'server/dist/ui/index.html'), { throwIfNoEntry: false });
  if (page === undefined) return false;
  const sources = ['web', 'packages'].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return [...sources, join(root, 'package-lock.json')].every(
    (file) => statSync(file).mtimeMs <= page.mtimeMs,
  );
}
