/** What the descriptions of operations are put together from. */
import {
  type FailureReason,
  REASON_CODES,
  type Reason,
  type SuccessReason,
  status,
} from '@tutti/manifests';
import { refTo, type Schema, text } from './openapi-schemas.ts';

export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
}

export type Content = Readonly<Record<string, MediaType>>;

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { description: string; schema: Schema }>>;
  readonly content?: Content;
  /** Names of what can be done with the answer, to the operation and where its parameters are found. */
  readonly links?: Readonly<Record<string, Link>>;
}

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface RequestHeader {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

/** What is described of an operation beside what its route declares. */
export interface Operation {
  readonly id: string;
  readonly description?: string;
  readonly headers?: readonly RequestHeader[];
  readonly body?: Content;
  readonly answers: Partial<Record<SuccessReason, Answer>>;
  /** Beside those that follow from the route: a token that is missing or not enough, and a body that cannot be read. */
  readonly failures?: readonly FailureReason[];
  /** Id of the same operation with the method HEAD, where it is worth calling. */
  readonly headId?: string;
}

export const JSON_TYPE = 'application/json';
export const BYTES = { type: 'string', format: 'binary' } as const;

export const json = (schema: Schema, example: unknown): Content => ({
  [JSON_TYPE]: { schema, example },
});

export interface DetailsExample {
  readonly message: string;
  /** Null, its default, stands for `details` that are always null. */
  readonly details?: { readonly schema: Schema; readonly example: object | null } | null;
}

/** A Status manifest of one reason, with a whole one as example. */
export function statusAnswer(
  reason: SuccessReason,
  { message, details = null }: DetailsExample,
  more: Omit<Answer, 'description' | 'content'> & { readonly content?: Content } = {},
): Answer {
  const schema = {
    allOf: [
      refTo('Status'),
      {
        type: 'object',
        properties: {
          reason: { type: 'string', const: reason },
          code: { type: 'integer', const: REASON_CODES[reason] },
          details: details === null ? { type: 'null' } : details.schema,
        },
      },
    ],
  };
  const content = { ...json(schema, status(reason, message, details?.example)), ...more.content };
  return { description: `Status manifest: ${reason}`, ...more, content };
}

const FAILURES: Readonly<Record<FailureReason, string>> = {
  BadRequest: 'The request is malformed.',
  Unauthorized: 'The token is missing, invalid or not recognised.',
  Forbidden: 'The token does not allow this.',
  NotFound: 'What is asked for does not exist.',
  MethodNotAllowed: 'The path knows other methods only.',
  RequestTimeout: 'The body came too slowly, or took too long.',
  AlreadyExists: 'It exists already.',
  Conflict: 'It does not fit with what is there.',
  PayloadTooLarge: 'The body, or a part of it, is too large.',
  UnsupportedMediaType: 'The body has a content type that is not understood here.',
  RangeNotSatisfiable: 'Nothing is in the range.',
  Invalid: 'The request is understood, but not valid; `message` or `details.error` says why.',
  TooManyRequests: 'There are too many of them; nothing was done.',
  InternalError: 'A fault of the server.',
  ServiceUnavailable:
    'The server has more to do than it can, or its disk is full; nothing was done.',
};

const PASSING: readonly FailureReason[] = ['TooManyRequests', 'ServiceUnavailable'];
const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer' },
  },
} as const;

function failureAnswer(reason: FailureReason): Answer {
  const description = `${FAILURES[reason]} Status manifest: ${reason}.`;
  const headers = PASSING.includes(reason) ? { headers: RETRY_AFTER } : {};
  return {
    description,
    ...headers,
    content: json(refTo('Status'), status(reason, FAILURES[reason])),
  };
}

/** For reasons that every operation may have. */
const OTHER_FAILURES: Answer = {
  description: 'Any other failure: a Status manifest.',
  content: { [JSON_TYPE]: { schema: refTo('Status') } },
};

/** What failures are answered with, by their reasons; operations refer to them. */
export const FAILURE_ANSWERS: Readonly<Record<string, Answer>> = {
  // The reasons are the keys.
  ...Object.fromEntries(
    (Object.keys(FAILURES) as FailureReason[]).map((reason) => [reason, failureAnswer(reason)]),
  ),
  Failure: OTHER_FAILURES,
};

export const refToFailure = (reason: FailureReason | 'Failure'): Schema => ({
  $ref: `#/components/responses/${reason}`,
});

export const codeOf = (reason: Reason): string => String(REASON_CODES[reason]);

export const RANGE_HEADER: RequestHeader = {
  name: 'Range',
  description: 'One range of bytes (RFC 9110, 14.2); other forms are ignored.',
  schema: text,
};

const CONTENT_RANGE = {
  description: 'Which bytes, and of how many.',
  schema: text,
};

/** Content of any size, whole or a part of it. */
export function rangeAnswers(content: Content): Partial<Record<SuccessReason, Answer>> {
  return {
    OK: { description: 'All of it.', content },
    PartialContent: {
      description: 'The range that was asked for.',
      headers: { 'Content-Range': CONTENT_RANGE },
      content,
    },
  };
}
