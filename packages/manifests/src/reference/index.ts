export type { ListedFunction } from './functions-schema.ts';
export type { ExampleValue, KeyReference, SchemaNode, SectionReference } from './key-reference.ts';
export { publishedProviderSchema } from './published-provider-schema.ts';
export { publishedWorkflowSchema } from './published-schema.ts';
export { workflowSections } from './workflow-sections.ts';
