/** The trace that a request is part of (W3C Trace Context): the header `traceparent`, and the variable `TRACEPARENT` of steps. */

/** The variable in which programs look for it. */
export const TRACEPARENT_VARIABLE = 'TRACEPARENT';

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Later versions begin as version 00 does; ff is none. */
const FORM = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?<more>-.*)?$/;
const SAMPLED = 1;

/** Null for a malformed text: then the reader begins a trace, as the recommendation has it. */
export function parseTraceparent(value: unknown): TraceParent | null {
  if (typeof value !== 'string') return null;
  const match = FORM.exec(value);
  const [, version, traceId = '', spanId = '', flags = ''] = match ?? [];
  if (match === null || (version === '00' && match.groups?.more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
