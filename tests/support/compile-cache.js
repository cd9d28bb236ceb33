/** Loaded before a process of ours: it finds what those before it compiled, as with the command line. Plain JavaScript, which needs no compiler. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/tutti-tests'));
