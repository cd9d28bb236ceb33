/** Texts for people: cleaned, and durations in words. */
export { cleanLine, cleanOutput, lastState } from './clean-text.ts';
export { formatAge, formatDuration, formatSeconds } from './durations.ts';
export { type LineGroup, lineGroups } from './line-groups.ts';
export { formatShare } from './shares.ts';
