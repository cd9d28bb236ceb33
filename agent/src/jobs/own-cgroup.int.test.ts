/** Agents that start beside each other, in one cgroup. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { currentCgroup } from './own-cgroup.ts';

const MODULE = path.join(import.meta.dirname, 'own-cgroup.ts');

/** A process enters a cgroup of its own, leaves it, and ends. False if the system has none for it. */
function entersAndLeaves(): boolean {
  const script = `import { enterOwnCgroup } from ${JSON.stringify(MODULE)};
const own = enterOwnCgroup(); own?.leave(); process.exit(own === null ? 3 : 0);`;
  const args = ['--input-type=module', '--eval', script];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0;
}

const isPossible = entersAndLeaves();

test.runIf(isPossible)(
  'an agent that is about to enter its cgroup is left alone, until it has ended',
  async () => {
    const other = spawn('sleep', ['600']);
    const ended = once(other, 'exit');
    onTestFinished(() => void other.kill());
    const cgroup = path.join(currentCgroup() ?? '', `tutti-agent-${other.pid}-0`);
    mkdirSync(cgroup);
    onTestFinished(() => {
      if (existsSync(cgroup)) rmdirSync(cgroup);
    });
    expect(entersAndLeaves()).toBe(true);
    expect(existsSync(cgroup)).toBe(true);
    other.kill();
    await ended;
    expect(entersAndLeaves()).toBe(true);
    expect(existsSync(cgroup)).toBe(false);
  },
);
