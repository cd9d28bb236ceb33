/** Whether a program can be called, without calling it. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Io } from '../terminal/io.ts';

/** Searches like a shell: in the folders of `PATH`, on Windows with the endings of `PATHEXT`. */
export function canBeCalled(program: string, env: Io['env']): boolean {
  const endings = process.platform === 'win32' ? (env.PATHEXT ?? '.EXE;.CMD').split(';') : [''];
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => endings.some((end) => isProgram(join(folder, program + end))));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
