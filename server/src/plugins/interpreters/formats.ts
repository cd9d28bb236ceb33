/** Who reads which format. A reader is loaded with the first report of its format: a server that gets none does without. */
import type { ReportFormat } from '@tutti/workflow';
import type { CreateReportReader } from './report-reader.ts';

const LOADERS: Readonly<Record<ReportFormat, () => Promise<CreateReportReader>>> = {
  surefire: async () => (await import('./surefire/junit-reader.ts')).createJunitReader,
};

export async function loadReader(format: ReportFormat): Promise<CreateReportReader> {
  return await LOADERS[format]();
}
