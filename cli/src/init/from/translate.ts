/** The workflow of another build server as one of ours. */
import { UsageError } from '../../terminal/problem.ts';
import type { Remote } from '../git-remote.ts';
import { SOURCES_VARIABLE } from '../sources-variable.ts';
import { checkoutStep, elsewhere } from '../workflow-text.ts';
import { fromGithub } from './github.ts';
import { fromGitlab } from './gitlab.ts';
import { type Values, valuesOf } from './translation.ts';

export interface TranslatedText {
  readonly text: string;
  readonly undone: readonly string[];
}

/** `name` is for a workflow that has none. Throws `UsageError` for a document of another kind. */
export async function translatedText(
  file: string,
  document: object,
  name: string,
  remote: Remote | null,
): Promise<TranslatedText> {
  const source = valuesOf(document);
  const translate = translatorOf(source);
  if (translate === null) {
    throw new UsageError(
      `${file} is neither a workflow of GitHub Actions nor a pipeline of GitLab with jobs.`,
      'name one of these.',
    );
  }
  const { workflow, undone } = translate(source, name, checkoutStep(remote));
  if (Object.keys(valuesOf(workflow.jobs)).length === 0) {
    throw new UsageError(`${file} has no job that can be translated.`, 'name another file.');
  }
  const { stringify } = await import('yaml');
  const { metadata, variables, ...rest } = workflow;
  const all = { [SOURCES_VARIABLE]: elsewhere(remote), ...valuesOf(variables) };
  const lines = [
    `# Translated from ${file.replace(/\s+/g, ' ')}.`,
    ...undone.map((each) => `# Not translated: ${each.replace(/\s+/g, ' ')}`),
  ];
  const text = `${lines.join('\n')}\n${stringify({ metadata, variables: all, ...rest }, { aliasDuplicateObjects: false })}`;
  return { text, undone };
}

const JOB_OF_GITLAB = ['script', 'extends', 'trigger', 'run'];

function translatorOf(source: Values): typeof fromGithub | null {
  if ('jobs' in source) return 'on' in source ? fromGithub : null;
  const isJob = (value: unknown) => JOB_OF_GITLAB.some((key) => key in valuesOf(value));
  return Object.values(source).some(isJob) ? fromGitlab : null;
}
