/** Files of the program that are no code: beside its sources, or inside the single executable that runs. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** Folder that files of an executable seem to be in, as the places of modules show it; `cli/bin/executable.js` sets it. */
const EXECUTABLE = '/tutti-executable/';
/** Asset with the names of all others, as an array in JSON. */
const NAMES = 'names.json';

/** Reads a file of the program. Rejects with an error of the file system for a missing one. */
export async function readOwnFile(file: URL): Promise<Buffer> {
  return isSea() ? Buffer.from(getRawAsset(nameOf(file))) : await readFile(file);
}

/** Paths of the files below a folder, in order and with `/`; none for a missing folder. `folder` ends with `/`. */
export function listOwnFiles(folder: URL): readonly string[] {
  return (isSea() ? namesBelow(nameOf(folder)) : filesBelow(fileURLToPath(folder))).sort();
}

function nameOf(file: URL): string {
  const [, name = ''] = decodeURIComponent(file.pathname).split(EXECUTABLE);
  return name;
}

function namesBelow(folder: string): string[] {
  const names: readonly string[] = JSON.parse(getAsset(NAMES, 'utf8'));
  return names.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length));
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch {
    return [];
  }
}
