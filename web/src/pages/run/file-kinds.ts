/** The ways in which files of a run are shown. */
import { REPORT_FOLDER_TYPE } from '@tutti/manifests';
import { BookOpen, FileText, Image, type LucideIcon, Video } from 'lucide-react';
import type { FilePart } from './run-context.ts';

export type FileKind = 'picture' | 'video' | 'page' | 'text' | 'report' | 'other';

const KINDS: readonly (readonly [RegExp, FileKind])[] = [
  [/\.(png|jpe?g|gif|webp|avif)$/i, 'picture'],
  [/\.(webm|mp4|ogv)$/i, 'video'],
  [/\.html?$/i, 'page'],
  [/\.(txt|log|xml|json|ya?ml|csv|md|tap|out|err|properties)$/i, 'text'],
];

/** A report with several files has the type of its archive. Other files are known by their names alone. */
export const kindOf = ({ name, type }: Pick<FilePart, 'name' | 'type'>): FileKind =>
  type === REPORT_FOLDER_TYPE
    ? 'report'
    : (KINDS.find(([ending]) => ending.test(name))?.[1] ?? 'other');

export const FILE_ICONS: Readonly<Record<FileKind, LucideIcon>> = {
  picture: Image,
  video: Video,
  page: FileText,
  text: FileText,
  report: BookOpen,
  other: FileText,
};
