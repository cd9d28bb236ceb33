/** npm calls this script when it has installed the packages of a clone. It never fails an installation. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedNode, isNodeNewEnough } from '../cli/bin/installed-node.js';
import { ensureBuilt } from './build.mjs';

const node = installedNode() ?? (isNodeNewEnough() ? process.execPath : null);
if (node !== null) await ensureBuilt(dirname(dirname(fileURLToPath(import.meta.url))), node);
