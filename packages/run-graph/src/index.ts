/** The graph of the jobs of a run: which boxes it has, where they are, and what hangs together. */
export { criticalPath, type TimedJob } from './critical-path.ts';
export { type Box, foldJobs, type Graph, type GraphJob } from './fold-jobs.ts';
export { type Layout, layOut, type PlacedBox, SIZES } from './lay-out.ts';
export { type Direction, neighbourOf } from './neighbours.ts';
export { type Reach, reachOf } from './reach.ts';
