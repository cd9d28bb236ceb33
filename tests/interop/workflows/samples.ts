/** The files of the corpus, with what is expected of each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Parts of a request beside the workflow file. */
export interface SampleRequest {
  /** By name of the part: a file of the folder `reports`. */
  readonly files?: Readonly<Record<string, string>>;
  /** `NAME=value` */
  readonly variables?: readonly string[];
  readonly inputs?: readonly string[];
  readonly query?: string;
  /** The content type of the file. */
  readonly type?: string;
  readonly lineEnds?: 'CRLF';
}

/** Only named things are compared, except for placed jobs: all of them must be named. */
export interface Expected {
  /** The topic of the sample: a sentence without a subject. */
  readonly about: string;
  readonly request?: SampleRequest;
  /** `KEY KIND on TAGS` of each job, `KIND` only for those that stand for others. */
  readonly plan: readonly string[];
  readonly end: 'DONE' | 'FAILED';
  /** Outcome of each job that had an environment. */
  readonly jobs: Readonly<Record<string, 'SUCCEEDED' | 'FAILED' | 'CANCELLED'>>;
  /** `JOB FUNCTION` of all calls, in the order of the alphabet. */
  readonly functions?: readonly string[];
  /** Beginnings of events (`shortForm`), each list in this order, with others in between. */
  readonly order?: readonly (readonly string[])[];
  /** `JOB TECHNOLOGY NAME STATUS` of all test cases, in the order of the alphabet. */
  readonly cases?: readonly string[];
  /** The verdict of the strict quality gate. */
  readonly gate?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  /** Names of all that was attached or uploaded, in the order of the alphabet. */
  readonly files?: readonly string[];
  /** Lines of the log. */
  readonly log?: readonly string[];
  /** Texts that no line of the log may contain. */
  readonly never?: readonly string[];
  /** Warnings for the author, without the places. */
  readonly warnings?: readonly string[];
}

export interface Sample {
  readonly file: string;
  readonly path: string;
  readonly text: string;
  readonly expected: Expected;
}

const KEYS: ReadonlySet<string> = new Set<keyof Expected>([
  'about',
  'request',
  'plan',
  'end',
  'jobs',
  'functions',
  'order',
  'cases',
  'gate',
  'outputs',
  'files',
  'log',
  'never',
  'warnings',
]);
const CORPUS = join(import.meta.dirname, 'corpus');
const EXPECTED = '.expected.yaml';

export const reportPath = (name: string): string => join(import.meta.dirname, 'reports', name);

export const SAMPLES: readonly Sample[] = readdirSync(CORPUS)
  .filter((file) => !file.endsWith(EXPECTED))
  .sort()
  .map(readSample);

function readSample(file: string): Sample {
  const path = join(CORPUS, file);
  const beside = path.replace(/\.(?:yaml|yml|json)$/, EXPECTED);
  return { file, path, text: readFileSync(path, 'utf8'), expected: readExpected(beside) };
}

/** A key that is misspelt would expect nothing. */
function readExpected(path: string): Expected {
  const value: Expected = parse(readFileSync(path, 'utf8'));
  const unknown = Object.keys(value).filter((key) => !KEYS.has(key));
  if (unknown.length > 0) throw new Error(`${path}: nobody looks at ${unknown.join(', ')}.`);
  return value;
}
