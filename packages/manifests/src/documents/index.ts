export { withClosedMaps } from './closed-maps.ts';
export { DOCUMENT_LIMITS } from './document-limits.ts';
export { hasTooManyKeys } from './document-shape.ts';
export { didYouMean, nearestName } from './nearest-name.ts';
export { portableYaml } from './portable-yaml.ts';
export {
  type DocumentPath,
  formatPath,
  formatProblem,
  type Problem,
  type ProblemPlace,
  type SortedProblems,
  sortProblems,
  type TextPiece,
  withHint,
} from './problem.ts';
export {
  createSchemaValidator,
  isSmallDocument,
  SCHEMA_OPTIONS,
  type SchemaLibrary,
} from './schema-validator.ts';
export { type SourceSpan, TextLines } from './text-lines.ts';
export { unknownKeys } from './unknown-keys.ts';
export {
  type FlawedYamlDocument,
  readYaml,
  type YamlDocument,
  type YamlLibrary,
  type YamlLimits,
  type YamlProblem,
} from './yaml-reader.ts';
