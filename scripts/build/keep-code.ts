/**
 * Runs a workflow from the script that was built, and keeps the code that V8 made of it: `node scripts/build/keep-code.ts FOLDER`. Code that is made
 * before anything ran has no functions, which are compiled when they are called first: a fifth of the time of a short run.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeIn, runScript } from '../../cli/bin/program.js';
import { defaultTags } from '../../cli/src/options/local-options.ts';

const TUTTI = fileURLToPath(new URL('../../cli/bin/tutti.js', import.meta.url));
/** Several steps, so that there is all that these need. */
const WORKFLOW = {
  apiVersion: 'opentestfactory.org/v1',
  kind: 'Workflow',
  metadata: { name: 'first' },
  jobs: {
    first: {
      'runs-on': defaultTags(process.platform),
      steps: Array.from({ length: 3 }, () => ({ run: 'echo' })),
    },
  },
};

const [, , folder = ''] = process.argv;
const place = mkdtempSync(join(tmpdir(), 'tutti-first-'));
const workflow = join(place, 'workflow.json');
writeFileSync(workflow, JSON.stringify(WORKFLOW));
for (const name of Object.keys(process.env)) {
  if (/^(TUTTI|OPENTF)_|^(CI|GITHUB_ACTIONS|GITLAB_CI|TF_BUILD)$/.test(name))
    delete process.env[name];
}
process.chdir(place);
process.argv = [process.execPath, TUTTI, 'run', '--local', workflow, '--data-dir', 'data'];
const { exported, script } = runScript(folder);
process.on('exit', (status) => {
  if (status === 0) keep(script.createCachedData());
  process.chdir(folder);
  rmSync(place, { recursive: true, force: true });
});
await exported.runProcess();

/** At once, so that nobody reads half of it: V8 takes what has the right length. */
function keep(code: Buffer): void {
  const passing = `${codeIn(folder)}.${process.pid}`;
  writeFileSync(passing, code, { flush: true });
  renameSync(passing, codeIn(folder));
}
