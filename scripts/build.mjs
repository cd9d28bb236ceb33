/** Builds the program if its sources changed since the last build. Runs on older versions of Node too. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../cli/bin/program.js';
import { runShown } from './processes.mjs';

/** Never rejects: without a build the program runs from its sources, and starts later. */
export async function ensureBuilt(root, node) {
  const hasBuilder = existsSync(join(root, 'node_modules', 'rolldown'));
  if (!hasBuilder || builtProgram(join(root, 'cli', 'dist')) !== null) return;
  const code = await runShown(node, [join(root, 'scripts', 'build', 'build.ts')], { cwd: root });
  if (code !== 0) {
    console.error(
      'The program could not be built: commands run from its sources, and start later.',
    );
  }
}
