/** A large post of an agent, cut into pieces that are read in turns of their own. */
import { OrchestratorError } from '@tutti/manifests';
import {
  LINE_LENGTH_MAX,
  OUTPUTS_LENGTH_MAX,
  type OutputLines,
  parseVariablesFile,
} from '@tutti/workflow';
import { parseJson } from '../../../http/json.ts';
import {
  type LargePost,
  type OutputPiece,
  POST_RULES,
  type PostInput,
  type ReadPost,
} from '../jobs/agent-post.ts';
import { LIMITS } from '../jobs/limits.ts';
import { outputPieces } from '../jobs/output-pieces.ts';
import { readPost } from './posts.ts';

const PIECE = { length: 64 * 1024, lines: 4_096 };

/** Characters of one line that are kept. No workflow command may be longer, and the log shows less of a line. */
const LINE_LENGTH_KEPT = OUTPUTS_LENGTH_MAX + LINE_LENGTH_MAX;

export function readLargePost({ content, isOurs }: PostInput): LargePost {
  const post = readPost(parseJson(content, POST_RULES), isOurs);
  const texts: Buffer[] = [];
  const pieces: OutputPiece[] = [];
  let end = 0;
  for (const output of partsOf(post)) {
    for (const { lines, ...rest } of outputPieces(output, PIECE)) {
      const text = Buffer.from(JSON.stringify(piece(lines)));
      texts.push(text);
      pieces.push({ ...rest, start: end, end: end + text.length });
      end += text.length;
    }
  }
  return { post: withoutOutput(post), pieces, bytes: new Uint8Array(Buffer.concat(texts)) };
}

/** The post with its output. Lines are read on demand, and not kept. */
export function withPieces({ post, pieces, bytes }: LargePost): ReadPost {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const output = pieces.map(
    ({ start, end, ...rest }): OutputLines => ({
      ...rest,
      get lines() {
        return linesOf(JSON.parse(buffer.toString('utf8', start, end)));
      },
    }),
  );
  return post.kind === 'received' ? post : { ...post, output };
}

/** V8 reads one text ten times as fast as a list of short lines. It looks up each short text in a table. */
const piece = (lines: readonly string[]): string | readonly string[] =>
  lines.some((line) => line.includes('\n')) ? lines : lines.join('\n');

const linesOf = (piece: string | readonly string[]): readonly string[] =>
  typeof piece === 'string' ? piece.split('\n') : piece;

function partsOf(post: ReadPost): readonly OutputLines[] {
  const parts = post.kind === 'received' ? [] : post.output;
  if (parts.length <= LIMITS.postOutputParts) return parts.flatMap(withCutLines);
  throw new OrchestratorError(
    'BadRequest',
    `Not a valid agent message: its output has ${parts.length} parts. Send ${LIMITS.postOutputParts} at most.`,
  );
}

/** The post without its output, and with only as many variables as a run takes. */
function withoutOutput(post: ReadPost): ReadPost {
  if (post.kind === 'received') return post;
  const { variables } = post;
  return { ...post, output: [], ...(variables ? { variables: taken(variables) } : {}) };
}

const taken = (lines: readonly string[]): readonly string[] =>
  Object.entries(parseVariablesFile(lines)).map(([name, value]) => `${name}=${value}`);

/** Cuts very long lines. Each ends its own piece, which has the number of omitted characters. */
function withCutLines({ stream, lines, ...end }: OutputLines): readonly OutputLines[] {
  const all: OutputLines[] = [];
  let start = 0;
  for (const [index, line] of lines.entries()) {
    if (line.length <= LINE_LENGTH_KEPT) continue;
    const kept = [...lines.slice(start, index), line.slice(0, LINE_LENGTH_KEPT)];
    all.push({ stream, lines: kept, omitted: line.length - LINE_LENGTH_KEPT });
    start = index + 1;
  }
  if (start === 0) return [{ stream, lines, ...end }];
  return start < lines.length ? [...all, { stream, lines: lines.slice(start), ...end }] : all;
}
