/** The program that commands run from, as it is built of the sources (ADR 0014). */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { job, openLocalDirectory } from './local-directory.ts';

const ROOT = join(import.meta.dirname, '../..');
const LISTS = new URL('../support/list-modules.js', import.meta.url).href;
const REPORTS = `cat > report.xml <<END
<testsuite name="a"><testcase name="b"/></testsuite>
END
echo "::attach type=application/vnd.opentestfactory.junit-surefire+xml::$PWD/report.xml"`;
const run = promisify(execFile);

test('it has all that a run on this machine loads, its threads and its report, too', async () => {
  await run(process.execPath, [join(ROOT, 'scripts/build/build.ts')]);
  const directory = await openLocalDirectory();
  const { cwd } = directory;
  const file = await directory.workflow('greets', { hello: job(REPORTS) });
  const list = join(cwd, 'modules');
  const tutti = (...args: readonly string[]) =>
    run(
      process.execPath,
      ['--import', `${LISTS}?to=${list}`, join(ROOT, 'cli/bin/tutti.js'), ...args],
      { cwd },
    );
  expect((await tutti('run', '--local', file)).stdout).toContain('1 of 1 test case passed');
  await writeFile(join(cwd, 'insights.yaml'), 'insights: [{name: page, kind: SummaryReport}]');
  await tutti('report', '--using', 'insights.yaml');
  const modules = (await readFile(list, 'utf8'))
    .split('\n')
    .filter((url) => url.startsWith('file:'))
    .map((url) => relative(ROOT, fileURLToPath(url)));
  expect(modules.filter((path) => !/^cli\/(dist|bin)\//.test(path))).toEqual([]);
  const names = modules.map((path) => basename(path));
  expect(names).toEqual(expect.arrayContaining(['tutti.js', 'main.js', 'writer-worker.js']));
});
