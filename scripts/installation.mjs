/** Makes sure that the installed packages are those of the lock file. Runs on older versions of Node too. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs what the lock file says, unless it is there already. Throws, with npm's own words, when that fails. */
export function ensureInstalled(root) {
  if (isInstalled(root)) return;
  console.log('Installing the packages of package-lock.json (npm ci). This happens once.');
  const started = Date.now();
  const result = npm(root, ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (result.status !== 0) {
    const output = `${result.stdout}${result.stderr}`.trim();
    throw new Error(
      `npm ci failed${result.error ? ` (${result.error.message})` : ''}.\n${output}\n` +
        'What to do: check that the registry can be reached, then run "npm ci" by hand.',
    );
  }
  console.log(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

/** The npm that runs us, if one does: there may be no other. */
function npm(root, args) {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const own = process.env.npm_execpath;
  return own?.endsWith('.js')
    ? spawnSync(process.execPath, [own, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}

/** npm leaves a lock file of what it installed; optional packages for other platforms are not in it. */
export function isInstalled(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (present === null) return false;
  return Object.entries(wanted ?? {}).every(([path, entry]) => {
    if (path === '') return true;
    const found = present[path];
    if (found === undefined) return entry.optional === true || entry.link === true;
    // The lock file knows the sums of the packages that its author could fetch; those for other platforms may have none there.
    const isSame = entry.integrity === undefined || found.integrity === entry.integrity;
    return found.version === entry.version && isSame;
  });
}

function readPackages(file) {
  if (!existsSync(file)) return null;
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
