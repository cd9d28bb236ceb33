/** The configurations of existing services and clients, as one of ours. It reads the files that it is given, and writes none. */
export { importConfiguration } from './import-configuration.ts';
export type { ImportItem, ImportPlan, Outcome, PlannedFile } from './import-plan.ts';
export { readSources, type SourceDocument } from './source-documents.ts';
