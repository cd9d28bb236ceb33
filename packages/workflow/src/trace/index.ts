/** Apart from the rest, since most servers never make a trace. */
export {
  type RunSpan,
  type RunTrace,
  TRACE_SPANS_MAX,
  TraceFold,
  traceOfRun,
} from './run-trace.ts';
