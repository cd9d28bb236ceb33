/**
 * Reads test reports in the JUnit XML format, as surefire, pytest, node:test, vitest, Robot Framework, Cucumber and others
 * write it. They agree on `testcase` with `failure`, `error` or `skipped` in it, and on little else, so everything but that is
 * optional. The document is read as a stream; what it declares itself (DOCTYPE, entities) is never expanded or fetched.
 */
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { type CaseBuilder, createCaseBuilder, type JunitCase } from './junit-case.ts';
import { REPORT_LIMITS } from './report-limits.ts';
import { createXmlTextDecoder } from './xml-text-decoder.ts';

export type { JunitCase };

/** The elements a report may begin with; `testrun` is what some editors export. */
const ROOTS = new Set(['testsuites', 'testsuite', 'testrun', 'testcase']);

// Characters that XML forbids but that test output brings along (colour codes above all), and that writers of reports
// often do not escape. A report is better read with a blot in it than not at all.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * The test cases of a report, in its order, as they come. Throws `Invalid`, with a message that tells the place, when the
 * document cannot be read any further; what was given out before stays valid. Errors of `content` are passed on.
 */
export async function* readJunitXml(content: AsyncIterable<Uint8Array>): AsyncGenerator<JunitCase> {
  const decoder = createXmlTextDecoder();
  const parser = createJunitParser();
  let size = 0;
  for await (const bytes of content) {
    size += bytes.length;
    if (size > REPORT_LIMITS.bytesMax) throw tooLarge();
    yield* parser.write(decoder.write(bytes));
  }
  yield* parser.write(decoder.end());
  yield* parser.close();
}

export interface JunitParser {
  /** The test cases that this piece of text completed. A generator, so that those before an error are given out first. */
  write(text: string): Generator<JunitCase>;
  close(): Generator<JunitCase>;
}

export function createJunitParser(): JunitParser {
  const cases: JunitCase[] = [];
  const parser = new SaxesParser({ position: true });
  const builder = createCaseBuilder((found) => {
    cases.push(found);
  });
  listen(parser, builder);
  let begun = false;
  function* run(step: () => void): Generator<JunitCase> {
    const error = failureOf(parser, step);
    yield* cases.splice(0);
    if (error !== null) throw error;
  }
  return {
    *write(text) {
      // Blank lines before the XML declaration are an error by the book and common in practice.
      const rest = begun ? text : text.trimStart();
      if (rest === '') return;
      begun = true;
      yield* run(() => parser.write(rest.replace(FORBIDDEN, '\ufffd')));
    },
    *close() {
      yield* run(() => {
        if (!begun) throw new OrchestratorError('Invalid', 'the document is empty');
        parser.close();
      });
    },
  };
}

function listen(parser: SaxesParser, builder: CaseBuilder): void {
  let depth = 0;
  parser.on('error', (error) => {
    throw new OrchestratorError('Invalid', error.message.replace(/^\d+:\d+: |\.$/g, ''));
  });
  parser.on('opentag', (tag) => {
    const name = localName(tag);
    if (depth === 0 && !ROOTS.has(name)) throw notAReport(name);
    depth += 1;
    if (depth > REPORT_LIMITS.depthMax) throw tooDeep();
    builder.open(name, tag.attributes);
    listenToText(parser, builder);
  });
  parser.on('closetag', (tag) => {
    depth -= 1;
    builder.close(localName(tag));
    listenToText(parser, builder);
  });
  parser.on('cdata', (text) => {
    if (builder.wantsText()) builder.text(text);
  });
}

/** Text that nobody listens to is not collected by the parser: output of tests may be most of a report. */
function listenToText(parser: SaxesParser, builder: CaseBuilder): void {
  if (builder.wantsText()) parser.on('text', (text) => builder.text(text));
  else parser.off('text');
}

function localName(tag: SaxesTagPlain): string {
  return tag.name.slice(tag.name.indexOf(':') + 1);
}

function failureOf(parser: SaxesParser, step: () => void): OrchestratorError | null {
  try {
    step();
    return null;
  } catch (cause) {
    if (!isOrchestratorError(cause)) throw cause;
    const { line, column } = parser;
    return new OrchestratorError('Invalid', `line ${line}, column ${column}: ${cause.message}`, {
      details: { line, column },
      cause,
    });
  }
}

function notAReport(name: string): OrchestratorError {
  const shown = name.slice(0, 100);
  return new OrchestratorError(
    'Invalid',
    `the document begins with <${shown}>, expected <testsuites> or <testsuite>`,
  );
}

function tooDeep(): OrchestratorError {
  return new OrchestratorError('Invalid', `more than ${REPORT_LIMITS.depthMax} nested elements`);
}

function tooLarge(): OrchestratorError {
  return new OrchestratorError(
    'Invalid',
    `the report is larger than ${REPORT_LIMITS.bytesMax} bytes`,
  );
}
