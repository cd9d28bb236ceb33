/** Ends the transfer of a file, and notes the result in its command. */
import {
  artifactPath,
  attachmentPath,
  isReportType,
  type OutputState,
  outputMessages,
  readOutput,
} from '@tutti/workflow';
import type { Command } from './command.ts';
import type { Work } from './context.ts';
import type { Transfer, TransferPurpose } from './transfer.ts';

/** Ends a transfer, with an `error` if it failed. The caller publishes the result after the last one. Does nothing for an ended one. */
export function endTransfer(work: Work, transfer: Transfer, error: string | null): void {
  const { context, session, command } = work;
  if (!command.endTransfer(transfer)) return;
  if (error === null) keep(command, transfer);
  else failTransfer(work, transfer, error);
  const about = { ...session.about, fileId: transfer.fileId };
  context.logger.debug({ ...about, failed: error !== null }, 'Transfer ended.');
}

function keep(command: Command, { fileId, purpose }: Transfer): void {
  const {
    job_id: jobId,
    step_sequence_id: sequence,
    workflow_id: workflowId,
  } = command.event.metadata;
  if (purpose.kind !== 'attach' && purpose.kind !== 'upload') return;
  const { name, order, parameters } = purpose;
  const metadata = { ...parameters, uuid: fileId };
  if (purpose.kind === 'attach') {
    const path = attachmentPath({ jobId, uuid: fileId, sequence, name });
    command.keep('attachments', { path, metadata, order });
  } else {
    const path = artifactPath({ workflowId, uuid: fileId, name });
    command.keep('artifacts', { path, metadata, order });
  }
}

function failTransfer({ session, command }: Work, { purpose }: Transfer, error: string): void {
  const why = error.replace(/\.$/, '');
  const line = failureOf(purpose, why);
  if (line === null) return;
  const isKept = purpose.kind === 'attach' || purpose.kind === 'upload';
  const isReport = isKept && isReportType(purpose.parameters.type);
  command.failFile(masked(session.output, line), isReport ? { path: purpose.asked, why } : null);
}

/** A variables file that is not there is no error: the step left no variables. */
function failureOf(purpose: TransferPurpose, why: string): string | null {
  switch (purpose.kind) {
    case 'variables':
      return null;
    case 'attach':
    case 'upload':
      return outputMessages.fileNotRead(purpose.asked, why);
    case 'put':
    case 'download':
      return purpose.failure(why);
  }
}

/** Our own line about an agent's error. It is masked and cut like the command's output, and never within a group of that output. */
export function masked(output: OutputState, line: string): string {
  const outside = { ...output, isGrouped: false };
  return readOutput(outside, [{ stream: 'stderr', lines: [line] }]).logs.join(' ');
}
