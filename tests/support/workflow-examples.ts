/** The examples of the workflow language in the documents. Each YAML block is one; a part of a workflow is completed. */
import { jobSchema, workflowManifestSchema } from '@tutti/manifests';
import { parseYaml } from '../../server/src/runtime/yaml-document.ts';
import { blocksOf } from '../structure/document-blocks.ts';
import { pathsBelow, readRepositoryFile } from '../structure/source-files.ts';

export interface WorkflowExample {
  /** Place of the example: the document and the number of the block. */
  readonly place: string;
  /** A whole workflow. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** True if it stands in the document unchanged, so that a reader may try it. */
  readonly isWhole: boolean;
}

/** Pages whose blocks of YAML are workflows, or parts of them. */
export const isOfWorkflows = (path: string): boolean =>
  /^README\.md$|^docs\/(?:start|reference\/(?:tools|language|workflow-commands|what-happens-when)|guides\/workflows)/.test(
    path,
  );
const STEPS = [{ run: 'echo' }];

export function workflowExamples(): readonly WorkflowExample[] {
  const documents = ['README.md', ...pathsBelow('docs', /\.md$/)].filter(isOfWorkflows);
  return documents.flatMap((document) =>
    blocksOf(readRepositoryFile(document), 'yaml').map((text, index) =>
      exampleOf(`${document}, block ${index + 1}`, parseYaml(text).value),
    ),
  );
}

function exampleOf(place: string, content: unknown): WorkflowExample {
  if (Array.isArray(content)) return part(place, { jobs: { example: { steps: content } } });
  if (!isObject(content)) throw new Error(`${place}: neither a map nor a list of steps.`);
  if (Object.hasOwn(content, 'metadata')) return { place, manifest: content, isWhole: true };
  if (hasOnlyKeys(content, workflowManifestSchema.properties)) return part(place, content);
  if (hasOnlyKeys(content, jobSchema.properties)) {
    return part(place, { jobs: { example: { steps: STEPS, ...content } } });
  }
  return part(place, { jobs: content });
}

function part(place: string, content: Readonly<Record<string, unknown>>): WorkflowExample {
  const manifest = { metadata: { name: place }, jobs: { example: { steps: STEPS } }, ...content };
  return { place, manifest, isWhole: false };
}

const hasOnlyKeys = (content: object, known: object): boolean =>
  Object.keys(content).every((key) => Object.hasOwn(known, key));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
