/** Converts configurations of existing services and clients into one of ours. It only reads files, and writes none. */
export { importConfiguration } from './import-configuration.ts';
export type { ImportItem, ImportPlan, Outcome, PlannedFile } from './import-plan.ts';
export { readSources, type SourceDocument } from './source-documents.ts';
