/** Descriptions of providers among the documents that a report recognises. */
import type { Problem, SchemaLibrary } from '@tutti/manifests/documents';
import { createProviderCheck, isProviderDocument } from '@tutti/sdk/manifest';
import type { OtherKind } from '@tutti/workflow/validation';

export function providerKind(schemas: SchemaLibrary): OtherKind {
  const check = createProviderCheck(() => schemas);
  return {
    page: 'guides/functions',
    recognises: isProviderDocument,
    problems: (value) => {
      const checked = check(value);
      return checked.ok ? [] : checked.problems;
    },
    topicOf,
  };
}

/** By the last key of a path that has a section of its own in docs/guides/functions.md. */
const TOPICS: Readonly<Record<string, string>> = {
  attach: 'reports',
  functions: 'functions',
  params: 'parameters',
  steps: 'steps-of-functions',
};

function topicOf({ path, piece }: Problem): string {
  if (piece !== undefined && path.at(-1) !== 'run') return 'expressions-of-functions';
  const key = path.findLast((each) => typeof each === 'string' && Object.hasOwn(TOPICS, each));
  return TOPICS[String(key)] ?? 'the-document';
}
