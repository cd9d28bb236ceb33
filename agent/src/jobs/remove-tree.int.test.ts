import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openFolder } from '../testing/agent-fixture.ts';
import { removeTree } from './remove-tree.ts';

/** A directory with files and subdirectories, whose names all matter. */
function plant(at: string, directories: number): void {
  mkdirSync(at);
  for (let index = 0; index < directories; index += 1) {
    mkdirSync(`${at}/d${index}`);
    writeFileSync(`${at}/d${index}/file`, '');
  }
}

test('a tree goes, with links, whatever its names and modes are, and nothing beside it', async () => {
  const folder = await openFolder();
  plant(`${folder}/beside`, 2);
  plant(`${folder}/tree`, 3);
  symlinkSync('../beside', `${folder}/tree/link`);
  symlinkSync('nowhere', `${folder}/tree/d1/link`);
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/tree/`), Buffer.from([0xff, 0x0a])]), '');
  mkdirSync(`${folder}/tree/d2/closed`, { mode: 0o000 });
  await removeTree(folder, 'tree');
  expect(readdirSync(folder)).toEqual(['beside']);
  expect(readdirSync(`${folder}/beside`)).toEqual(['d0', 'd1']);
});

test('a file, a link to a directory, and a missing file are removed', async () => {
  const folder = await openFolder();
  plant(`${folder}/beside`, 1);
  symlinkSync('beside', `${folder}/link`);
  writeFileSync(`${folder}/file`, '');
  for (const name of ['link', 'file', 'missing']) await removeTree(folder, name);
  expect(readdirSync(folder)).toEqual(['beside']);
  expect(readdirSync(`${folder}/beside`)).toEqual(['d0']);
});

test('neither the depth of a tree nor the length of its paths matters', async () => {
  const folder = await openFolder();
  const name = 'n'.repeat(200);
  const dig = spawn(
    '/bin/sh',
    ['-c', 'mkdir tree; cd tree; for i in $(seq 100); do mkdir "$0"; cd -P "$0"; done', name],
    { cwd: folder },
  );
  await once(dig, 'exit');
  expect(existsSync(`${folder}/tree/${name}`)).toBe(true);
  await removeTree(folder, 'tree');
  expect(readdirSync(folder)).toEqual([]);
});

/** Each directory is a link to another place for a moment, again and again. */
const SWAP = `chdir $ARGV[0]; while (-d $ARGV[0]) {
  for my $i (0..99) {
    rename("d$i", "x$i") or next;
    symlink($ARGV[1], "d$i");
    unlink("d$i");
    rename("x$i", "d$i");
  }
}`;

test('links that take the place of directories meanwhile lead nowhere', async () => {
  const folder = await openFolder();
  plant(`${folder}/beside`, 5);
  for (let round = 0; round < 10; round += 1) {
    plant(`${folder}/tree`, 100);
    const swapper = spawn('perl', ['-e', SWAP, `${folder}/tree`, `${folder}/beside`]);
    const gone = once(swapper, 'exit');
    await once(swapper, 'spawn');
    await removeTree(folder, 'tree');
    swapper.kill('SIGKILL');
    await gone;
  }
  expect(readdirSync(`${folder}/beside`)).toEqual(['d0', 'd1', 'd2', 'd3', 'd4']);
});
