/** The version of the server, as its package says. */
import { readFileSync } from 'node:fs';

const PACKAGE = new URL('../../package.json', import.meta.url);

export const SERVER_VERSION: string = JSON.parse(readFileSync(PACKAGE, 'utf8')).version;
