/** Reports that may lack test cases, as interpreters report them, with their places in the run. */
import type { AttachmentId, BrokenReport, ReportFault, RunEvent, StepId } from '@tutti/manifests';
import {
  cutText,
  type Job,
  jobById,
  jobOfAttachment,
  type Redactor,
  type Run,
} from '@tutti/workflow';
import { type FactOf, factOf } from '@tutti/workflow/facts';
import { labelOfStep, readable } from '@tutti/workflow/step-label';
import type { BrokenReportRow } from '../../store/store.ts';

/** In characters: the texts appear in lists of warnings. */
const LENGTHS = { name: 200, command: 60, problem: 500 } as const;

/** The events are redacted; names of steps come from the run itself and are redacted here. */
export function brokenReportRows(
  run: Run,
  events: readonly RunEvent[],
  redactor: Pick<Redactor, 'document'>,
): readonly BrokenReportRow[] {
  return events.flatMap((event): readonly BrokenReportRow[] => {
    const fact = factOf(event);
    if ('missingReports' in fact) return missingRows(run, fact, redactor);
    if (!('fault' in fact) || fact.fault === null) return [];
    const attachmentId = fact.event.metadata.attachment_origin?.[0];
    if (attachmentId === undefined) return [];
    const report: BrokenReport = {
      ...placeOf(run, attachmentId, redactor),
      ...boundedFault(fact.fault),
    };
    return [{ attachmentId, json: JSON.stringify(report) }];
  });
}

function missingRows(
  run: Run,
  { event, missingReports }: FactOf<'EnvironmentFreed' | 'EnvironmentOffered' | 'StepAnswered'>,
  redactor: Pick<Redactor, 'document'>,
): readonly BrokenReportRow[] {
  if (missingReports.length === 0) return [];
  const { job_id, step_id, step_origin = [] } = event.metadata;
  const place = placeOfStep(jobById(run, job_id), step_origin[0] ?? step_id, redactor);
  return missingReports.map(({ file, count, problem }, index) => {
    const fault = boundedFault({ file, problem, testCases: 0, isCut: true });
    const report: BrokenReport = { ...place, ...fault, ...(count === 1 ? {} : { count }) };
    return { attachmentId: `${step_id}/${index}`, json: JSON.stringify(report) };
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
  return placeOfStep(job, job?.attachments.get(attachmentId)?.stepId, redactor);
}

function placeOfStep(
  job: Job | null,
  stepId: StepId | undefined,
  redactor: Pick<Redactor, 'document'>,
): Pick<BrokenReport, 'job' | 'step'> {
  const step = job?.definition.steps?.find(({ id }) => id === stepId);
  const label = step === undefined ? null : labelOfStep(step);
  const isCommand = label !== null && label.text === readable(step?.run);
  // Cut after redaction: the beginning of a masked text would not be recognized.
  const { text } = redactor.document({ text: label?.text ?? null });
  return {
    job: job === null ? null : cutText(job.name, LENGTHS.name),
    step: text === null ? null : cutText(text, isCommand ? LENGTHS.command : LENGTHS.name),
  };
}
