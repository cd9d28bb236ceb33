/** Reads posts of agents, large ones in a thread (`document-tasks.ts`). Existing agents post the whole output of a step at once. */
import type { DocumentTask } from '../../../http/document-tasks.ts';
import type { LargePost, PostInput } from '../jobs/agent-post.ts';

export const READ_POST: DocumentTask<PostInput, LargePost> = {
  name: 'read-post',
  load: async () => (await import('./large-post.ts')).readLargePost,
};
