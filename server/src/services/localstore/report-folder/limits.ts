/** Limits for report folders: tests made them, and any program may attach one. */
import { REPORT_FOLDER_LIMITS } from '@tutti/manifests';

export const FOLDER_LIMITS = {
  /** Bytes of the unpacked archive: those of the files, of the list, and of the headers. */
  unpackedBytes: REPORT_FOLDER_LIMITS.bytes + 32 * 1024 * 1024,
  /** Entries, with folders and the list. A function packs half as many. */
  entries: 2 * REPORT_FOLDER_LIMITS.files,
  listBytes: REPORT_FOLDER_LIMITS.listBytes,
  /** Names in a warning. */
  shownNames: 5,
} as const;
