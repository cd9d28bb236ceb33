import type { KeyReferences } from './key-reference.ts';

export const fetchedFileKeys = {
  name: { meaning: 'What steps call it.', example: 'rules.json' },
  url: {
    meaning:
      'Where the server fetches it before it accepts the run. It may have expressions, which read variables, inputs and secrets.',
    example: 'https://example.org/rules.json',
    type: 'address that begins with `http://` or `https://`',
  },
} as const satisfies KeyReferences;

export const repositoryKeys = {
  name: { meaning: 'What expressions call it.', example: 'shop' },
  type: { meaning: 'What serves it; for readers.', example: 'github', type: 'word' },
  repository: {
    meaning: 'Its path at the endpoint. It may have expressions.',
    example: 'team/shop',
  },
  endpoint: {
    meaning:
      'The address of what serves it, with the user and the password or token for it. It may have expressions, which read variables, inputs and secrets.',
    example: 'https://user:token@example.org',
  },
} as const satisfies KeyReferences;

export const testManagerKeys = {
  name: { meaning: 'What expressions call it.', example: 'tm' },
  type: { meaning: 'What kind it is; for functions.', example: 'squashtm' },
  testmanager: { meaning: 'The project there. It may have expressions.', example: 'shop' },
  endpoint: {
    meaning: 'Its address, with credentials if it needs any. It may have expressions.',
    example: 'https://tm.example.org',
  },
} as const satisfies KeyReferences;
