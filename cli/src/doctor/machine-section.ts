/** The machine of this command: resources that servers and agents need. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, freemem, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { sizeText } from '@tutti/manifests';
import { fileReason } from '../terminal/file-problem.ts';
import { attention, ok, type Point, type Section, wrong } from './section.ts';

const MIB = 1024 * 1024;
/** Memory for a server, an agent and a small tool. */
const MEMORY_MIN = 512 * MIB;
/** Each connection is a file, and so is each waiting agent. */
const OPEN_FILES_MIN = 1_024;
const PROGRAM_TIMEOUT_MS = 5_000;

export function machineSection(): Section {
  return {
    name: 'Machine',
    points: [
      ok(`Node ${process.versions.node} on ${process.platform} (${process.arch})`),
      memoryPoint(),
      ...openFilesPoint(),
      temporaryPoint(),
      programPoint('git', ['--version'], 'steps that check out repositories fail here'),
      ...(process.platform === 'win32' ? [] : [shellPoint()]),
    ],
  };
}

function memoryPoint(): Point {
  const total = totalmem();
  const processors = availableParallelism();
  const what = `${processors} ${processors === 1 ? 'processor' : 'processors'}, ${sizeText(total)} of memory, ${sizeText(freemem())} of it free`;
  return total < MEMORY_MIN
    ? attention(what, `give it ${sizeText(MEMORY_MIN)} or more to run a server on it.`)
    : ok(what);
}

/** Known of Linux alone; Node raises the soft limit to the hard one when it starts. */
function openFilesPoint(): readonly Point[] {
  if (process.platform !== 'linux') return [];
  const [, text = ''] =
    /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  if (text === 'unlimited') return [ok('open files: no limit')];
  const what = `open files: ${text} at most`;
  return [
    Number(text) < OPEN_FILES_MIN
      ? attention(
          what,
          'raise it ("ulimit -n", LimitNOFILE of systemd): a server takes fewer connections.',
        )
      : ok(what),
  ];
}

function temporaryPoint(): Point {
  const folder = tmpdir();
  try {
    const probe = mkdtempSync(join(folder, 'tutti-doctor-'));
    try {
      writeFileSync(join(probe, 'file'), '');
    } finally {
      rmSync(probe, { recursive: true, force: true });
    }
    return ok(`${folder} can be written, for files of runs`);
  } catch (error) {
    return wrong(
      `Nothing can be written to ${folder}: ${fileReason(error)}.`,
      'make room there, or name another directory with TMPDIR.',
    );
  }
}

function programPoint(program: string, args: readonly string[], without: string): Point {
  const { status, stdout } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: PROGRAM_TIMEOUT_MS,
  });
  if (status === 0) return ok(stdout.split('\n', 1).join(''));
  return attention(
    `There is no ${program}: ${without}.`,
    `install ${program}, if runs of this machine need it.`,
  );
}

function shellPoint(): Point {
  const found = ['sh', 'bash'].filter(
    (shell) => spawnSync(shell, ['-c', ':'], { timeout: PROGRAM_TIMEOUT_MS }).status === 0,
  );
  if (found.length === 2) return ok('shells: sh, bash');
  if (found.includes('sh')) {
    return attention(
      'shells: sh, and no bash',
      'install bash, if steps of this machine name it as their shell.',
    );
  }
  return wrong('There is no shell: no step can run here.', 'install a shell that is called sh.');
}
