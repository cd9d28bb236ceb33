/** `tutti ui`: the page of a server, and that of local runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askAs, detailsIn, pageHeaders, signIn } from '../support/browser-session.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';

/** The address that was printed: its server, its path, and the code behind it. */
function readAddress(text: string) {
  const { origin, pathname, search, hash } = new URL(text);
  return { origin, path: `${pathname}${search}`, code: hash.replace('#code=', '') };
}

interface Session {
  readonly cookie: string;
  readonly subject: unknown;
  readonly rights: Readonly<Record<string, object>>;
}

/** Signs in as a browser does, and asks who is signed in. */
async function sessionOf(origin: string, code: string): Promise<Session> {
  const cookie = await signIn(origin, { 'tutti-code': code });
  const answer = await askAs('GET', `${origin}/ui/session`, { ...pageHeaders(origin), cookie });
  const { subject, rights } = detailsIn(answer);
  return { cookie, subject, rights: Object(rights) };
}

test('the address of a server signs in once, and leads to a run', async () => {
  const bench = await Workbench.open();
  onTestFinished(() => bench.close());
  const server = await bench.server();
  const id = await start(server, oneJob('waits', [sh('true')]));
  const { stdout } = await runCli(
    ['ui', id.slice(0, 23), '--no-browser', '--data-dir', server.dataDir],
    { cwd: bench.folder },
  );
  const { origin, path, code } = readAddress(stdout.trim());
  expect([origin, path]).toEqual([server.url, `/ui/login?to=/runs/${id}`]);
  expect(await sessionOf(origin, code)).toMatchObject({ subject: 'admin' });
  await expect(sessionOf(origin, code)).rejects.toThrow('The code does not count.');
});

test('where nobody has to sign in, the address has no code', async () => {
  const bench = await Workbench.open();
  onTestFinished(() => bench.close());
  const server = await bench.server({ config: { auth: { insecureLogin: true } } });
  const { stdout } = await runCli(['ui', '--no-browser', '--server', server.url], {
    cwd: bench.folder,
  });
  expect(stdout).toBe(`${server.url}/ui/\n`);
});

test('the page of local runs only reads, and others run more meanwhile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-ui-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'w.json'), JSON.stringify(oneJob('local', [sh('true')])));
  const options = { cwd: folder };
  const run = () => runCli(['run', '--local', 'w.json', '--tags', 'linux'], options);
  expect(await run()).toMatchObject({ code: 0 });
  const page = startCli(['ui', '--no-browser'], options);
  onTestFinished(() => page.kill('SIGKILL'));
  const [address = ''] = await page.said(/http\S+/);
  const { origin, code } = readAddress(address);
  const { cookie, subject, rights } = await sessionOf(origin, code);
  expect([subject, Object.keys(rights.workflows ?? {})]).toEqual(['reader', ['list', 'get']]);
  const headers = { ...pageHeaders(origin), cookie };
  const refused = await askAs('POST', `${origin}/workflows`, headers);
  expect(refused.code).toBe(403);
  expect(await run()).toMatchObject({ code: 0 });
  expect(detailsIn(await askAs('GET', `${origin}/runs`, headers)).total).toBe(2);
  page.kill('SIGINT');
  expect(await page.ended).toBe(0);
});
