/** The workflow of another build server as one of ours. */
import { UsageError } from '../../terminal/problem.ts';
import type { Remote } from '../git-remote.ts';
import { SOURCES_VARIABLE } from '../sources-variable.ts';
import { checkoutStep, elsewhere } from '../workflow-text.ts';
import { fromGithub } from './github.ts';
import { fromGitlab } from './gitlab.ts';
import { valuesOf } from './translation.ts';

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
  const translate = 'jobs' in source ? fromGithub : fromGitlab;
  const { workflow, undone } = translate(source, name, checkoutStep(remote));
  const jobs = Object.keys(valuesOf(workflow.jobs)).length;
  if (jobs === 0) {
    throw new UsageError(
      `${file} has no job that can be translated.`,
      'name a workflow of GitHub Actions, or a pipeline of GitLab.',
    );
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
