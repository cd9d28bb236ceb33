/** Workflows that the toolkits accept by their schema and checks, and what our server makes of them. */
import type { Area, Subject } from '../subjects.ts';

export const PUBLISHED_AREA = {
  title: 'Workflows that the toolkits accept',
  about: `The schema of workflows, the checks of a start and the evaluation of expressions are those of the toolkit. Each workflow is one that it accepts;
our server accepts it as well, with a warning where it has a mistake, or refuses it for a [documented reason](../../tests/conformance/differences.md#workflows-that-are-refused).`,
  subjects: [
    { program: 'opentf-toolkit', version: '0.64.0' },
    { program: 'opentf-toolkit-nightly', version: '0.65.0.dev1451' },
  ],
  features: [
    {
      text: 'accepts outputs of jobs and workflows with and without descriptions, which later jobs read',
    },
    { text: 'accepts steps and outputs of any name, which expressions read in brackets' },
    { text: 'evaluates unknown names to empty texts, as runs do' },
    { text: 'accepts hooks with events of channels and functions, which run around both' },
    { text: 'accepts what has no effect, which is accepted with a warning' },
    { text: 'accepts random workflows, which are accepted or refused for a documented reason' },
  ],
} as const satisfies Area & { readonly subjects: readonly Subject[] };
