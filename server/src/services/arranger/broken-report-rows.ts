/** Reports of which test cases may be missing, as interpreters tell of them, with their places in the run. */
import type { AttachmentId, BrokenReport, ReportFault, RunEvent } from '@tutti/manifests';
import { cutText, jobOfAttachment, type Redactor, type Run } from '@tutti/workflow';
import { labelOfStep } from '@tutti/workflow/step-label';
import type { BrokenReportRow } from '../../store/store.ts';

/** In characters: these stand in lists of warnings. */
const LENGTHS = { name: 200, problem: 500 } as const;

/** The events are as they may be shown; names of steps, which are of the run itself, the redactor makes fit. */
export function brokenReportRows(
  run: Run,
  events: readonly RunEvent[],
  redactor: Pick<Redactor, 'document'>,
): readonly BrokenReportRow[] {
  return events.flatMap((event) => {
    if (event.kind !== 'Notification') return [];
    const fault = event.spec['tutti.broken-report'];
    const attachmentId = event.metadata.attachment_origin?.[0];
    if (fault === undefined || attachmentId === undefined) return [];
    const report: BrokenReport = {
      ...placeOf(run, attachmentId, redactor),
      ...boundedFault(fault),
    };
    return [{ attachmentId, json: JSON.stringify(report) }];
  });
}

function boundedFault({ file, problem, testCases, isCut }: ReportFault): ReportFault {
  return {
    file: cutText(file, LENGTHS.name),
    problem: cutText(problem, LENGTHS.problem),
    testCases,
    isCut,
  };
}

function placeOf(
  run: Run,
  attachmentId: AttachmentId,
  redactor: Pick<Redactor, 'document'>,
): Pick<BrokenReport, 'job' | 'step'> {
  const job = jobOfAttachment(run, attachmentId);
  const stepId = job?.attachments.get(attachmentId)?.stepId;
  const step = job?.definition.steps?.find(({ id }) => id === stepId);
  const label = step === undefined ? null : labelOfStep(step);
  const { text } = redactor.document({ text: label?.text ?? null });
  return {
    job: job === null ? null : cutText(job.name, LENGTHS.name),
    step: text === null ? null : cutText(text, LENGTHS.name),
  };
}
