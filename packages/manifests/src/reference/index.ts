export type {
  ExampleValue,
  KeyReference,
  SchemaNode,
  SectionReference,
} from './key-reference.ts';
export {
  PUBLISHED_PROVIDER_SCHEMA_ID,
  publishedProviderSchema,
} from './published-provider-schema.ts';
export { PUBLISHED_SCHEMA_ID, publishedWorkflowSchema } from './published-schema.ts';
export { workflowSections } from './workflow-sections.ts';
