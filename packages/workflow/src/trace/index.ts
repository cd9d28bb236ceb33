/** Apart from the rest, since most servers never make a trace. */
export { type RunSpan, type RunTrace, TraceFold } from './run-trace.ts';
