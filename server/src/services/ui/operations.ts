/** Descriptions of the operations of sessions, for `GET /openapi.json`. */

import type { Schema } from '../../http/openapi-words.ts';
import type { DescribedOperation } from '../../http/routes.ts';

type Words = Parameters<DescribedOperation>[0];

const EXAMPLE = {
  subject: 'ada',
  expires: '2026-01-31T20:34:56.123456',
  rights: { workflows: { list: ['default'], get: ['default'] } },
};

const session = ({ record, orNull, text, mapOf, listOf }: Words): Schema =>
  record({ subject: text, expires: orNull(text), rights: mapOf(mapOf(listOf(text))) });

const COOKIE = {
  'Set-Cookie': { description: 'The cookie of the session.', schema: { type: 'string' } },
};

export const signIn: DescribedOperation = (words) => ({
  id: 'signIn',
  description:
    'For pages of this server, over HTTPS or on the machine of the server. The session has the rights of the token. It ends with the token, after 12 hours, or after 8 hours without use.',
  headers: {
    Authorization: 'The token that signs in, if no code does.',
    'Tutti-Code': 'A code of `POST /ui/codes`.',
    'Tutti-Session': '`1`.',
  },
  answers: {
    Created: { message: 'Signed in.', schema: session(words), example: EXAMPLE, headers: COOKIE },
  },
  failures: ['Unauthorized', 'Forbidden', 'TooManyRequests'],
});

export const getSession: DescribedOperation = (words) => ({
  id: 'getSession',
  description: 'Subject, rights by resource and verb, and end of the session or the token.',
  answers: { OK: { message: 'Session.', schema: session(words), example: EXAMPLE } },
});

export const signOut: DescribedOperation = () => ({
  id: 'signOut',
  description: 'Ends the session of the request, and with `all` all sessions of its subject.',
  answers: { OK: { message: 'Signed out.', headers: COOKIE } },
});

export const newCode: DescribedOperation = ({ record, text }) => ({
  id: 'newCode',
  description: 'A code that signs in once, within 60 seconds, with the token of this request.',
  answers: {
    Created: {
      message: 'Code created.',
      schema: record({ code: text }),
      example: { code: 'wPp1u8o0CW4mkXh4r0RJr9rH1eR6L0kTsk1pVQZk3nq4b1vX0yq9q9Jz6lq3wJrT' },
    },
  },
  failures: ['TooManyRequests'],
});
