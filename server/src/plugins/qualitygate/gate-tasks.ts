/** Tasks about quality gates; a thread carries out tasks with large texts (`document-tasks.ts`). */
import type { QualityGate } from '@tutti/workflow';
import type { DocumentTask } from '../../http/document-tasks.ts';
import type { DefinitionSource } from '../../http/posted-definition.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';

export const READ_GATES: DocumentTask<DefinitionSource, readonly QualityGate[]> = {
  name: 'read-gates',
  load: loadedOnce(async () => {
    const [{ readDefinition }, { gatesOf }] = await Promise.all([
      import('../../http/posted-definition.ts'),
      import('./gate-document.ts'),
    ]);
    return (source) => gatesOf(readDefinition(source));
  }),
};
