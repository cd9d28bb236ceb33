/** `tutti cancel`: stops a workflow. */
import { type ConnectionOptions, connect } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { checkWorkflowId } from '../workflow-id.ts';

export interface CancelOptions extends ConnectionOptions {
  readonly reason?: string | undefined;
}

/** Resolves with the exit code, once the server took the request: the run ends a little later, or has ended long ago. */
export async function cancelWorkflow(
  workflowId: string,
  options: CancelOptions,
  io: Io,
): Promise<number> {
  checkWorkflowId(workflowId);
  const client = await connect(options, io);
  await client.cancel(workflowId, { reason: options.reason, source: 'tutti cancel' });
  io.screen.write(`The server was asked to cancel workflow ${workflowId}.\n`);
  return EXIT_CODES.done;
}
