/** A collector of traces: a real HTTP server that decodes posts by the numbers of OTLP's public definition. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { hexAt, messagesAt, numberAt, textAt, type WireFields, wireFields } from './wire-fields.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly id: string;
  /** Empty for a root. */
  readonly parentId: string;
  readonly name: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Text of the status, where that is an error. */
  readonly error: string | null;
}

export interface CollectedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly resource: Readonly<Record<string, string | number>>;
  readonly spans: readonly CollectedSpan[];
}

export interface OtlpCollector {
  readonly url: string;
  /** Posts that were answered with 200. */
  readonly posts: readonly CollectedPost[];
  /** Number of posts in all. */
  readonly asked: () => number;
  /** From now on, answers with this code, or never (null); a collector begins with 200. */
  answerWith(code: number | null): void;
  close(): Promise<void>;
}

export async function openCollector(): Promise<OtlpCollector> {
  const posts: CollectedPost[] = [];
  let code: number | null = 200;
  let asked = 0;
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const body = await buffer(request);
    asked += 1;
    if (code === null) return;
    if (code === 200) posts.push({ path, headers, ...readRequest(body) });
    response.writeHead(code, { 'Content-Type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    asked: () => asked,
    answerWith: (next) => {
      code = next;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** `ExportTraceServiceRequest`: resource spans, in these scope spans, in these spans. */
function readRequest(body: Buffer): Pick<CollectedPost, 'resource' | 'spans'> {
  const resourceSpans = messagesAt(wireFields(body), 1);
  const resources = resourceSpans.flatMap((each) => messagesAt(each, 1));
  const spans = resourceSpans
    .flatMap((each) => messagesAt(each, 2))
    .flatMap((each) => messagesAt(each, 2));
  return {
    resource: Object.assign({}, ...resources.map((each) => attributesAt(each, 1))),
    spans: spans.map(readSpan),
  };
}

const ERROR = 2n;

function readSpan(span: WireFields): CollectedSpan {
  const [status] = messagesAt(span, 15);
  return {
    traceId: hexAt(span, 1),
    id: hexAt(span, 2),
    parentId: hexAt(span, 4),
    name: textAt(span, 5),
    startNs: numberAt(span, 7),
    endNs: numberAt(span, 8),
    attributes: attributesAt(span, 9),
    error: status !== undefined && numberAt(status, 3) === ERROR ? textAt(status, 2) : null,
  };
}

function attributesAt(
  fields: WireFields,
  field: number,
): Readonly<Record<string, string | number>> {
  const entries = messagesAt(fields, field).map((entry) => {
    const [value = new Map()] = messagesAt(entry, 2);
    return [textAt(entry, 1), value.has(3) ? Number(numberAt(value, 3)) : textAt(value, 1)];
  });
  return Object.fromEntries(entries);
}
