/** Reading what agents post, in a thread where it is large (`document-tasks.ts`): existing agents bring the whole output of a step in one. */
import type { DocumentTask } from '../../http/document-tasks.ts';
import type { LargePost, PostInput } from './jobs/agent-post.ts';

export const READ_POST: DocumentTask<PostInput, LargePost> = {
  name: 'read-post',
  load: async () => (await import('./large-post.ts')).readLargePost,
};
