/** The threads that read documents. A module beside this one runs in them. */
import { extname } from 'node:path';
import {
  createDocumentTasks,
  DOCUMENT_THREAD_LIMITS,
  type DocumentTasks,
} from './http/document-tasks.ts';

// Source and compiled files lie side by side with their own suffix.
const entry = new URL(`./document-thread${extname(import.meta.url)}`, import.meta.url);

export const openDocumentTasks = (): DocumentTasks =>
  createDocumentTasks(async () => {
    const { ThreadPool } = await import('./runtime/thread-pool.ts');
    return new ThreadPool({ entry, name: 'document reader', limits: DOCUMENT_THREAD_LIMITS });
  });
