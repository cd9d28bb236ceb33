/** Runs on this machine that begin in one directory at the same moment. The first process carries them all out. */
import { expect, test } from 'vitest';
import { job, openLocalDirectory } from './local-directory.ts';

test('runs that begin at the same moment all come to their ends', async () => {
  const directory = await openLocalDirectory();
  const names = ['one', 'two', 'three', 'four', 'five'];
  const files = await Promise.all(
    names.map((name) => directory.workflow(name, { a: job(`echo it is ${name}`) })),
  );
  const runs = await Promise.all(files.map((file) => directory.run('run', '--local', file)));
  for (const [index, name] of names.entries()) {
    expect(runs[index]).toMatchObject({ code: 0 });
    expect(runs[index]?.stdout).toContain(`│ it is ${name}`);
  }
});
