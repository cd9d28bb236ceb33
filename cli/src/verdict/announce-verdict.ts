/** Publishes a verdict for the team: at GitLab, if requested, and on GitHub Actions, if the command runs there. */
import type { Client } from '@tutti/client';
import type { ViewOptions } from '../options/view-options.ts';
import type { Io } from '../terminal/io.ts';
import { summaryFileIn } from './github-verdict.ts';
import type { GitlabPlace } from './gitlab-place.ts';
import { type GateVerdict, verdictNote } from './verdict.ts';

export interface Announcing {
  /** Null if no note is requested. */
  readonly gitlab: GitlabPlace | null;
  readonly progress?: ViewOptions['progress'];
  /** Output for people; programs may read standard output. */
  readonly print: (text: string) => void;
}

/** Reports a verdict to GitLab and GitHub. It never rejects, and does not change the exit code, which belongs to the verdict. */
export async function announceVerdict(
  client: Client,
  verdict: GateVerdict,
  { gitlab, progress, print }: Announcing,
  io: Io,
): Promise<void> {
  const summaryFile = summaryFileIn(io.env);
  const hasMarks = wantsMarks(progress, io.env);
  if (gitlab === null && summaryFile === null && !hasMarks) return;
  const published = await verdictNote(client, verdict);
  if (published === null) {
    if (gitlab !== null)
      io.complain('tutti: There is no verdict yet, so nothing is posted to GitLab.\n');
    return;
  }
  const { failureMarks, writeSummary } = await import('./github-verdict.ts');
  if (hasMarks) for (const mark of failureMarks(published, directoryIn(io.env))) print(`${mark}\n`);
  if (summaryFile !== null) await writeSummary(summaryFile, published, io);
  if (gitlab === null) return;
  const { noteAtGitlab } = await import('./note-at-gitlab.ts');
  await noteAtGitlab(gitlab, published, { print, io });
}

/** The same rule as for folding marks. */
function wantsMarks(
  progress: ViewOptions['progress'],
  { GITHUB_ACTIONS, TUTTI_PROGRESS }: Io['env'],
) {
  const isPlain = ['plain', 'none'].includes(progress ?? TUTTI_PROGRESS ?? '');
  return (GITHUB_ACTIONS ?? '') !== '' && !isPlain;
}

const directoryIn = ({ GITHUB_WORKSPACE }: Io['env']): string => GITHUB_WORKSPACE || process.cwd();
