/** Patterns are mostly written out in expressions that are evaluated again and again. */
import { BoundedCache } from '../bounded-cache.ts';
import { CACHE_SIZE_MAX } from '../limits.ts';
import { compilePattern, type PatternProgram } from './compile-pattern.ts';

const cache = new BoundedCache<PatternProgram>(CACHE_SIZE_MAX);

/** Compiles a pattern; the last results are cached. */
export function compilePatternCached(pattern: string): PatternProgram {
  return cache.get(pattern, compilePattern);
}
