/** The trace that a run is part of: that of the request that starts it, or its own. */
import type { WorkflowId } from '@tutti/manifests';
import { formatTraceparent, parseTraceparent, runSpanId, traceIdOf } from '@tutti/workflow';

export interface TraceOfStart {
  /** The sender's trace; null without a readable one. */
  readonly parent: string | null;
  /** The trace that steps may continue, as text; null without one. */
  readonly offered: string | null;
}

/** `isTraced`: the server makes a span of the run. Otherwise steps continue the sender's trace. */
export function traceOfStart(
  header: string | readonly string[] | undefined,
  workflowId: WorkflowId,
  isTraced: boolean,
): TraceOfStart {
  const given = parseTraceparent(header);
  const parent = given === null ? null : formatTraceparent(given);
  if (!isTraced) return { parent, offered: parent };
  const { traceId, isSampled } = given ?? { traceId: traceIdOf(workflowId), isSampled: true };
  return {
    parent,
    offered: formatTraceparent({ traceId, spanId: runSpanId(workflowId), isSampled }),
  };
}
