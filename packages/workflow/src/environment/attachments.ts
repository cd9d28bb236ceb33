/** Names and paths of files that go between the environments and the orchestrator (wire facts part 5). */
import type { AttachmentId, ChannelOs, JobId, WorkflowId } from '@tutti/manifests';
import { maskLine, masksOfParts } from './masks.ts';
import { isAbsolutePath } from './recorded-workspace.ts';
import { withoutSeparators } from './written-forms.ts';

export interface AttachmentPlace {
  readonly jobId: JobId;
  readonly uuid: AttachmentId;
  readonly sequence: number;
  readonly name: string;
}

/** Path of an attachment as events name it; clients cut the name out of it, after its second `_`. */
export function attachmentPath({ jobId, uuid, sequence, name }: AttachmentPlace): string {
  return `/tmp/${jobId}-${uuid}_${sequence}_${name}`;
}

export interface ArtifactPlace {
  readonly workflowId: WorkflowId;
  readonly uuid: AttachmentId;
  readonly name: string;
}

/** Path of a file of the whole workflow: an `::upload`, or a report. */
export function artifactPath({ workflowId, uuid, name }: ArtifactPlace): string {
  return `/tmp/${workflowId}-${uuid}_WR_${name}`;
}

const ARTIFACT = /^\/tmp\/([^_]+)-([0-9a-f-]{36})_WR_(.+)$/s;

export function isArtifactPath(path: string, workflowId: WorkflowId): boolean {
  return ARTIFACT.exec(path)?.[1] === workflowId;
}

export interface Artifact {
  readonly uuid: AttachmentId;
  readonly name: string;
}

/** Reads the attachment id and the file name out of the path of an artifact; null for any other path. */
export function artifactOfPath(path: string): Artifact | null {
  const [, , uuid, name] = ARTIFACT.exec(path) ?? [];
  // The pattern makes sure that it is one.
  return uuid === undefined || name === undefined ? null : { uuid: uuid as AttachmentId, name };
}

/** The path as the environment's system writes it. */
export function environmentPath(path: string, os: ChannelOs): string {
  return os === 'windows' ? path.replaceAll('/', '\\') : path;
}

/** A path that a step said, and where the step ran. */
export interface StepPath {
  readonly jobId: JobId;
  /** See `recordedWorkspace`. */
  readonly workspace: string | null;
  readonly workingDirectory: string | null;
  readonly path: string;
}

/**
 * Path of a file that is fetched from a job, or brought to it. Existing agents read a relative path where they were started, which may not
 * be where commands run. The oldest agents write it below their scripts. So the path is absolute as soon as the workspace is known.
 */
export function filePathOf(file: StepPath, os: ChannelOs): string {
  const { workspace, jobId, workingDirectory, path } = file;
  const pieces = [workspace ?? jobId, workingDirectory ?? '', path].filter((piece) => piece !== '');
  const start = Math.max(
    0,
    pieces.findLastIndex((piece) => isAbsolutePath(piece, os)),
  );
  return environmentPath(pieces.slice(start).join('/'), os);
}

const NAMELESS = 'attachment';

/**
 * Name of a file: its `name` parameter, else the last piece of its path. Never empty, and never with a separator or a control character in
 * it. It becomes a piece of other paths. `masks` hide what could not be found any more in a piece alone.
 */
export function attachmentName(
  path: string,
  parameters: Readonly<Record<string, string>>,
  os: ChannelOs,
  masks: readonly string[] = [],
): string {
  const given = parameters.name?.trim();
  return given ? asPiece(given) : asPiece(shownBaseName(path, os, masks)) || NAMELESS;
}

function shownBaseName(path: string, os: ChannelOs, masks: readonly string[]): string {
  const parts = masksOfParts(masks);
  const name = baseName(path, os);
  const shown = baseName(maskLine(parts, path), os);
  // A mask that matches only within the name is applied each time the name is shown.
  return maskLine(parts, name) === shown ? name : shown;
}

function baseName(path: string, os: ChannelOs): string {
  const pieces = path.split(os === 'windows' ? /[\\/]+/ : /\/+/);
  return pieces.findLast((piece) => piece !== '') ?? '';
}

function asPiece(name: string): string {
  const safe = withoutSeparators(name);
  // Where it is put it would be the directory itself, or the one around it.
  return /^\.\.?$/.test(safe) ? safe.replaceAll('.', '_') : safe;
}

/** Name of the file at a path of the wire, as clients find it. Null for a path of another form. */
export function nameOfPath(path: string): string | null {
  const match = /^\/tmp\/(?:[^_]*)_(?:[^_]*)_(.+)$/s.exec(path);
  return match?.[1] ?? null;
}
