/** A verdict as a note at a merge request or an issue, with a label if that is wanted. */
import { createDebugFetch, isDebugging } from '../terminal/debug.ts';
import type { Io } from '../terminal/io.ts';
import { renderProblem } from '../terminal/problem.ts';
import { GITLAB_LIMITS, type GitlabApi, GitlabProblem, openGitlab } from './gitlab-api.ts';
import type { GitlabPlace } from './gitlab-place.ts';
import type { VerdictNote } from './verdict.ts';
import { verdictMarkdown } from './verdict-markdown.ts';

interface Publishing {
  readonly print: (text: string) => void;
  readonly io: Pick<Io, 'complain' | 'command' | 'env' | 'now' | 'screen'>;
}

/** Writes a verdict to GitLab. It never rejects: refusals of GitLab are reported, and the verdict stays. */
export async function noteAtGitlab(
  place: GitlabPlace,
  verdict: VerdictNote,
  { print, io }: Publishing,
): Promise<void> {
  const trial = async (failure: string, action: () => Promise<void>): Promise<boolean> => {
    try {
      await action();
      return true;
    } catch (error) {
      io.complain(renderProblem({ what: failure, ...causeOf(error) }, io.command));
      return false;
    }
  };
  const where = `${place.target.kind === 'issues' ? 'issue' : 'merge request'} ${place.target.iid} of project ${place.project}`;
  await trial(`The verdict is not posted to ${where} of GitLab.`, async () => {
    const api = await openGitlab(place, GITLAB_LIMITS, (fetch) =>
      isDebugging(io.env) ? createDebugFetch(fetch, io) : fetch,
    );
    const note = await post(api, place, verdict);
    print(`The verdict is posted to ${where} of GitLab, as note ${note}.\n`);
    if (!place.keepsHistory) {
      await trial('Notes of GitLab on earlier verdicts are not removed.', () =>
        removeEarlier(api, verdict, note),
      );
    }
    if (place.labelPrefix === null) return;
    const { labelPrefix } = place;
    await trial(`GitLab does not set the label of ${where}.`, () =>
      setLabel(api, labelPrefix, verdict),
    );
  });
}

function causeOf(error: unknown) {
  if (error instanceof GitlabProblem) return { why: [error.message], next: error.next };
  return { why: [String(error)], next: null };
}

/** The hidden first line of a note, which marks the notes to replace. */
const markerOf = ({ mode }: VerdictNote): string =>
  `<!-- tutti quality gate ${encodeURIComponent(mode).replaceAll('-', '%2D')} -->`;

const CATS = { SUCCESS: ':smiley_cat:', NOTEST: ':cat:', FAILURE: ':scream_cat:' } as const;

/** Resolves with the number of the note. */
async function post(api: GitlabApi, place: GitlabPlace, verdict: VerdictNote): Promise<number> {
  const cat = place.hasCats ? CATS[verdict.status] : '';
  const body = `${markerOf(verdict)}\n${verdictMarkdown(verdict, cat)}`;
  const { document } = await api.send({ method: 'POST', path: '/notes', body: { body } });
  const id = noteIn(document)?.id;
  if (id !== undefined) return id;
  throw new GitlabProblem(
    'Its answer is not that of GitLab.',
    'check gitlab:server: it is the address of GitLab itself, as https://gitlab.example.com.',
  );
}

interface Note {
  readonly id: number;
  readonly body: string;
}

function noteIn(document: unknown): Note | null {
  if (typeof document !== 'object' || document === null || !('id' in document)) return null;
  const { id } = document;
  const body = 'body' in document && typeof document.body === 'string' ? document.body : '';
  return typeof id === 'number' && Number.isSafeInteger(id) ? { id, body } : null;
}

/** Pages of a hundred notes each: the earlier verdict is among the newest notes. */
const PAGES_MAX = 10;

/** Later notes stay: of two concurrent builds, one note must remain. */
async function removeEarlier(api: GitlabApi, verdict: VerdictNote, own: number): Promise<void> {
  const marker = markerOf(verdict);
  const notes = await newestNotes(api);
  for (const { id } of notes.filter((note) => note.id < own && note.body.startsWith(marker))) {
    try {
      await api.send({ method: 'DELETE', path: `/notes/${id}` });
    } catch (error) {
      // Another process removed it meanwhile.
      if (!(error instanceof GitlabProblem) || error.code !== 404) throw error;
    }
  }
}

async function newestNotes(api: GitlabApi): Promise<readonly Note[]> {
  const notes: Note[] = [];
  let page: string | null = '1';
  for (let count = 0; page !== null && count < PAGES_MAX; count += 1) {
    const query = { sort: 'desc', order_by: 'created_at', per_page: '100', page };
    const answer = await api.send({ method: 'GET', path: '/notes', query });
    const items: readonly unknown[] = Array.isArray(answer.document) ? answer.document : [];
    notes.push(...items.flatMap((item) => noteIn(item) ?? []));
    page = answer.nextPage;
  }
  return notes;
}

const LABELS = { SUCCESS: 'Passed', FAILURE: 'Failed', NOTEST: 'No test' } as const;

/** Some editions of GitLab do not replace a scoped label by another of its scope. */
async function setLabel(api: GitlabApi, prefix: string, { status }: VerdictNote): Promise<void> {
  const own = LABELS[status];
  const others = Object.values(LABELS).filter((label) => label !== own);
  const named = (label: string) => `${prefix}::${label}`;
  const body = { add_labels: named(own), remove_labels: others.map(named).join(',') };
  await api.send({ method: 'PUT', path: '', body });
}
