/** Clients of all ages. */
import type { Subject } from '../subjects.ts';

/** The first one: some commands, and options that are read where they stand. */
export const FIRST: Subject = { program: 'opentf-tools', version: '0.20.1' };
/** Manages its configuration, knows quality gates, and reads one page after the other. */
export const MIDDLE: Subject = { program: 'opentf-tools', version: '0.34.1' };
export const LAST: Subject = { program: 'opentf-tools', version: '0.56.0' };
export const NIGHTLY: Subject = { program: 'opentf-tools-nightly', version: '0.57.0.dev1020' };

export const CLIENTS = [FIRST, MIDDLE, LAST, NIGHTLY];
/** Clients that lack the features of newer ones. */
export const OLD = [FIRST, MIDDLE];
