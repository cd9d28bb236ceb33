/** Names and passwords in the addresses of servers (section 17). */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { runCli } from '../e2e/cli-process.ts';
import { oneJob, sh } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const PASSWORD = 'hunter2-secret';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

const configOf = (server: string) =>
  `apiVersion: opentestfactory.org/v1alpha1\nkind: CtlConfig\ncurrent-context: c\ncontexts: [{name: c, context: {orchestrator: o, user: u}}]\norchestrators: [{name: o, orchestrator: {server: '${server}'}}]\nusers: [{name: u, user: {token: x}}]\n`;

attack('told-credentials', async () => {
  const cwd = bench.folder;
  await writeFile(join(cwd, 'w.json'), JSON.stringify(oneJob('secret', [sh('true')])));
  const host = new URL(server.url).host;
  const addresses = [
    `http://user:${PASSWORD}@${host}`,
    `http://${PASSWORD}@127.0.0.1:9`,
    `https://user:${PASSWORD}@${host}/prefix`,
    `ftp://user:${PASSWORD}@${host}`,
    `http://user:${PASSWORD}/x@${host}`,
    `user:${PASSWORD}@${host}`,
    `http://${host}/?token=${PASSWORD}`,
    `http://${host}/#${PASSWORD}`,
  ];
  const config = ['--client-config', join(cwd, 'config.yaml')];
  for (const address of addresses) {
    for (const words of [
      ['workflows', '--server', address, '--debug'],
      ['version', '--server', address, '--debug', '-o', 'json'],
      ['run', 'w.json', '--server', address, '--debug'],
      ['doctor', '--server', address, '--debug'],
      ['agent', '--server', address, '--tags', 'linux', '--debug'],
      ['workflows', `--sever=${address}`],
      ['config', 'set-orchestrator', 'o', '--server', address, ...config],
      ['config', 'generate', '--name', 'x', '--server', address, '--no-token'],
    ]) {
      const { code, stdout, stderr } = await runCli(words, { cwd });
      expect(code, words.join(' ')).not.toBe(0);
      expect(`${stdout}${stderr}`, words.join(' ')).not.toContain(PASSWORD);
    }
    const env = { TUTTI_SERVER: address, TUTTI_DEBUG: '1' };
    const { stdout, stderr } = await runCli(['workflows'], { cwd, env });
    expect(`${stdout}${stderr}`).not.toContain(PASSWORD);
  }
  // A configuration that somebody else wrote.
  for (const written of [`user:${PASSWORD}@127.0.0.1:9`, `127.0.0.1:9/?token=${PASSWORD}`]) {
    await writeFile(join(cwd, 'config.yaml'), configOf(`http://${written}`));
    for (const words of [
      ['config', 'view'],
      ['config', 'view', '-o', 'json'],
      ['config', 'get-contexts'],
      ['workflows', '--debug'],
    ]) {
      const { stdout, stderr } = await runCli([...words, ...config], { cwd });
      expect(`${stdout}${stderr}`, words.join(' ')).not.toContain(PASSWORD);
    }
  }
  for (const name of await readdir(cwd)) {
    if (name === 'config.yaml' || !/\.(?:json|yaml)$/.test(name)) continue;
    expect(await readFile(join(cwd, name), 'utf8')).not.toContain(PASSWORD);
  }
});
