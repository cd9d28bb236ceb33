/**
 * Runs a workflow from the built script, and keeps the code that V8 made of it: `node scripts/build/keep-code.ts FOLDER`. Code made
 * before a run has no functions. They are compiled at the first call, which takes a fifth of the time of a short run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeIn, keepCode, readScript, runModule } from '../../cli/bin/program.js';
import { defaultTags } from '../../cli/src/options/local-options.ts';

const TUTTI = fileURLToPath(new URL('../../cli/bin/tutti.js', import.meta.url));
/** Several steps, so that their code is compiled, too. */
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
const { exported, script } = runModule(readScript(folder));
process.on('exit', (status) => {
  if (status === 0) keepCode(script, codeIn(folder));
  process.chdir(folder);
  rmSync(place, { recursive: true, force: true });
});
await exported.runProcess();
