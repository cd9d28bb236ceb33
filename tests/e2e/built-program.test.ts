/** The program that commands run from, as it is built of the sources (ADR 0014). */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
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

test('it has all that a run on this machine loads, in one script, and that its report loads', async () => {
  await run(process.execPath, [join(ROOT, 'scripts/build/build.ts')]);
  const directory = await openLocalDirectory();
  const { cwd } = directory;
  const file = await directory.workflow('greets', { hello: job(REPORTS) });
  const tutti = async (list: string, ...args: readonly string[]) => {
    const path = join(cwd, list);
    const report = ['--import', `${LISTS}?to=${path}`, join(ROOT, 'cli/bin/tutti.js')];
    const { stdout } = await run(process.execPath, [...report, ...args], { cwd });
    return { stdout, modules: filesIn(await readFile(path, 'utf8')) };
  };
  const ran = await tutti('run.list', 'run', '--local', file);
  expect(ran.stdout).toContain('1 of 1 test case passed');
  expect(ran.modules.map((path) => dirname(path))).toEqual(ran.modules.map(() => 'cli/bin'));
  expect(ran.modules).toContain('cli/bin/program.js');
  await writeFile(join(cwd, 'insights.yaml'), 'insights: [{name: page, kind: SummaryReport}]');
  const { modules } = await tutti('report.list', 'report', '--using', 'insights.yaml');
  expect(modules.filter((path) => !/^cli\/(dist|bin)\//.test(path))).toEqual([]);
  const [main = ''] = modules.filter((path) => basename(path) === 'main.js');
  expect(await readdir(dirname(join(ROOT, main)))).toEqual(
    expect.arrayContaining([
      'writer-worker.js',
      'pages-worker.js',
      'document-thread.js',
      'reading-thread.js',
      'lending-process.js',
    ]),
  );
});

const filesIn = (list: string): readonly string[] =>
  list
    .split('\n')
    .filter((url) => url.startsWith('file:'))
    .map((url) => relative(ROOT, fileURLToPath(url)));
