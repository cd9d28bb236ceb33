/** A large post of an agent, cut into pieces that are read in turns of their own. */
import { type OutputLines, parseVariablesFile } from '@tutti/workflow';
import { parseJson } from '../../http/json.ts';
import {
  type AgentPost,
  type LargePost,
  type OutputPiece,
  POST_RULES,
  type PostInput,
} from './agent-post.ts';
import { readPost } from './posts.ts';

/** Of one piece: a few milliseconds of work. */
const PIECE_LENGTH = 128 * 1024;
const PIECE_LINES = 4_096;

export function readLargePost({ content, isOurs }: PostInput): LargePost {
  const post = readPost(parseJson(content, POST_RULES), isOurs);
  const texts: Buffer[] = [];
  const pieces: OutputPiece[] = [];
  let end = 0;
  for (const { lines, ...rest } of outputOf(post).flatMap(piecesOf)) {
    const text = Buffer.from(JSON.stringify(lines));
    texts.push(text);
    pieces.push({ ...rest, start: end, end: end + text.length });
    end += text.length;
  }
  return { post: withoutOutput(post), pieces, bytes: new Uint8Array(Buffer.concat(texts)) };
}

/** The post with its output, whose lines are read when somebody looks at them, and not kept. */
export function withPieces({ post, pieces, bytes }: LargePost): AgentPost {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const output = pieces.map(
    ({ start, end, ...rest }): OutputLines => ({
      ...rest,
      get lines() {
        return JSON.parse(buffer.toString('utf8', start, end));
      },
    }),
  );
  return withOutput(post, output);
}

function outputOf(post: AgentPost): readonly OutputLines[] {
  if (post.kind === 'batch') return post.batch.output;
  return post.kind === 'existing' ? post.post.output : [];
}

function withOutput(post: AgentPost, output: readonly OutputLines[]): AgentPost {
  if (post.kind === 'batch') return { ...post, batch: { ...post.batch, output } };
  return post.kind === 'existing' ? { ...post, post: { ...post.post, output } } : post;
}

/** Of very many variables, those that a run takes. */
function withoutOutput(post: AgentPost): AgentPost {
  const bare = withOutput(post, []);
  if (bare.kind === 'batch') {
    return { ...bare, batch: { ...bare.batch, variables: taken(bare.batch.variables) } };
  }
  if (bare.kind === 'received') return bare;
  const { variables } = bare.post;
  return variables === undefined
    ? bare
    : { ...bare, post: { ...bare.post, variables: taken(variables) } };
}

const taken = (lines: readonly string[] | null): readonly string[] | null =>
  lines === null
    ? null
    : Object.entries(parseVariablesFile(lines)).map(([name, value]) => `${name}=${value}`);

/** What is said of the end of the lines holds for the last piece. */
function piecesOf({ stream, lines, ...end }: OutputLines): readonly OutputLines[] {
  const pieces: { stream: OutputLines['stream']; lines: string[] }[] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const isFull = (pieces.at(-1)?.lines.length ?? 0) >= PIECE_LINES;
    if (isFull || length + line.length > PIECE_LENGTH) {
      pieces.push({ stream, lines: [] });
      length = 0;
    }
    pieces.at(-1)?.lines.push(line);
    length += line.length;
  }
  return pieces.map((piece, index) => (index === pieces.length - 1 ? { ...piece, ...end } : piece));
}
